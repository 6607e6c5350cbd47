"""How things stand: what is published, and whether it is what is wanted. Light, so that an idle run ends at once."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

LATEST: Final = "latest"
PUBLICATION: Final = "publication.json"
CANDIDATES: Final = ".refresh"
BEGUN: Final = "candidate.json"
FINISHED: Final = "finished.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What the user chose of that which has a part in the result. Their names are those of publication.json."""

    under: str | None = None
    package: str | None = None
    writer: str
    model: str | None = None
    pages: bool = True
    baseUrl: str | None = None


def home_of(out: Path, repo: str) -> Path:
    """The folder of a repository."""
    return out / repo.replace("/", "__")


def key_of(repo: str, revision: str, tool: str, options: Options) -> str:
    """16 hex of everything that has a part in the result, but for the dataset before."""
    parts = json.dumps([repo, revision, tool, asdict(options)], sort_keys=True)
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def candidate_folder(home: Path, key: str) -> Path:
    """Where a candidate is made."""
    return home / CANDIDATES / key


def is_open(home: Path, key: str) -> bool:
    """Whether a candidate was begun and not finished."""
    folder = candidate_folder(home, key)
    return (folder / BEGUN).is_file() and not (folder / FINISHED).is_file()


def published_since(home: Path, key: str) -> str | None:
    """When what has this key was published, if that is what `latest` leads to and nothing is left to do for it."""
    try:
        said = json.loads((home / LATEST / PUBLICATION).read_bytes())
        return str(said["publishedAt"]) if said["key"] == key and not is_open(home, key) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # whatever is wrong, a run that holds the lock looks closer
