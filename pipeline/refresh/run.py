"""One run: every step of a candidate that is not done yet, up to the switch of what is published."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline import dataset
from pipeline.dataset import staging
from pipeline.errors import LedgerError
from pipeline.refresh import candidate as candidates
from pipeline.refresh import publication as publications
from pipeline.refresh import steps
from pipeline.refresh.candidate import Begun, Candidate
from pipeline.refresh.descent import descent
from pipeline.refresh.gates.descent import history
from pipeline.refresh.gates.names import Gate
from pipeline.refresh.gates.verdict import Verdict, overridden
from pipeline.refresh.newest import Newest
from pipeline.refresh.publication import Publication, Published
from pipeline.refresh.results import Compared, Judged, Made, Paged, Placed, Reasons, Spending
from pipeline.refresh.standing import PUBLICATION
from pipeline.refresh.steps import Sides
from pipeline.refresh.summary import Story, summary
from pipeline.source.tree import utc_text

if TYPE_CHECKING:
    from pipeline.refresh.job import Job


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """How a run ended. text: the summary."""

    refused: bool
    text: str


class Run:
    """One run that holds the lock."""

    def __init__(self, job: "Job", newest: Newest, key: str) -> None:
        self.job = job
        self.log = job.log
        self.newest = newest
        self.published: Published | None = publications.published(job.home)
        self.candidate = self._candidate(key)
        self.reasons = self._reasons()

    @cached_property
    def before(self) -> dataset.Dataset | None:
        """The dataset that the candidate follows."""
        name = self.candidate.begun.previous
        return dataset.read(self.job.home / name) if name else None

    def _reasons(self) -> Mapping[Gate, str]:
        """Overrides given now, or in an earlier run at this candidate."""
        earlier = self.candidate.done(Reasons)
        reasons = Reasons(by={**(earlier.by if earlier else {}), **self.job.overrides})
        if self.job.overrides:
            self.candidate.finish(reasons)
        return reasons.by

    def _candidate(self, key: str) -> Candidate:
        found = candidates.opened(self.job.home, key)
        if found and (self._is_published(key) or self._follows(found)):
            self.log.note("going on with a candidate", {"candidate": key})
            return found
        before = self.published.dataset.manifest if self.published else None
        with self.log.step("history") as step:
            published = before.revision if before else None
            relation = descent(published, self.newest.revision, self.job.followed, self.job.progress)
            step.counts["is"] = relation
        begun = Begun(
            clock=self.job.clock,
            since=_now(),
            previous=self.published.name if self.published else None,
            previousRevision=published,
            previousSha256=before.recordsSha256 if before else None,
            descent=relation,
        )
        return candidates.begin(self.job.home, key, begun)

    def _is_published(self, key: str) -> bool:
        return bool(self.published and self.published.publication and self.published.publication.key == key)

    def _follows(self, found: Candidate) -> bool:
        """Whether a candidate was begun after what is published now."""
        there = self.published
        now = (there.name, there.dataset.manifest.recordsSha256) if there else (None, None)
        return (found.begun.previous, found.begun.previousSha256) == now

    def go(self) -> Told:
        """All steps, but for those that are done."""
        placed = self.candidate.done(Placed)
        if placed is None:
            past = overridden(self._history(), self.reasons)
            if not past.lets_through:
                return self._refused((past,))
            try:
                made = self._make()
            except LedgerError as error:
                bad = Verdict(gate="ledger", passed=False, figure=error.what, bound="all accounted for")
                return self._refused((past, bad))
            sides = Sides(before=self.before, now=dataset.read(self.candidate.folder / made.folder))
            judged = self._judge(sides, past, made)
            if not all(verdict.lets_through for verdict in judged.verdicts):
                return self._refused(judged.verdicts, made)
            self._compare(sides)
            self._write_pages(sides)
            self._describe(sides, judged)
            placed = self._name()
        return self._publish(placed)

    def _history(self) -> Verdict:
        begun = self.candidate.begun
        return history(begun.descent, published=begun.previousRevision, revision=self.newest.revision)

    def _make(self) -> Made:
        spending = self.candidate.done(Spending)
        made = self.candidate.done(Made)
        if made and made.wanting and self.candidate.done(Judged) is not None:
            made = None  # it was refused, or would not be here: another run can bring more answers, at a new limit
            self.candidate.undo(Made)
            self.candidate.undo(Judged)
            spending = None
        if made:
            self.log.skip("dataset", "is done")
            return made
        if spending is None:
            spending = Spending(since=_now())
            self.candidate.finish(spending)
        made = steps.make(
            self.candidate,
            self.job.followed.at(self.newest.revision),
            self.job.plan,
            spending_since=spending.since,
            home=self.job.home,
            previous=self.before.path if self.before else None,
            tool_version=self.job.tool,
            log=self.log,
            progress=self.job.progress,
        )
        self.candidate.finish(made)
        return made

    def _judge(self, sides: Sides, past: Verdict, made: Made) -> Judged:
        judged = self.candidate.done(Judged)
        if judged and all(verdict.lets_through for verdict in judged.verdicts):
            self.log.skip("gates", "are passed")
            return judged
        with self.log.step("gates") as step:
            started = time.perf_counter()
            found = steps.judge(sides, past, made.unanswered, self.job.progress)
            verdicts = tuple(overridden(verdict, self.reasons) for verdict in found)
            step.counts |= {verdict.gate: "passed" if verdict.passed else verdict.figure for verdict in verdicts}
        judged = Judged(verdicts=verdicts, seconds=round(time.perf_counter() - started, 3))
        self.candidate.finish(judged)
        return judged

    def _compare(self, sides: Sides) -> None:
        if sides.before is None or self.candidate.done(Compared):
            self.log.skip("changes", "are written" if sides.before else "nothing to compare with")
            return
        with self.log.step("changes") as step:
            started = time.perf_counter()
            compared = steps.compare(sides, seconds=lambda: time.perf_counter() - started)
            step.counts |= {kind: number for kind, number in compared.counts.items() if number}
        self.candidate.finish(compared)

    def _write_pages(self, sides: Sides) -> None:
        if not self.job.options.pages or self.candidate.done(Paged):
            self.log.skip("pages", "are written" if self.job.options.pages else "are not wanted")
            return
        with self.log.step("pages") as step:
            started = time.perf_counter()
            files = steps.write_pages(sides.now, sides.before, self.job.options.baseUrl, self.job.progress)
            step.counts["files"] = files
        self.candidate.finish(Paged(files=files, seconds=round(time.perf_counter() - started, 3)))

    def _describe(self, sides: Sides, judged: Judged) -> None:
        begun = self.candidate.begun
        publication = Publication(
            key=self.candidate.key,
            repo=self.job.followed.repo,
            revision=self.newest.revision,
            publishedAt=begun.clock,
            tool=self.job.tool,
            options=self.job.options,
            previous=begun.previous,
            descent=begun.descent,
            gates=judged.verdicts,
        )
        data = publication.model_dump_json(indent=2).encode() + b"\n"
        staging.write_bytes(sides.now.path / PUBLICATION, data)

    def _name(self) -> Placed:
        """Settle where it goes, so that a run that goes on after the move knows it."""
        placed = Placed(name=publications.free_name(self.job.home, self.newest.revision, self.candidate.key))
        self.candidate.finish(placed)
        return placed

    def _publish(self, placed: Placed) -> Told:
        home = self.job.home
        made = self.candidate.done(Made)
        judged = self.candidate.done(Judged)
        assert made
        assert judged
        with self.log.step("place") as step:
            folder = self.candidate.folder / made.folder
            if folder.is_dir():
                if (home / placed.name).exists():  # put there by hand since the name was chosen
                    placed = self._name()
                folder.rename(home / placed.name)
            step.counts["folder"] = placed.name
        with self.log.step("publish") as step:
            publications.switch(home, placed.name)
            step.counts["latest"] = placed.name
        with self.log.step("prune") as step:
            pruned = publications.prune(home, self.job.keep)
            step.counts |= {"publications": len(pruned), "candidates": candidates.sweep(home, but=self.candidate.key)}
        with self.log.step("summary"):
            text = self._told(judged.verdicts, made, published=home / placed.name, pruned=pruned)
            candidates.end(self.candidate, placed.name)
        return Told(refused=False, text=text)

    def _refused(self, verdicts: tuple[Verdict, ...], made: Made | None = None) -> Told:
        with self.log.step("summary") as step:
            text = self._told(verdicts, made)
            step.counts["refused"] = ", ".join(verdict.gate for verdict in verdicts if not verdict.lets_through)
        return Told(refused=True, text=text)

    def _told(
        self,
        verdicts: tuple[Verdict, ...],
        made: Made | None,
        *,
        published: Path | None = None,
        pruned: tuple[str, ...] = (),
    ) -> str:
        """Write the summary, and return it."""
        needed = {verdict.gate for verdict in verdicts if not verdict.passed}
        compared, paged = self.candidate.done(Compared), self.candidate.done(Paged)
        changes = (published / steps.CHANGES).read_text(encoding="utf-8") if published and compared else ""
        text = summary(
            Story(
                repo=self.job.followed.repo,
                revision=self.newest.revision,
                said=self.newest.said,
                before=self.candidate.begun.previousRevision,
                verdicts=verdicts,
                made=made,
                compared=compared if published else None,
                paged=paged if published else None,
                published=str(published) if published else None,
                left_at=str(self.candidate.folder),
                pruned=pruned,
                unneeded=tuple(gate for gate in self.reasons if gate not in needed) if published else (),
                seconds=self._seconds(made, compared, paged),
                changes=changes,
            )
        )
        text = self.log.redact(text)
        self.candidate.write_summary(text)
        return text

    def _seconds(self, made: Made | None, compared: Compared | None, paged: Paged | None) -> Mapping[str, float]:
        """Seconds by step, of whichever run took it."""
        judged = self.candidate.done(Judged)
        found = {"dataset": sum(made.seconds.values()) if made else 0.0}
        found |= {"gates": judged.seconds} if judged else {}
        found |= {"changes": compared.seconds} if compared else {}
        found |= {"pages": paged.seconds} if paged else {}
        return {**{step: self.log.seconds.get(step, 0.0) for step in ("newest", "history")}, **found}


def _now() -> str:
    return utc_text(datetime.now(UTC))
