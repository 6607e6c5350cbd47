"""Every record explained: reviewed, carried over, written by a model, or derived."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pipeline.errors import WriterError
from pipeline.explain.batch import Batches
from pipeline.explain.budget import FREE, Budget, Cost, Price, price_of
from pipeline.explain.checks import Case, judge, to_checks
from pipeline.explain.checks.names import PublicNames
from pipeline.explain.client import NO_BUDGET, OFFLINE, Client, Unanswered
from pipeline.explain.conversation import Outcome, converse
from pipeline.explain.derived import derive
from pipeline.explain.endpoint import Endpoint, endpoint_from
from pipeline.explain.explanation import Explanation, with_explanation
from pipeline.explain.library import Library, library
from pipeline.explain.local import serving
from pipeline.explain.plan import Plan
from pipeline.explain.prompt import Prompt, Question
from pipeline.explain.reviewed import Assignment, assign
from pipeline.explain.store import Answer, Store, store_path
from pipeline.record import Check, ExplainedBy, Record
from pipeline.source.tree import SourceTree

if TYPE_CHECKING:
    from pipeline.evidence.pack import Evidence

CONCURRENCY: Final = 64
MOST_OUTPUT: Final = {"openai": 4_000, "local": 1_200}  # tokens of one answer
USUAL_OUTPUT: Final = 700  # tokens, before the store knows better
_RANKS: Final = {"derived": 0, "local": 1, "openai": 1, "reviewed": 2}

Progress = Callable[[str, int, int, str], None]


@dataclass(frozen=True, kw_only=True)
class Written:
    """The records, explained, in their order. model, prompt_hash: None without a model.

    by: how many by which writer; carried: how many of them came from the previous dataset. calls: how many were sent.
    left: why records have no answer of the model, and how many. unmatched: reviewed files that explain no record.
    """

    records: tuple[Record, ...]
    model: str | None = None
    prompt_hash: str | None = None
    cost: Cost = field(default_factory=Cost)
    calls: int = 0
    by: Mapping[str, int]
    carried: int
    left: Mapping[str, int] = field(default_factory=dict)
    wanting: bool = False
    unmatched: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Job:
    """Records with their evidence, and those of the previous dataset."""

    records: tuple[Record, ...]
    evidence: tuple["Evidence", ...]
    tree: SourceTree
    previous: Mapping[str, Record]
    library: Library
    plan: Plan

    @cached_property
    def assignment(self) -> Assignment:
        """Which record has a reviewed explanation."""
        return assign(self.library.reviewed, self.records)

    def settled(self) -> dict[int, Record]:
        """What needs no writer: reviewed explanations, and those whose evidence did not change."""
        done: dict[int, Record] = {}
        for index, record in enumerate(self.records):
            if entry := self.assignment.by_id.get(record.id):
                done[index] = self._reviewed(record, entry.explanation, self.evidence[index])
            elif (old := self._carried(record, self.evidence[index])) is not None:
                done[index] = old
        return done

    def _reviewed(self, record: Record, explanation: Explanation, evidence: "Evidence") -> Record:
        by = ExplainedBy(writer="reviewed", evidenceHash=evidence.hash)
        new = with_explanation(record, explanation, by)
        old = self.previous.get(record.id)
        same = old is not None and old.explainedBy == by and with_explanation(new, _of(old), by) == new
        return new.model_copy(update={"analyzedAt": old.analyzedAt}) if same and old else new

    def _carried(self, record: Record, evidence: "Evidence") -> Record | None:
        old = self.previous.get(record.id)
        if old is None or old.explainedBy is None or self.plan.rewrite:
            return None
        rank = _RANKS[old.explainedBy.writer]
        if (
            old.explainedBy.evidenceHash != evidence.hash
            or rank == _RANKS["reviewed"]
            or rank < _RANKS[self.plan.writer]
        ):
            return None
        return with_explanation(record, _of(old), old.explainedBy).model_copy(update={"analyzedAt": old.analyzedAt})

    def derived(self, index: int) -> Explanation:
        return derive(self.records[index], self.evidence[index], self.library.vocabulary)


def _of(record: Record) -> Explanation:
    from pipeline.explain.explanation import explanation_of

    return explanation_of(record)


def explain(record: Record, evidence: "Evidence", outcome: Outcome | None = None) -> Explanation:
    """The explanation of one record: what a model brought, else what its evidence says."""
    if outcome is not None and outcome.explanation is not None:
        return outcome.explanation
    return derive(record, evidence, library().vocabulary)


def write(
    records: Sequence[Record],
    evidence: Sequence["Evidence"],
    tree: SourceTree,
    *,
    plan: Plan,
    previous: Mapping[str, Record] | None = None,
    progress: Progress | None = None,
) -> Written:
    """All records explained. previous: records of the dataset before, by id.

    WriterError: the model cannot be asked. What it answered until then is in the store.
    """
    job = _job(records, evidence, tree, plan, previous)
    done = job.settled()
    carried = sum(r.explainedBy is not None and r.explainedBy.writer != "reviewed" for r in done.values())
    open_ = [index for index in range(len(job.records)) if index not in done]
    if plan.asks and open_:
        return _asked(job, done, open_, carried, progress)
    for number, index in enumerate(open_, 1):
        done[index] = _derived_record(job, index, ())
        if progress and number % 50 == 0:
            progress("explain", number, len(open_), "")
    return _written(job, done, carried)


def _job(
    records: Sequence[Record],
    evidence: Sequence["Evidence"],
    tree: SourceTree,
    plan: Plan,
    previous: Mapping[str, Record] | None,
) -> Job:
    return Job(
        records=tuple(records),
        evidence=tuple(evidence),
        tree=tree,
        previous=previous or {},
        library=library(),
        plan=plan,
    )


def _written(job: Job, done: Mapping[int, Record], carried: int, **more: Any) -> Written:
    ordered = tuple(done[index] for index in range(len(job.records)))
    by = Counter(record.explainedBy.writer for record in ordered if record.explainedBy)
    return Written(
        records=ordered, by=dict(sorted(by.items())), carried=carried, unmatched=job.assignment.unmatched, **more
    )


def _derived_record(job: Job, index: int, checks: tuple[Any, ...]) -> Record:
    by = ExplainedBy(writer="derived", evidenceHash=job.evidence[index].hash, checks=checks)
    return with_explanation(job.records[index], job.derived(index), by)


# With a model


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What the records of a job have in common when a model is asked about them."""

    job: Job
    prompt: Prompt
    names: PublicNames
    model: str
    parameters: Mapping[str, Any]
    most_output: int

    def question(self, index: int) -> Question:
        return self.prompt.question(
            self.job.evidence[index], model=self.model, parameters=self.parameters, most_output=self.most_output
        )

    def case(self, index: int) -> Case:
        return Case(
            evidence=self.job.evidence[index],
            vocabulary=self.job.library.vocabulary,
            names=self.names,
            own_words=self.prompt.own_words,
        )

    def record(self, index: int, outcome: Outcome) -> Record:
        """The record with what the model brought; derived where that is nothing."""
        if outcome.explanation is None:
            return _derived_record(self.job, index, outcome.checks)
        by = ExplainedBy(
            writer=self.job.plan.writer,
            model=self.model,
            promptHash=self.prompt.hash,
            evidenceHash=self.job.evidence[index].hash,
            checks=outcome.checks,
        )
        return with_explanation(self.job.records[index], outcome.explanation, by)


