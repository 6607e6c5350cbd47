"""Two catalogues that a user names, compared."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipeline import dataset
from pipeline.dataset import Dataset
from pipeline.dataset.folder import MANIFEST
from pipeline.diff.accepted import Accepted, read_accepted, written
from pipeline.diff.changes import Diff, compare
from pipeline.diff.comparison import Comparison
from pipeline.diff.filter import Filter
from pipeline.errors import DatasetError, ErrcatError, SourceError
from pipeline.mined import mined
from pipeline.record import Record
from pipeline.source.named import JAX, Named

STALE: Final = 8  # stale lines that are told one by one
_URL: Final = re.compile(r"(?:\w+://|[^/]+:(?!/)).*?([\w.-]+)/([\w.-]+?)(?:\.git)?/?")

Progress = Callable[..., None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How sources are read; as in `Named`. now: the run's clock."""

    repo: str | None = None
    git: str | None = None
    under: str | None = None
    package: str | None = None
    now: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One catalogue. name: the revision as people know it. notes: what the user should hear about it.

    dataset: where it was published.
    """

    repo: str
    revision: str
    name: str
    records: tuple[Record, ...]
    notes: tuple[str, ...] = ()
    dataset: Dataset | None = None


def read_sides(old: str, new: str, options: Options, progress: Progress) -> tuple[Side, Side]:
    """Both sides. A name is the folder of a dataset, a source folder, with --git a commit, otherwise a release.

    SourceError, DatasetError: one that cannot be had.
    """
    stored = [dataset.read(Path(name)) if _is_dataset(name) else None for name in (old, new)]
    repo = options.repo or next((found.manifest.repo for found in stored if found), None) or _repo(old, new, options)
    one, other = (
        _stored(found) if found else _mined_side(name, repo, options, progress)
        for name, found in zip((old, new), stored, strict=True)
    )
    return one, other


def _is_dataset(name: str) -> bool:
    return (Path(name) / MANIFEST).is_file()


def _repo(old: str, new: str, options: Options) -> str:
    """The repository that sources are taken to be of, so that both sides are of the same one."""
    if options.git:
        found = _URL.fullmatch(options.git)
        return f"{found[1]}/{found[2]}" if found else f"local/{Path(options.git).resolve().name or 'root'}"
    if Path(old).is_dir() and Path(new).is_dir():
        return f"local/{Path(new).resolve().name or 'root'}"
    return JAX


def _stored(found: Dataset) -> Side:
    manifest = found.manifest
    notes = (f"{found.path} is partial: what it leaves out is told as a change",) if manifest.selection else ()
    return Side(
        repo=manifest.repo,
        revision=manifest.revision,
        name=_shown(manifest.revision),
        records=tuple(_alive(found)),
        notes=notes,
        dataset=found,
    )


def _alive(found: Dataset) -> Iterator[Record]:
    """Its records; of a history those of its newest revision."""
    history = found.manifest.history
    newest = history.revisions[-1].name if history else None
    return (record for record in found.records() if history is None or record.lastSeenIn == newest)


def _mined_side(name: str, repo: str, options: Options, progress: Progress) -> Side:
    tree = _named(name, repo, options).read(progress)
    records, notes = mined(tree, now=options.now, progress=progress)
    shown = _shown(tree.revision)
    if name not in {tree.revision, shown}:
        shown = f"{name} ({shown})"
    return Side(repo=repo, revision=tree.revision, name=shown, records=records, notes=notes)


def _named(name: str, repo: str, options: Options) -> Named:
    if Path(name).is_dir():
        return Named(repo=repo, tree=Path(name), under=options.under)
    if options.git:
        return Named(repo=repo, sha=name, git=options.git, under=options.under)
    from packaging.version import InvalidVersion, Version

    try:
        Version(name)
    except InvalidVersion:
        hint = "With --git URL_OR_PATH it can be a commit, a tag or a branch"
        raise SourceError(f"{name} is neither a folder nor a release", hint=hint) from None
    return Named(repo=repo, release=name, package=options.package, under=options.under)


def _shown(revision: str) -> str:
    return revision[:12] if re.fullmatch("[0-9a-f]{40}", revision) else revision


def differences(old: Side, new: Side) -> Diff:
    """What changed. Datasets of one chain say themselves which error is which."""
    one, other = old.dataset, new.dataset
    chained = one is not None and other is not None and (_leads_to(one, other) or _leads_to(other, one))
    return compare(old.records, new.records, chained=chained)


def _leads_to(early: Dataset, late: Dataset) -> bool:
    """Whether a dataset took its ids from another one, or from one that did, as far as they lie side by side."""
    at, seen = late, set[Path]()
    while (before := at.manifest.previous) and at.path not in seen:
        if before.recordsSha256 == early.manifest.recordsSha256:
            return True
        seen.add(at.path)
        try:
            at = dataset.read(at.path.parent / before.revision.replace("/", "_"))
        except DatasetError:
            return False
    return False


def comparison(old: Side, new: Side, diff: Diff, *, wanted: Filter, accepted: Accepted) -> Comparison:
    """What is to be shown of a diff."""
    kept = [change for change in diff.changes if wanted.keeps(change)]
    shown = tuple(change for change in kept if not accepted.holds(change))
    return Comparison(
        repo=new.repo,
        before=old.revision,
        after=new.revision,
        old_name=old.name,
        new_name=new.name,
        changes=shown,
        unchanged=diff.unchanged,
        filtered=len(diff.changes) - len(kept),
        accepted=len(kept) - len(shown),
        files=frozenset(record.filePath for record in new.records),
    )


def notes(old: Side, new: Side, diff: Diff, accepted: Accepted) -> tuple[str, ...]:
    """What the user should hear beside the result."""
    told = [*old.notes, *new.notes]
    if old.repo != new.repo:
        told.append(f"these are of two repositories, {old.repo} and {new.repo}")
    stale = accepted.stale(diff.changes)
    told += [f"accepted, but no change of this comparison: {line}" for line in stale[:STALE]]
    more = len(stale) - STALE
    return (*told, f"and {more:,} more such lines") if more > 0 else tuple(told)


def read_accepted_file(path: Path | None, *, required: bool) -> Accepted:
    """The changes that a file names. ErrcatError where it cannot be read, or is not there and is required."""
    if path is None:
        if not required:
            raise ErrcatError("--accept-all goes with --accept only", hint="Name the file with --accept FILE")
        return Accepted(names={})
    try:
        return read_accepted(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        if not required:
            return Accepted(names={})
        raise ErrcatError(f"no file {path}", hint="--accept-all makes one of what is shown") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ErrcatError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def write_accepted_file(path: Path, accepted: Accepted, diff: Diff, shown: Comparison) -> None:
    """Write the file anew: what is shown is accepted too, and stale lines are gone."""
    try:
        path.write_text(written(accepted, diff.changes, shown.changes), encoding="utf-8")
    except OSError as error:
        raise ErrcatError(f"cannot write {path}: {error.strerror or error}") from None
