"""The command line: parse, call, print. Everything heavy is imported by the command that needs it."""

from pipeline.cli import dataset, diff, explanations, look, match  # their commands register with the program
from pipeline.cli.app import main, run

__all__ = ["dataset", "diff", "explanations", "look", "main", "match", "run"]