def _asking(job: Job) -> Asking:
    local = job.plan.writer == "local"
    assert job.plan.model is not None
    return Asking(
        job=job,
        prompt=job.library.prompt(examples=not local),
        names=PublicNames({f.path: f.data for f in job.tree.files}),
        model=Path(job.plan.model).name if local else job.plan.model,
        parameters={"temperature": 0} if local else {},
        most_output=MOST_OUTPUT[job.plan.writer],
    )


def _asked(job: Job, done: dict[int, Record], open_: list[int], carried: int, progress: Progress | None) -> Written:
    plan, asking = job.plan, _asking(job)
    with ExitStack() as stack:
        store = stack.enter_context(closing(Store(store_path())))
        endpoint, price = _endpoint(plan, stack)
        budget = Budget(price, max_usd=plan.max_usd, max_tokens=plan.max_tokens)
        most = 1 if plan.writer == "local" else CONCURRENCY
        client = Client(endpoint, store, budget, most=most, offline=plan.offline or plan.batch)
        run = _Run(asking=asking, client=client, store=store, budget=budget, most=most, progress=progress)
        outcomes = _finish(run.batches(open_, endpoint.name) if plan.batch and not plan.offline else run.calls(open_))
    for index, outcome in outcomes.items():
        done[index] = asking.record(index, outcome)
    left = [outcome.unanswered for outcome in outcomes.values() if outcome.unanswered]
    return _written(
        job,
        done,
        carried,
        model=asking.model,
        prompt_hash=asking.prompt.hash,
        cost=budget.spent,
        calls=client.calls,
        left=dict(Counter(unanswered.reason for unanswered in left)),
        wanting=any(unanswered.wanting for unanswered in left),
    )


def _endpoint(plan: Plan, stack: ExitStack) -> tuple[Endpoint, Price]:
    nowhere = Endpoint(base_url=None, key=None)
    if plan.writer == "local":
        assert plan.model is not None
        if plan.offline:
            return nowhere, FREE
        url = stack.enter_context(serving(Path(plan.model)))
        return Endpoint(base_url=url, key=None, timeout=3600.0), FREE
    assert plan.model is not None
    return endpoint_from() or nowhere, price_of(plan.model, batch=plan.batch)


