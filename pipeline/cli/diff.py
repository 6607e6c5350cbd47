"""`errcat diff`."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import now, to_stdout
from pipeline.diff.form import Format
from pipeline.diff.kind import Kind

_SOURCE = "a dataset, a source folder, a release, or with --git a commit, a tag or a branch"


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=f"Before: {_SOURCE}.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="After: the same.")],
    *,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
    kind: Annotated[list[Kind] | None, typer.Option(help="Only changes of this kind; can be repeated.")] = None,
    path: Annotated[
        list[str] | None, typer.Option(metavar="GLOB", help="Only changes in files whose path fits; can be repeated.")
    ] = None,
    class_: Annotated[
        list[str] | None, typer.Option("--class", metavar="NAME", help="Only errors of this class; can be repeated.")
    ] = None,
    breaking: Annotated[
        bool, typer.Option("--breaking", help="Only changes after which a handler no longer catches the error.")
    ] = False,
    accept: Annotated[Path | None, typer.Option(metavar="FILE", help="Leave out the changes this file names.")] = None,
    accept_all: Annotated[
        bool, typer.Option("--accept-all", help="Write what is shown to the file of --accept.")
    ] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 when a change is shown.")] = False,
    repo: Annotated[str | None, typer.Option(help="OWNER/NAME that sources are of.")] = None,
    git: Annotated[str | None, typer.Option(help="URL or path of the git repository to look names up in.")] = None,
    under: Annotated[str | None, typer.Option(help="Mine only what is under this path of the repository.")] = None,
    package: Annotated[str | None, typer.Option(help="For releases: name in the package registry.")] = None,
) -> None:
    """Show what changed in the errors between two revisions."""
    from pipeline import compare
    from pipeline.diff.filter import Filter
    from pipeline.diff.render import render
    from pipeline.progress import ProgressBar
    from pipeline.source.named import check_repo

    check_repo(repo)
    accepted = compare.read_accepted_file(accept, required=not accept_all)
    options = compare.Options(repo=repo, git=git, under=under, package=package, now=now())
    with ProgressBar() as progress:
        before, after = compare.read_sides(old, new, options, progress)
        found = compare.differences(before, after)
    wanted = Filter(kinds=tuple(kind or ()), paths=tuple(path or ()), classes=tuple(class_ or ()), breaking=breaking)
    shown = compare.comparison(before, after, found, wanted=wanted, accepted=accepted)
    for note in compare.notes(before, after, found, accepted):
        typer.echo(f"errcat: {note}", err=True)
    to_stdout(render(shown, form, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ))
    if accept and accept_all:
        compare.write_accepted_file(accept, accepted, found, shown)
    elif exit_code and shown.changes:
        raise typer.Exit(1)
