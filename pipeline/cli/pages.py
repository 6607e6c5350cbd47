"""`errcat pages`."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app


@app.command()
def pages(
    dataset: Annotated[
        Path | None, typer.Argument(metavar="[DATASET]", help="Folder of a dataset; by default the newest in output/.")
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="Folder of the site; an older site there is replaced.")] = Path("site"),
    base_url: Annotated[
        str | None, typer.Option(help="Address that the site will have: for the sitemap and canonical links.")
    ] = None,
    previous: Annotated[
        Path | None, typer.Option(help="The dataset before, for what changed; by default the one it was made after.")
    ] = None,
) -> None:
    """Write the catalogue as a static site: pages, JSON, search."""
    from pipeline.dataset import find, read
    from pipeline.pages.build import build
    from pipeline.pages.site import load
    from pipeline.progress import ProgressBar

    if base_url is not None and not base_url.startswith(("https://", "http://")):
        raise typer.BadParameter(f"{base_url} is no web address", param_hint="--base-url")
    with ProgressBar() as progress:
        chosen = read(dataset) if dataset else find(Path("output"))
        site = load(chosen, previous=read(previous) if previous else None, base_url=base_url)
        build(site, out, progress=progress)
    typer.echo(out)
    typer.echo(f"pages of {len(site.records):,} records, {len(site.tombstones):,} that are gone")
