"""The client of an OpenAI-compatible endpoint: it asks the store first, keeps to budget and pace, and tries again."""

import asyncio
import itertools
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pipeline.errors import WriterError
from pipeline.explain.budget import Budget, Cost, Price, Spent
from pipeline.explain.endpoint import Endpoint
from pipeline.explain.pace import Pace, retry_after
from pipeline.explain.prompt import Question
from pipeline.explain.store import Answer, Asked, Store

if TYPE_CHECKING:
    import ssl

    import openai
    from tenacity import RetryCallState

ATTEMPTS: Final = 8
PER_POOL: Final = 4  # connections
PATIENCE: Final = 900.0  # seconds, from the first attempt to the beginning of the last
FIRST_WAIT: Final = 0.5  # seconds; doubles, up to LONGEST, with jitter
LONGEST: Final = 20.0
_AGAIN: Final = frozenset({408, 409, 429})
_QUOTA: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_ABOUT_THE_TEXT: Final = frozenset({"context_length_exceeded", "content_filter", "content_policy_violation"})
_SECRET: Final = re.compile(r"\b(?:sk|key|pk)-[\w*.-]{4,}|(?i:bearer)\s+\S+")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Unanswered:
    """Why a question has no answer. wanting: it was not asked, and may be in another run."""

    reason: str
    wanting: bool = False


OFFLINE: Final = Unanswered(reason="not in the store of answers", wanting=True)
NO_BUDGET: Final = Unanswered(reason="the budget was used up", wanting=True)


