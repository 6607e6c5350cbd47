"""The program `errcat`: runs one command line, and turns what goes wrong into one line and an exit code."""

import sys
import traceback
from typing import Annotated

import typer

from pipeline.cli.options import tool_version
from pipeline.errors import ErrcatError

INTERRUPTED = 130

app = typer.Typer(
    name="errcat",
    help="The error catalogue of a Python code base, from its source.",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Entry point of the console script."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; its exit code. An error is one line on stderr, below its traceback with --debug."""
    try:
        code = app(arguments or ["--help"], prog_name="errcat", standalone_mode=False) or 0
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        return _fail(
            f"{error.format_message().rstrip('.')}. Try {context.command_path if context else 'errcat'} --help"
        )
    except Exception as error:  # noqa: BLE001  # the outermost edge: a fault of ours is told like any other
        if "--debug" in arguments:
            traceback.print_exc()
        if isinstance(error, ErrcatError):
            return _fail(str(error), error.exit_code)
        return _fail(f"{type(error).__name__}: {error}. This is a fault of errcat; errcat --debug … shows where")
    return _fail("interrupted", INTERRUPTED) if code == INTERRUPTED else code  # typer turns Ctrl-C into its code


def _fail(text: str, code: int = ErrcatError.exit_code) -> int:
    line = " ".join(f"errcat: error: {text}".split())
    sys.stderr.write(line + "\n")
    return code


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"errcat {tool_version()}")
        raise typer.Exit


@app.callback()
def errcat(
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show a Python traceback when something fails.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """The error catalogue of a Python code base, from its source."""
