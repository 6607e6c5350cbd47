"""Commands that find records for messages: match, run."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Out


@app.command()
def match(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE…|-]", help="Messages or tracebacks; standard input by default.")
    ] = None,
    *,
    dataset: Annotated[
        Path | None, typer.Option(help="Look in this dataset; by default in that of the release of jax, or the newest.")
    ] = None,
    out: Out = Path("output"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON for each input.")] = False,
    top: Annotated[int, typer.Option(min=1, help="So many records at most for each error.")] = 3,
) -> None:
    """Find the record of a message or a traceback. Exit code 1 when none of the inputs has one."""
    from pipeline.match.command import answer_inputs

    raise typer.Exit(answer_inputs(files or (), dataset=dataset, out=out, as_lines=as_json, top=top))


@app.command("run")
def run_program(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="A program and its arguments.")],
    *,
    dataset: Annotated[Path | None, typer.Option(help="Look in this dataset.")] = None,
    out: Out = Path("output"),
) -> None:
    """Run a program; when it dies of an error, explain it on stderr. The exit code is the program's."""
    from pipeline.match.command import explain_run

    sys.exit(explain_run(command, dataset=dataset, out=out))  # 130 too is the program's, with nothing said about it