class _Again(Exception):  # noqa: N818  # a step of the protocol
    """The call may be repeated. wait: seconds that the endpoint asked for."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.wait = wait


class _NotThisText(Exception):  # noqa: N818  # a step of the protocol
    """The endpoint refuses this one text: too long, or filtered."""


class Client:
    """Asks questions. calls: how many were sent; answered: how many of them brought an answer.

    stopped: why nothing more is sent; calls that are under way then still bring their answers into the store.
    """

    def __init__(self, endpoint: Endpoint, store: Store, budget: Budget, *, most: int, offline: bool = False) -> None:
        self.calls = 0
        self.answered = 0
        self.stopped: WriterError | None = None
        self._endpoint = endpoint
        self._store = store
        self._budget = budget
        self._pace = Pace(most)
        self._most = most
        self._offline = offline
        self._apis: list[openai.AsyncOpenAI] = []
        self._turns: Iterator[openai.AsyncOpenAI] = iter(())
        self._asked: dict[str, asyncio.Future[Answer | Unanswered]] = {}

    @asynccontextmanager
    async def connected(self) -> AsyncIterator["Client"]:
        """With connections that are closed in the end."""
        try:
            yield self
        finally:
            for api in self._apis:
                await api.close()

    async def ask(self, question: Question) -> Answer | Unanswered:
        """The answer in the store, else the endpoint's, which is stored before anything else is done with it.

        The same question asked twice at a time is sent once. WriterError: the endpoint refuses all questions.
        """
        if question.key in self._asked:
            return await self._same(self._asked[question.key])
        future = self._asked[question.key] = asyncio.get_running_loop().create_future()
        try:
            result = await self._ask(question)
        except BaseException as error:
            future.cancel()
            if isinstance(error, WriterError):
                self.stopped = self.stopped or error
            raise
        else:
            future.set_result(result)
            return result
        finally:
            del self._asked[question.key]

    async def _same(self, asked: "asyncio.Future[Answer | Unanswered]") -> Answer | Unanswered:
        """What another caller gets, who asked the same a moment ago."""
        await asyncio.wait([asked])
        if asked.cancelled():
            raise self.stopped or asyncio.CancelledError
        return asked.result()

    async def _ask(self, question: Question) -> Answer | Unanswered:
        known = await asyncio.to_thread(self._store.get, question.key)
        if known is not None:
            return known
        if self._offline:
            return OFFLINE
        if self._budget.exhausted:
            return NO_BUDGET
        try:
            return await self._send(question)
        except Spent:
            return NO_BUDGET
        except _NotThisText as refused:
            return Unanswered(reason=str(refused))
        except _Again as last:
            return Unanswered(reason=f"no answer after {ATTEMPTS} attempts: {last.why}", wanting=True)

    async def _send(self, question: Question) -> Answer:
        from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, stop_after_delay

        answers = self.answered
        attempts = AsyncRetrying(
            retry=retry_if_exception_type(_Again),
            stop=stop_after_attempt(ATTEMPTS) | stop_after_delay(PATIENCE),
            wait=_pause,
            reraise=True,
        )
        try:
            return await attempts(self._once, question)
        except _Again as last:
            if self.answered == answers:  # nobody else had an answer in all that time
                hint = "Run it again later: what was answered is kept"
                raise WriterError(f"{self._endpoint.name} does not answer: {last.why}", hint=hint) from None
            raise

    async def _once(self, question: Question) -> Answer:
        async with self._pace.turn():
            if self.stopped:
                raise self.stopped
            reserved = await self._budget.reserve(question.text, len(question.messages), question.most_output)
            asked_at = now()
            try:
                reply, headers = await self._post(question)
                answer = self._read(question, reply, asked_at, reserved)
            except (_NotThisText, WriterError):
                await self._budget.release(reserved)
                raise
            except _Again as error:
                await (self._budget.release if error.wait is not None else self._budget.lose)(reserved)
                raise
            except BaseException:  # interrupted: nobody knows whether it will be charged for
                await asyncio.shield(self._budget.lose(reserved))
                raise
            await asyncio.to_thread(self._store.put, answer)
            self.answered += 1
            self._pace.answered(headers)
            await self._budget.settle(reserved, Cost(input=answer.input, output=answer.output, usd=answer.usd))
            return answer

    async def _post(self, question: Question) -> tuple[str, Mapping[str, str]]:
        import httpx2
        import openai

        self.calls += 1
        try:
            # The typed method would walk through the schema of every request, which takes longer than all the rest.
            response = await self.api().post("/chat/completions", body=question.body, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except (openai.APITimeoutError, openai.APIConnectionError) as error:
            raise _Again("it timed out" if isinstance(error, openai.APITimeoutError) else "no connection") from None
        except openai.OpenAIError as error:
            raise WriterError(self.clean(str(error))) from None
        return response.text, response.headers

    def api(self) -> "openai.AsyncOpenAI":
        """The vendor's client, made when it is first needed; several of them in turn, with few connections each.

        For every request a pool walks through all of its idle connections, which for many takes longer than the call.
        Their own retries are off: they would pass the budget.
        """
        if not self._apis:
            self._apis = [self._new_api() for _ in range(-(-self._most // PER_POOL))]
            self._turns = itertools.cycle(self._apis)
        return next(self._turns)

    def _new_api(self) -> "openai.AsyncOpenAI":
        import httpx2
        import openai

        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=PER_POOL)
        return openai.AsyncOpenAI(
            api_key=self._endpoint.key or "none",
            base_url=self._endpoint.base_url,
            max_retries=0,
            timeout=self._endpoint.timeout,
            http_client=openai.DefaultAsyncHttpxClient(limits=limits, verify=_certificates()),
        )

    def _refusal(self, error: "openai.APIStatusError") -> Exception:
        """What an HTTP status means: try again, leave this text, or stop."""
        status, headers = error.status_code, error.response.headers
        said = self.clean(f"{status}: {_message(error)}")
        if {error.code, error.type} & _QUOTA:
            return WriterError(f"{self._endpoint.name}: {said}", hint="Add credit; what was answered is kept")
        if error.code in _ABOUT_THE_TEXT:
            return _NotThisText(f"the endpoint refused this text ({error.code})")
        if status == 429:
            self._pace.turned_away(headers)
        if status in _AGAIN or status >= 500:
            return _Again(said, retry_after(headers) or 0.0)
        hint = "Check OPENAI_API_KEY" if status in {401, 403} else "Check --model and OPENAI_BASE_URL"
        return WriterError(f"{self._endpoint.name} refuses: {said}", hint=f"{hint}; what was answered is kept")

    def clean(self, text: str) -> str:
        """A text of the endpoint on one line, without anything that could be a key."""
        if self._endpoint.key:
            text = text.replace(self._endpoint.key, "(key)")
        return _SECRET.sub("(key)", _CONTROL.sub(" ", text))[:300]

    def _read(self, question: Question, reply: str, asked_at: str, reserved: Cost) -> Answer:
        asked = Asked(key=question.key, model=question.model, request=question.text, guessed=question.guessed)
        answer = read_answer(asked, reply, asked_at=asked_at, worst=reserved, price=self._budget.price)
        if answer is None:
            raise _Again("its reply is no chat completion")
        return answer


def read_answer(asked: Asked, reply: str, *, asked_at: str, worst: Cost, price: Price) -> Answer | None:
    """The answer in the text of a chat completion; None where it is none.

    worst: what it counts as where it does not tell its tokens.
    """
    try:
        value = json.loads(reply)
        choice = value["choices"][0] if value["choices"] else {"message": {}, "finish_reason": None}
        said = choice["message"]
        usage = value.get("usage") or {}
        spent = usage.get("prompt_tokens", worst.input), usage.get("completion_tokens", worst.output)
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        text, refusal = said.get("content"), said.get("refusal")
        cost = price.of(input=int(spent[0]), cached=int(cached), output=int(spent[1]))
        return Answer(
            key=asked.key,
            model=asked.model,
            request=asked.request,
            reply=reply,
            text=_text(text),
            refusal=_text(refusal),
            finish=_text(choice.get("finish_reason")),
            input=int(spent[0]),
            cached=int(cached),
            output=int(spent[1]),
            usd=cost,
            fingerprint=_text(value.get("system_fingerprint")),
            guessed=asked.guessed,
            asked_at=asked_at,
            answered_at=now(),
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None


@cache
def _certificates() -> "ssl.SSLContext":
    """Trusted certificates, read once: that takes longer than all the rest of a client."""
    import httpx2

    return httpx2.create_ssl_context()


def _text(value: Any) -> str | None:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def _message(error: "openai.APIStatusError") -> str:
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None
    return str(said or error.message)


def _pause(state: "RetryCallState") -> float:
    """Seconds before the next attempt: what the endpoint asked for, or ever longer, with jitter."""
    from tenacity import wait_random_exponential

    error = state.outcome.exception() if state.outcome else None
    asked = error.wait if isinstance(error, _Again) else None
    jitter = wait_random_exponential(multiplier=FIRST_WAIT, max=LONGEST)(state)
    return max(asked or 0.0, jitter) if not asked else asked + jitter / 4


def now() -> str:
    """The time, as records have it."""
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
