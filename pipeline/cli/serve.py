"""`errcat serve`."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Out, tool_version
from pipeline.errors import ErrcatError


@app.command()
def serve(
    dataset: Annotated[
        Path | None, typer.Argument(metavar="[DATASET]", help="Folder of a dataset; by default the newest.")
    ] = None,
    *,
    out: Out = Path("output"),
    host: Annotated[str, typer.Option(help="Address to listen on; the default is this machine only.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0: any that is free.")] = 8000,
    a_minute: Annotated[
        int, typer.Option("--rate", min=0, help="So many texts of one address are matched in a minute; 0: all.")
    ] = 120,
    base_url: Annotated[
        str | None, typer.Option(help="Address that the site has for others: for the sitemap and canonical links.")
    ] = None,
) -> None:
    """Serve the pages, the records and matching. A dataset that is published meanwhile takes over."""
    try:
        from pipeline.serve.command import listen
        from pipeline.serve.command import serve as run
    except ModuleNotFoundError as error:
        hint = "Install what it needs: pip install 'errcat[serve]'"
        raise ErrcatError(f"errcat serve needs {error.name}", hint=hint) from None
    from pipeline.dataset import find
    from pipeline.serve.limits import Limits

    with listen(host, port) as listening:
        run(
            lambda: dataset or find(out).path,
            listening,
            version=tool_version(),
            announce=typer.echo,
            limits=Limits(a_minute=a_minute),
            base_url=base_url,
        )
