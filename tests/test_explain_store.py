"""The store of answers, the budget, the pace, and what a request costs."""

import asyncio
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.errors import StoreError, WriterError
from pipeline.explain.budget import FREE, Budget, Cost, Price, Spent, price_of
from pipeline.explain.endpoint import Endpoint, endpoint_from
from pipeline.explain.pace import Pace, retry_after
from pipeline.explain.prompt import Message, Question, clipped, fenced
from pipeline.explain.store import Answer, Asked, Store, Usage, store_path

ANSWER = Answer(
    key="sha256:0",
    model="m",
    request="{}",
    reply='{"ä": 1}',
    text="t",
    refusal=None,
    finish="stop",
    input=10,
    cached=4,
    output=5,
    usd=0.5,
    fingerprint="fp",
    guessed=12,
    asked_at="2026-01-01T00:00:00.000Z",
    answered_at="2026-01-01T00:00:01.000Z",
)
QUESTION = Question(
    model="m",
    messages=(Message(role="system", content="s"), Message(role="user", content="u")),
    schema={"type": "object"},
    parameters={"temperature": 0},
    evidence="e",
    most_output=100,
)


def test_answers_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "answers.sqlite3"
    with closing(Store(path)) as store:
        assert store.get("sha256:0") is None
        store.put(ANSWER)
        store.put(replace(ANSWER, text="a second one does not count"))
        store.put(replace(ANSWER, key="sha256:1", model="other"))
    with closing(Store(path)) as store:
        assert store.get("sha256:0") == ANSWER
        assert store.has(["sha256:0", "sha256:2"]) == {"sha256:0"}
        assert store.usage("m") == Usage(answers=1, input=10, guessed=12, output=5)
        assert store.usage("nobody") == Usage()


def test_batches_are_kept(tmp_path: Path) -> None:
    asked = Asked(key="sha256:0", model="m", request='{"a": 1}', guessed=3)
    with closing(Store(tmp_path / "s")) as store:
        store.add_batch("b1", "here", "2026", [asked])
        store.add_batch("b0", "there", "2026", [])
    with closing(Store(tmp_path / "s")) as store:
        assert (store.batches("here"), store.batches("there")) == (("b1",), ("b0",))
        assert store.batched("b1") == (asked,)
        store.drop_batch("b1")
        assert (store.batches("here"), store.batched("b1")) == ((), ())


def test_processes_share_the_store(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); from test_explain_store import *\n"
        "store = Store(Path(sys.argv[1]))\n"
        "for n in range(40): store.put(replace(ANSWER, key=f'{sys.argv[3]}-{n}'))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "s"), str(Path(__file__).parent)]
    processes = [subprocess.Popen([*command, str(number)]) for number in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    with closing(Store(tmp_path / "s")) as store:
        assert store.usage("m").answers == 160


@pytest.mark.parametrize(("answer", "fault"), [
    (ANSWER, None),
    (replace(ANSWER, finish="length"), "truncated"),
    (replace(ANSWER, refusal="no", text=None), "refused"),
    (replace(ANSWER, finish="content_filter"), "refused"),
    (replace(ANSWER, text=" "), "empty"),
    (replace(ANSWER, text=None), "empty"),
])  # fmt: skip
def test_answers_of_no_use(answer: Answer, fault: str | None) -> None:
    assert answer.fault == fault


def test_a_store_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("no database, but long enough to be looked at as if it were one" * 20)
    with pytest.raises(StoreError, match=r"cannot use the store of answers .*: file is not a database\. Move it away"):
        Store(tmp_path / "s")
    with closing(sqlite3.connect(tmp_path / "newer")) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match=r"was written by a newer errcat\. Update errcat"):
        Store(tmp_path / "newer")


def test_where_the_store_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ERRCAT_CACHE_DIR", str(tmp_path))
    assert store_path() == tmp_path / "answers.sqlite3"
    monkeypatch.delenv("ERRCAT_CACHE_DIR")
    assert store_path().name == "answers.sqlite3"


def test_a_key_is_of_all_that_matters() -> None:
    others = [
        replace(QUESTION, model="n"),
        replace(QUESTION, messages=QUESTION.messages[:1]),
        replace(QUESTION, schema={}),
        replace(QUESTION, parameters={}),
        replace(QUESTION, evidence="f"),
        replace(QUESTION, most_output=101),
        QUESTION.again("answer", "complaint"),
    ]
    assert len({question.key for question in (QUESTION, *others)}) == len(others) + 1
    assert replace(QUESTION).key == QUESTION.key