def _finish(work: Any) -> dict[int, Outcome]:
    """Runs it; of several errors that ended it the first is told."""
    try:
        return asyncio.run(work)
    except BaseExceptionGroup as group:
        raise _first(group) from None


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@dataclass(kw_only=True)
class _Run:
    """The asynchronous part of a run."""

    asking: Asking
    client: Client
    store: Store
    budget: Budget
    most: int
    progress: Progress | None

    async def calls(self, indexes: Sequence[int]) -> dict[int, Outcome]:
        """One conversation for each record, `most` at a time."""
        async with self.client.connected():
            return await self._converse_all(indexes, self.client.ask)

    async def batches(self, indexes: Sequence[int], endpoint: str) -> dict[int, Outcome]:
        """Conversations of which each step is a batch: what the store cannot answer is asked together."""
        batches = Batches(self.client, self.store, self.budget, endpoint, lambda n, of: self._told(n, of, "batch"))
        async with self.client.connected():
            asked: frozenset[str] = frozenset()
            while True:
                wanted: dict[str, Question] = {}
                outcomes = await self._converse_all(indexes, self._noting(wanted))
                if wanted.keys() <= asked:
                    return outcomes
                asked = frozenset(wanted)
                await batches.answer(list(wanted.values()))

    def _noting(self, wanted: dict[str, Question]) -> Callable[[Question], Any]:
        async def ask(question: Question) -> Answer | Unanswered:
            answer = await self.client.ask(question)
            if answer is OFFLINE:
                wanted[question.key] = question
                return NO_BUDGET if self.budget.exhausted else OFFLINE
            return answer

        return ask

    async def _converse_all(self, indexes: Sequence[int], ask: Callable[[Question], Any]) -> dict[int, Outcome]:
        outcomes: dict[int, Outcome] = {}
        waiting = iter(indexes)

        async def work(indexes: Iterator[int]) -> None:
            for index in indexes:
                try:
                    outcomes[index] = await self._one(index, ask)
                except WriterError:
                    if self.client.stopped:
                        return  # the others finish what they have sent
                    raise
                self._told(len(outcomes), total, "")

        total = len(indexes)
        async with asyncio.TaskGroup() as group:
            for _ in range(min(self.most, total)):
                group.create_task(work(waiting))
        if self.client.stopped:
            raise self.client.stopped
        return outcomes

    async def _one(self, index: int, ask: Callable[[Question], Any]) -> Outcome:
        question = await asyncio.to_thread(self.asking.question, index)
        return await converse(question, self.asking.case(index), lambda: self.asking.job.derived(index), ask)

    def _told(self, done: int, total: int, what: str) -> None:
        if self.progress:
            self.progress(what or "explain", done, total, f"${self.budget.spent.usd:.2f}")


# Before it is run


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """What a run would take. calls: that the store cannot answer. Complaints about answers come on top."""

    records: int
    settled: int
    stored: int
    calls: int
    input: int
    output: int
    usd: float
    model: str
    price: Price
    known_answers: int


def estimate(
    records: Sequence[Record],
    evidence: Sequence["Evidence"],
    tree: SourceTree,
    *,
    plan: Plan,
    previous: Mapping[str, Record] | None = None,
) -> Estimate:
    """Calls, tokens and cost of a run, by the length of its questions and what earlier answers took."""
    job = _job(records, evidence, tree, plan, previous)
    done = job.settled()
    asking = _asking(job)
    with closing(Store(store_path())) as store:
        questions = {q.key: q.guessed for i in range(len(job.records)) if i not in done for q in [asking.question(i)]}
        stored = store.has(questions)
        usage = store.usage(asking.model)
    guessed = sum(tokens for key, tokens in questions.items() if key not in stored)
    calls = len(questions) - len(stored)
    input_ = round(guessed * (usage.input / usage.guessed if usage.guessed and usage.input else 1.0))
    output = round(calls * (usage.output / usage.answers if usage.answers else USUAL_OUTPUT))
    price = FREE if plan.writer == "local" else price_of(asking.model, batch=plan.batch)
    return Estimate(
        records=len(job.records),
        settled=len(done),
        stored=len(stored),
        calls=calls,
        input=input_,
        output=output,
        usd=price.of(input=input_, cached=0, output=output),
        model=asking.model,
        price=price,
        known_answers=usage.answers,
    )


def check_reviewed(
    records: Sequence[Record], evidence: Sequence["Evidence"], tree: SourceTree
) -> tuple[dict[str, tuple[Check, ...]], tuple[str, ...]]:
    """The checks of every reviewed explanation by its file's name, and the names of those that explain no record."""
    kept = library()
    names = PublicNames({f.path: f.data for f in tree.files})
    assignment = assign(kept.reviewed, records)
    out: dict[str, tuple[Check, ...]] = {}
    for record, found in zip(records, evidence, strict=True):
        entry = assignment.by_id.get(record.id)
        if entry is not None and entry.name not in out:
            case = Case(evidence=found, vocabulary=kept.vocabulary, names=names, proven=True)
            out[entry.name] = to_checks(judge(entry.explanation, case))
    return out, assignment.unmatched
