"""The command line: parse, call, print. Everything heavy is imported by the command that needs it."""

from pipeline.cli import (  # their commands register with the program
    dataset,
    diff,
    explanations,
    history,
    look,
    match,
    pages,
    refresh,
    serve,
)
from pipeline.cli.app import main, run

__all__ = ["dataset", "diff", "explanations", "history", "look", "main", "match", "pages", "refresh", "run", "serve"]