def test_fences_hold(tmp_path: Path) -> None:
    assert fenced("a") == "```text\na\n```"
    assert fenced("```\n`````") == "``````text\n```\n`````\n``````"
    assert clipped("short", 10) == "short"
    long = "".join(f"line {n}\n" for n in range(100))
    cut = clipped(long, 90)
    assert cut.startswith("line 0\n")
    assert cut.endswith("line 99\n")
    assert "characters left out]" in cut


def test_prices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mini = price_of("gpt-4.1-mini")
    assert mini.known
    assert mini == price_of("gpt-4.1-mini-2025-04-14")
    assert mini.of(input=1_000_000, cached=500_000, output=1_000_000) == pytest.approx(0.2 + 0.05 + 1.6)
    assert price_of("gpt-4.1-mini", batch=True).output == pytest.approx(0.8)
    unknown = price_of("a-model-of-mine")
    assert not unknown.known
    assert unknown.output >= price_of("gpt-5.5").output
    table = tmp_path / "prices.toml"
    table.write_text('date = "2027-01-01"\n[models]\nmine = { input = 1, output = 2 }\n')
    monkeypatch.setenv("ERRCAT_PRICES", str(table))
    assert price_of("mine") == Price(input=1.0, cached=1.0, output=2.0, date="2027-01-01")
    for text in ("", "date = 1\n[models]\nm = 3", 'date = "d"\n[models]\nm = { input = -1, output = 1 }'):
        table.write_text(text)
        with pytest.raises(WriterError, match=r"ERRCAT_PRICES=.* is no price table: .*\. See prompts/prices\.toml"):
            price_of("mine")


def test_a_budget_waits_for_what_comes_back() -> None:
    price = Price(input=0.0, cached=0.0, output=1_000_000.0, date="")  # a dollar a token

    async def spend() -> tuple[Cost, list[bool]]:
        budget = Budget(price, max_usd=10.0)
        first = await budget.reserve("", 0, 6)
        second = asyncio.create_task(budget.reserve("", 0, 6))
        await asyncio.sleep(0)
        waited = not second.done()
        await budget.settle(first, Cost(output=3, usd=3.0))
        await budget.lose(await second)  # nobody knows: it counts in full
        third = await budget.reserve("", 0, 1)
        await budget.release(third)
        refused = []
        for amount in (2, 1):
            try:
                await budget.reserve("", 0, amount)
                refused.append(False)
            except Spent:
                refused.append(True)
        return budget.spent, [waited, *refused, budget.exhausted]

    assert asyncio.run(spend()) == (Cost(output=3, usd=3.0), [True, True, False, True])


def test_a_budget_counts_bytes_as_tokens_at_most() -> None:
    async def reserve() -> Cost:
        return await Budget(FREE).reserve("ä" * 100, 2, 50)

    assert asyncio.run(reserve()).input == 200 + 2 * 16


@pytest.mark.parametrize(("headers", "seconds"), [
    ({}, None),
    ({"retry-after": "3"}, 3.0),
    ({"retry-after": "0.5"}, 0.5),
    ({"retry-after-ms": "250"}, 0.25),
    ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ({"retry-after": "soon"}, None),
    ({"retry-after": "1e999"}, None),
    ({"retry-after": "86400"}, 300.0),
])  # fmt: skip
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_pace_waits_for_the_reset_of_a_limit() -> None:
    async def calls() -> float:
        pace = Pace(2)
        pace.answered({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "200ms"})
        started = time.monotonic()
        async with pace.turn():
            return time.monotonic() - started

    assert asyncio.run(calls()) >= 0.19


def test_endpoints() -> None:
    assert endpoint_from({}) is None
    assert endpoint_from({"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}) is None
    endpoint = endpoint_from({"OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": "http://me:pw@host/v1?key=k"})
    assert endpoint == Endpoint(base_url="http://me:pw@host/v1?key=k", key="sk-secret")
    assert endpoint is not None
    assert "sk-secret" not in repr(endpoint)
    assert endpoint.name == "http://host/v1"
