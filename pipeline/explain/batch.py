"""The Batch API: many questions in a file, answered within a day at a lower price.

Which batches are under way is kept in the store, so that another process can go on; a batch that was made by a run
that died before it could note it is found by its label.
"""

import asyncio
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from pipeline.errors import WriterError
from pipeline.explain.budget import Budget, Cost, Spent
from pipeline.explain.client import Client, now, read_answer
from pipeline.explain.prompt import Question
from pipeline.explain.store import Asked, Store

if TYPE_CHECKING:
    from openai.types import Batch

ENDPOINT: Final = "/v1/chat/completions"
LABEL: Final = "errcat"
MOST_REQUESTS: Final = 10_000
MOST_BYTES: Final = 90_000_000
ROUNDS: Final = 3  # for items that failed or expired
_PAUSES: Final = (0.5, 1, 2, 4, 8, 15, 30, 60)  # seconds between looks
_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
_WORST: Final = Cost()

Told = Callable[[int, int], None]


class Batches:
    """Questions that are answered by batches. told(done, total): of the batches under way."""

    def __init__(self, client: Client, store: Store, budget: Budget, endpoint: str, told: Told) -> None:
        self._client = client
        self._store = store
        self._budget = budget
        self._endpoint = endpoint
        self._told = told
        self._why: dict[str, str] = {}
        self._reserved: list[Cost] = []

    async def answer(self, questions: Sequence[Question]) -> None:
        """Bring the answers to these questions into the store, as far as budget and endpoint allow.

        What batches of earlier runs brought is taken first. WriterError: the endpoint takes no batch, or answers none.
        """
        import openai

        try:
            await self._collect_all()
            attempts: Counter[str] = Counter()
            while wanted := await self._wanted([q for q in questions if attempts[q.key] < ROUNDS]):
                answered = self._client.answered
                if not (sent := await self._submit_affordable(wanted)):
                    return
                attempts.update(question.key for question in sent)
                await self._collect_all()
                for reserved in self._reserved:
                    await self._budget.release(reserved)
                self._reserved.clear()
                if self._client.answered == answered:
                    self._stop_if_all_failed(sent)
        except openai.APIError as error:
            hint = "What was answered is kept; run it again"
            raise WriterError(f"{self._endpoint}: batch: {self._client.clean(str(error))}", hint=hint) from None

    async def _wanted(self, questions: Sequence[Question]) -> list[Question]:
        known = await asyncio.to_thread(self._store.has, [question.key for question in questions])
        return list({q.key: q for q in questions if q.key not in known}.values())

    async def _submit_affordable(self, wanted: Sequence[Question]) -> list[Question]:
        """Send as many as the budget has room for at their dearest; what they do not use makes room for the next."""
        sent: list[Question] = []
        for question in wanted:
            try:
                reserved = await self._budget.reserve(
                    question.text, len(question.messages), question.most_output, patient=False
                )
            except Spent:
                break
            self._reserved.append(reserved)
            sent.append(question)
        for part in _parts(sent):
            await self._submit(part)
        return sent

    def _stop_if_all_failed(self, wanted: Sequence[Question]) -> None:
        reasons = [why for question in wanted if (why := self._why.get(question.key))]
        if reasons:
            raise WriterError(f"{self._endpoint}: batch: {reasons[0]}", hint="What was answered is kept")

    async def _submit(self, questions: Sequence[Question]) -> None:
        lines = "".join(_line(question) for question in questions)
        label = hashlib.sha256(lines.encode()).hexdigest()[:32]
        asked = [Asked(key=q.key, model=q.model, request=q.text, guessed=q.guessed) for q in questions]
        batch = await self._orphan(label) or await self._create(lines, label)
        await asyncio.to_thread(self._store.add_batch, batch, self._endpoint, now(), asked)

    async def _create(self, lines: str, label: str) -> str:
        api = self._client.api()
        file = await api.files.create(file=("requests.jsonl", io.BytesIO(lines.encode())), purpose="batch")
        created = await api.batches.create(
            input_file_id=file.id, endpoint=ENDPOINT, completion_window="24h", metadata={LABEL: label}
        )
        self._client.calls += 1
        return created.id

    async def _orphan(self, label: str) -> str | None:
        """A batch of exactly these questions that a run made and could not note."""
        import openai

        try:
            page = await self._client.api().batches.list(limit=100)
        except openai.APIError:  # not every endpoint can list them
            return None
        known = set(await asyncio.to_thread(self._store.batches, self._endpoint))
        for batch in page.data:
            alive = batch.status not in {"failed", "expired", "cancelled", "cancelling"}
            if alive and batch.id not in known and (batch.metadata or {}).get(LABEL) == label:
                return batch.id
        return None

    async def _collect_all(self) -> None:
        for batch in await asyncio.to_thread(self._store.batches, self._endpoint):
            await self._collect(batch)

    async def _collect(self, identity: str) -> None:
        import openai

        asked = {one.key: one for one in await asyncio.to_thread(self._store.batched, identity)}
        try:
            batch = await self._ended(identity)
        except openai.NotFoundError:
            await asyncio.to_thread(self._store.drop_batch, identity)
            return
        if batch.status == "failed":
            why = "; ".join(str(error.message) for error in (batch.errors.data if batch.errors else None) or ())
            self._why.update(dict.fromkeys(asked, self._client.clean(f"the batch failed: {why or 'no reason given'}")))
        for file in filter(None, (batch.output_file_id, batch.error_file_id)):
            content = await self._client.api().files.content(file)
            for line in content.text.splitlines():
                await self._item(line, asked)
        await asyncio.to_thread(self._store.drop_batch, identity)

    async def _ended(self, identity: str) -> "Batch":
        looks = iter(_PAUSES)
        pause = 0.0
        while True:
            batch = await self._client.api().batches.retrieve(identity)
            if batch.request_counts:
                self._told(batch.request_counts.completed, batch.request_counts.total)
            if batch.status in _ENDED:
                return batch
            pause = next(looks, pause)
            await asyncio.sleep(pause)

    async def _item(self, line: str, asked: dict[str, Asked]) -> None:
        """One line of an output or error file: an answer, or why there is none."""
        try:
            item: dict[str, Any] = json.loads(line)
            key = f"sha256:{item['custom_id']}"
            response = item.get("response") or {}
            body, status = response.get("body"), response.get("status_code")
            failure = item.get("error") or (body.get("error") if isinstance(body, dict) else None)
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        question = asked.get(key)
        if question is None:
            return
        if status != 200 or failure:
            said = failure.get("message") or failure.get("code") if isinstance(failure, dict) else failure
            self._why[key] = self._client.clean(f"{status or 'no answer'}: {said or 'no reason given'}")
            return
        answer = read_answer(question, json.dumps(body), asked_at=now(), worst=_WORST, price=self._budget.price)
        if answer is not None:
            await asyncio.to_thread(self._store.put, answer)
            self._budget.spent += Cost(input=answer.input, output=answer.output, usd=answer.usd)
            self._client.answered += 1


def _line(question: Question) -> str:
    request = {
        "custom_id": question.key.removeprefix("sha256:"),
        "method": "POST",
        "url": ENDPOINT,
        "body": question.body,
    }
    return json.dumps(request, ensure_ascii=False, sort_keys=True) + "\n"


def _parts(questions: Sequence[Question]) -> Iterator[list[Question]]:
    """The questions in as few files as their limits allow."""
    part: list[Question] = []
    size = 0
    for question in questions:
        more = len(_line(question).encode())
        if part and (len(part) == MOST_REQUESTS or size + more > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(question)
        size += more
    if part:
        yield part
