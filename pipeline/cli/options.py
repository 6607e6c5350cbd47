"""What several commands share: options, where a source comes from, the clock, the way to stdout."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pipeline.errors import SourceError

Out = Annotated[Path, typer.Option(help="Folder of all datasets.")]
Name = Annotated[str, typer.Argument(metavar="ID", help="Id, alias or slug of a record, or the beginning of one.")]
DatasetOrAll = Annotated[Path | None, typer.Option(help="Look in this dataset; by default in all, newest first.")]


def to_stdout(text: str) -> None:
    """To stdout as UTF-8, whatever the locale; newlines stay what they are."""
    sys.stdout.buffer.write(text.encode())


def now() -> str:
    """The run's clock, or SOURCE_DATE_EPOCH; RFC 3339 UTC with milliseconds."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise SourceError(f"SOURCE_DATE_EPOCH={epoch} is not a time in seconds", hint="Unset it") from None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def tool_version() -> str:
    """The version of this errcat."""
    from importlib.metadata import version

    return version("errcat")
