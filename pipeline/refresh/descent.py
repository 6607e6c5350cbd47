"""Whether a revision comes after the one that is published."""

import enum

from pipeline.refresh.newest import Followed, Progress, is_commit


class Descent(enum.StrEnum):
    """What a revision is to the published one."""

    FIRST = "first"
    """Nothing is published yet."""
    SAME = "same"
    """It is the published one, mined anew."""
    LATER = "later"
    EARLIER = "earlier"
    """The branch was forced back, or a release was withdrawn."""
    UNRELATED = "unrelated"
    """History was rewritten: the published commit is not among those that led to this one."""
    OTHER_KIND = "other kind"
    """One is a release and the other a commit."""


def descent(published: str | None, revision: str, followed: Followed, progress: Progress) -> Descent:
    """How they stand to each other; for commits the remote's commits are fetched, without files, and kept.

    SourceError where the remote cannot be asked.
    """
    if published is None:
        return Descent.FIRST
    if published == revision:
        return Descent.SAME
    if is_commit(published) != is_commit(revision):
        return Descent.OTHER_KIND
    return _commits(published, revision, followed, progress) if is_commit(revision) else _releases(published, revision)


def _releases(published: str, revision: str) -> Descent:
    from packaging.version import InvalidVersion, Version

    try:
        return Descent.LATER if Version(revision) > Version(published) else Descent.EARLIER
    except InvalidVersion:  # what is published was mined from a folder
        return Descent.OTHER_KIND


def _commits(published: str, revision: str, followed: Followed, progress: Progress) -> Descent:
    from pipeline.source import mirror as mirrors
    from pipeline.source.cache import cache_folder, locked

    url = followed.git or f"https://github.com/{followed.repo}"
    mirror = mirrors.mirror_of(url, cache=cache_folder(), progress=progress)
    if not mirrors.commits_starting(mirror, revision):
        with locked(mirror.folder, progress):
            mirrors.fetch_commits(mirror)
    if mirrors.is_ancestor(mirror, published, revision):
        return Descent.LATER
    return Descent.EARLIER if mirrors.is_ancestor(mirror, revision, published) else Descent.UNRELATED
