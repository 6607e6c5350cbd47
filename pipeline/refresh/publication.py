"""What is published: the dataset that the link `latest` leads to, and the ones before it that are kept."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from pipeline import dataset
from pipeline.dataset import Dataset, staging
from pipeline.errors import DatasetError
from pipeline.record import Model, Repo, Text, Time
from pipeline.refresh.descent import Descent
from pipeline.refresh.gates.verdict import Verdict
from pipeline.refresh.standing import LATEST, PUBLICATION, Options


class Publication(Model):
    """What stands in publication.json beside a published dataset.

    key: of the candidate that it was. tool: version and content of the errcat that made it. publishedAt: the run's
    clock. previous: folder of the dataset before. gates: all verdicts, with the reasons of those that were overridden.
    """

    schemaVersion: Annotated[int, Field(ge=1)] = 1
    key: Text
    repo: Repo
    revision: Text
    publishedAt: Time
    tool: Text
    options: Options
    previous: Text | None
    descent: Descent
    gates: tuple[Verdict, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """A published dataset. publication: None where its folder was written anew by hand."""

    dataset: Dataset
    publication: Publication | None

    @property
    def name(self) -> str:
        """Of its folder."""
        return self.dataset.path.name


def published(home: Path) -> Published | None:
    """What `latest` leads to; None: nothing was published yet. DatasetError where that is damaged."""
    link = home / LATEST
    if not link.is_symlink():
        if link.exists():
            raise DatasetError(f"{link} is in the way: it is no link", hint="Move it, or give another --out")
        return None
    folder = home / link.readlink()
    if not folder.is_dir():
        hint = "Bring the folder back: ids are carried from it; remove the link only to begin anew"
        raise DatasetError(f"{link} leads to {folder}, which is gone", hint=hint)
    return Published(dataset=dataset.read(folder), publication=read_publication(folder))


def read_publication(folder: Path) -> Publication | None:
    """What is said of the dataset in a folder; None where it was not published by a refresh."""
    try:
        return Publication.model_validate_json((folder / PUBLICATION).read_bytes(), extra="ignore")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise DatasetError(
            f"{folder / PUBLICATION} is damaged: {first['msg']}", hint="Remove it and run again"
        ) from None


def free_name(home: Path, revision: str, key: str) -> str:
    """A name for the folder of a publication that no other has: a published folder is never written to again."""
    plain = revision.replace("/", "_")
    names = (plain, f"{plain}.{key[:8]}", *(f"{plain}.{key[:8]}.{number}" for number in range(2, 1000)))
    return next(name for name in names if not (home / name).exists())


def switch(home: Path, name: str) -> None:
    """Let `latest` lead to that folder, in one step."""
    fresh = home / f".{LATEST}.{secrets.token_hex(4)}"
    fresh.symlink_to(name)
    try:
        os.replace(fresh, home / LATEST)  # noqa: PTH105  # it replaces
    finally:
        fresh.unlink(missing_ok=True)


def prune(home: Path, keep: int) -> tuple[str, ...]:
    """Remove publications beyond the newest ones; never what is published, and nothing that was made by hand."""
    staging.sweep(home)
    latest = home / LATEST
    current = os.readlink(latest) if latest.is_symlink() else ""  # noqa: PTH115  # as text
    found = []
    for folder in home.glob("[!.]*"):
        if folder.is_symlink() or folder.name == current:
            continue
        if folder.is_dir() and (said := read_publication(folder)):
            found.append((said.publishedAt, folder.name))
    old = [name for _, name in sorted(found, reverse=True)[max(0, keep - 1) :]]
    for name in old:
        staging.remove(home / name)
    return tuple(sorted(old))
