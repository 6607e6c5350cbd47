"""The command `errcat history`, without the parsing of its options."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import SourceError
from pipeline.history import steps as all_steps
from pipeline.history import team as teams
from pipeline.history.chain import Chain, follow
from pipeline.history.published import published, with_explanations
from pipeline.history.spread import Found, Gap, spread
from pipeline.history.steps import Step
from pipeline.history.store import Store
from pipeline.history.team import Team
from pipeline.history.write import write_history, write_one
from pipeline.source.named import JAX, check_repo

Progress = Callable[..., None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What a user asks for; exactly one of releases, tags and repos."""

    releases: str | None = None
    tags: str | None = None
    repos: Path | None = None
    repo: str | None = None
    git: str | None = None
    under: str | None = None
    package: str | None = None
    pre: bool = False

    def check(self) -> None:
        """SourceError where these do not go together."""
        chosen = {"releases": self.releases, "tags": self.tags, "repos": self.repos}
        given = [f"--{name}" for name, value in chosen.items() if value is not None]
        if len(given) != 1:
            told = f"not {' and '.join(given)}" if given else "none is given"
            hint = "For example --releases 0.4.30..0.10.2"
            raise SourceError(f"give one of --releases, --tags and --repos: {told}", hint=hint)
        apart = {
            "--git": (self.git, "--tags"),
            "--package": (self.package, "--releases"),
            "--repo": (self.repo, "--releases or --tags"),
            "--pre": (self.pre or None, "--releases or --tags"),
        }
        for option, (value, others) in apart.items():
            if value is not None and given[0] not in others:
                raise SourceError(f"{option} goes with {others} only", hint=f"Leave it out, or give {others}")
        check_repo(self.repo)

    def steps(self, progress: Progress) -> tuple[Step, ...]:
        """The revisions."""
        if self.repos is not None:
            return all_steps.of_file(self.repos, under=self.under)
        if self.tags is not None:
            return all_steps.of_tags(
                self.tags, repo=self.repo, git=self.git, under=self.under, pre=self.pre, progress=progress
            )
        assert self.releases is not None
        return all_steps.of_releases(
            self.releases, repo=self.repo, package=self.package, under=self.under, pre=self.pre
        )


def team(address: str | None) -> AbstractContextManager[Team]:
    """Who mines: the workers of a Dask cluster, or processes of this machine."""
    return teams.cluster(address) if address else teams.processes()


def store() -> Store:
    """What was mined before, in the user's cache."""
    from pipeline.source.cache import cache_folder

    return Store(folder=cache_folder() / "history")


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What a run left, and the lines it has for stdout."""

    gaps: tuple[Gap, ...]
    lines: tuple[str, ...]


def history(wanted: Wanted, workers: Team, *, out: Path, moment: str, tool_version: str, progress: Progress) -> Written:
    """One dataset of a chain of revisions. SourceError where not one of them can be had."""
    chosen = wanted.steps(progress)
    said = published(out)
    mined = spread(chosen, team=workers, store=store(), progress=progress)
    chain = follow(mined, moment=moment, published=said)
    repo = chain.records[0].repo if chain.records else wanted.repo or JAX
    records = with_explanations(chain.records, said)
    folder = write_history(chain, records, repo=repo, out=out, moment=moment, tool_version=tool_version)
    return Written(gaps=chain.gaps, lines=(str(folder), summary(chain)))


def each(wanted: Wanted, workers: Team, *, out: Path, moment: str, tool_version: str, progress: Progress) -> Written:
    """A dataset of each revision."""
    found = list(_each(wanted.steps(progress), workers, out, moment, tool_version, progress))
    gaps = tuple(one for one in found if isinstance(one, Gap))
    folders = tuple(str(one) for one in found if isinstance(one, Path))
    if not folders:
        raise SourceError(f"no revision could be mined; the first: {gaps[0].reason}")
    return Written(gaps=gaps, lines=folders)


def _each(
    chosen: Sequence[Step], workers: Team, out: Path, moment: str, tool_version: str, progress: Progress
) -> Iterator[Path | Gap]:
    for one in spread(chosen, team=workers, store=store(), progress=progress):
        if isinstance(one, Found):
            yield write_one(one, out=out, moment=moment, tool_version=tool_version)
        else:
            yield one


def summary(chain: Chain) -> str:
    """One line on what a chain was."""
    first, last = chain.revisions[0].name, chain.revisions[-1].name
    alive = chain.revisions[-1].sum().total
    sums = [revision.sum() for revision in chain.revisions[1:]]
    parts = [
        f"revisions {len(chain.revisions):,} ({first} to {last})",
        f"errors {len(chain.records):,}, of these in {last} {alive:,}",
        f"added {sum(s.added for s in sums):,}",
        f"removed {sum(s.removed for s in sums):,}",
        f"reworded {sum(s.reworded for s in sums):,}",
    ]
    return ", ".join([*parts, *([f"gaps {len(chain.gaps):,}"] if chain.gaps else [])])
