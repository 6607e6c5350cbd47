"""`errcat history`."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Out, now, tool_version
from pipeline.source.named import JAX


@app.command()
def history(
    *,
    releases: Annotated[
        str | None, typer.Option(metavar="FIRST..LAST", help="All releases in this range; either end can be left out.")
    ] = None,
    tags: Annotated[str | None, typer.Option(metavar="PATTERN", help="All tags that fit this pattern.")] = None,
    repos: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A dataset for each line owner/name@rev of this file.")
    ] = None,
    repo: Annotated[str | None, typer.Option(help=f"OWNER/NAME; {JAX} by default.")] = None,
    git: Annotated[str | None, typer.Option(help="With --tags: URL or path to fetch from.")] = None,
    under: Annotated[str | None, typer.Option(help="Mine only what is under this path of the repository.")] = None,
    package: Annotated[str | None, typer.Option(help="With --releases: name in the package registry.")] = None,
    pre: Annotated[bool, typer.Option("--pre", help="With pre-releases.")] = False,
    out: Out = Path("output"),
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Mine on the Dask cluster whose scheduler this is.")
    ] = None,
) -> None:
    """Write the history of many revisions: each error once, with all its texts. A run that was stopped goes on."""
    from pipeline.history import command
    from pipeline.progress import ProgressBar

    wanted = command.Wanted(
        releases=releases, tags=tags, repos=repos, repo=repo, git=git, under=under, package=package, pre=pre
    )
    wanted.check()
    write = command.each if repos else command.history
    with ProgressBar() as progress, command.team(dask) as team:
        written = write(wanted, team, out=out, moment=now(), tool_version=tool_version(), progress=progress)
    for gap in written.gaps:
        typer.echo(f"errcat: {gap.step.name} is missing: {gap.reason}", err=True)
    for line in written.lines:
        typer.echo(line)
