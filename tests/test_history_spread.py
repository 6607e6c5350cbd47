"""Units of work: pure, named by content, kept, done again where a process died; and never more than was asked for."""

import multiprocessing
import os
import pickle
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import catalogue
from pipeline.errors import ClusterError
from pipeline.history import team as teams
from pipeline.history import unit
from pipeline.history.spread import Found, Gap, order, spread
from pipeline.history.steps import Step
from pipeline.history.store import Store
from pipeline.history.team import Team
from pipeline.source.folder import read_folder
from pipeline.source.named import Named
from pipeline.source.tree import Skipped, SkipReason, SourceFile, SourceTree


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRCAT_CACHE_DIR", str(tmp_path / "cache"))


def silent(_stage: str, _done: int, _total: int, _note: str = "") -> None:
    pass


@pytest.fixture
def chain(tmp_path: Path) -> Callable[[int], list[Step]]:
    """Makes folders that differ in one text, and the steps to read them."""

    def make(count: int) -> list[Step]:
        steps = []
        for number in range(count):
            folder = tmp_path / f"r{number}" / "pkg"
            folder.mkdir(parents=True)
            (folder / "core.py").write_text(f"def f(x):\n  raise ValueError(f'bad {{x}} in {number}')\n")
            steps.append(Step(name=f"r{number}", source=Named(repo="o/pkg", tree=folder.parent)))
        return steps

    return make


def texts(found: Iterator[Found | Gap]) -> list[str]:
    """What each revision says, or why it does not."""
    return [one.reason if isinstance(one, Gap) else unit.unpack(one.result).records[0].errorMessage for one in found]


@given(st.integers(0, 200), st.integers(1, 9), st.integers(1, 9))
def test_every_revision_is_begun_once(count: int, width: int, lane: int) -> None:
    assert sorted(order(count, width, lane)) == list(range(count))


def test_neighbours_are_not_mined_side_by_side() -> None:
    assert order(13, 2, 3) == [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11, 12]
    assert order(5, 2, 6) == [0, 3, 1, 4, 2]
    assert order(3, 8, 6) == [0, 1, 2]


def test_a_unit_is_what_mining_gives(chain: Callable[[int], list[Step]]) -> None:
    (step,) = chain(1)
    tree = step.source.read(silent)
    mined = catalogue.build(tree, analyzed_at=unit.UNDATED)
    result = unit.unpack(unit.work(unit.pack(tree)))
    assert result.records == mined.records
    assert result.coverage == mined.coverage
    assert (result.repo, result.revision, result.size) == ("o/pkg", tree.revision, len(tree.files[0].data))


def test_a_unit_is_named_by_all_that_it_depends_on(tmp_path: Path, chain: Callable[[int], list[Step]]) -> None:
    tree = chain(1)[0].source.read(silent)
    file = tree.files[0]
    changed = [
        replace(tree, repo="o/other"),
        replace(tree, revision="1.0"),
        replace(tree, analyzed_sha="0" * 40),
        replace(tree, link_ref="v1"),
        replace(tree, revision_time="2026-01-01T00:00:00.000Z"),
        replace(tree, files=(replace(file, path="pkg/other.py"),)),
        replace(tree, files=(replace(file, blob_id="0" * 40),)),
        replace(tree, files=(file, replace(file, path="pkg/other.py"))),
        replace(tree, skipped=(Skipped(path="x.py", reason=SkipReason.SYMLINK),)),
    ]
    assert len({unit.name(tree), *map(unit.name, changed)}) == len(changed) + 1
    document = SourceFile(path="docs/a.md", blob_id="1" * 40, data=b"x")
    same: list[SourceTree] = [read_folder(tmp_path / "r0", repo="o/pkg"), replace(tree, evidence=(document,))]
    assert {unit.name(one) for one in same} == {unit.name(tree)}


def test_a_worker_with_another_errcat_is_found_out(chain: Callable[[int], list[Step]]) -> None:
    tree = chain(1)[0].source.read(silent)
    with pytest.raises(ClusterError) as caught:
        unit.work(pickle.dumps(("another", tree)))
    told = "a worker has another version of errcat than this process. Install the same version everywhere"
    assert str(pickle.loads(pickle.dumps(caught.value))) == told


def test_results_come_in_order_and_the_second_run_mines_nothing(
    tmp_path: Path, chain: Callable[[int], list[Step]]
) -> None:
    steps = chain(7)
    store = Store(folder=tmp_path / "store")
    told: list[tuple[str, int, int]] = []
    expected = [f"bad {{x}} in {number}" for number in range(7)]

    def progress(stage: str, done: int, total: int, _note: str = "") -> None:
        told.append((stage, done, total))

    with teams.processes(2) as team:
        assert texts(spread(steps, team=team, store=store, progress=progress)) == expected
    assert told == [("mine", number, 7) for number in range(1, 8)]
    idle = Team(width=2, start=lambda: pytest.fail("a worker was asked for"))
    assert texts(spread(steps, team=idle, store=store, progress=silent)) == expected


def test_revisions_of_the_same_tree_are_mined_once(tmp_path: Path, chain: Callable[[int], list[Step]]) -> None:
    (step,) = chain(1)
    steps = [step, replace(step, name="again"), replace(step, name="and again")]
    store = Store(folder=tmp_path / "store")
    with teams.processes(1) as team:
        assert texts(spread(steps, team=team, store=store, progress=silent)) == ["bad {x} in 0"] * 3
    assert len(list(store.folder.iterdir())) == 1


def test_what_cannot_be_read_is_a_gap(tmp_path: Path, chain: Callable[[int], list[Step]]) -> None:
    steps = chain(3)
    (tmp_path / "r1" / "pkg" / "core.py").unlink()
    with teams.processes(1) as team:
        found = texts(spread(steps, team=team, store=Store(folder=tmp_path / "store"), progress=silent))
    assert found == [
        "bad {x} in 0",
        f"no Python file in {tmp_path / 'r1'}. Check that it holds the package's source",
        "bad {x} in 2",
    ]


def test_a_worker_that_is_killed_costs_a_retry(tmp_path: Path, chain: Callable[[int], list[Step]]) -> None:
    steps = chain(6)
    killed: list[int] = []
    before = set(multiprocessing.active_children())

    def kill_one() -> None:
        while not (born := set(multiprocessing.active_children()) - before):
            time.sleep(0.01)
        victim = born.pop().pid
        assert victim
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    killer = threading.Thread(target=kill_one)
    killer.start()
    with teams.processes(2) as team:
        found = texts(spread(steps, team=team, store=Store(folder=tmp_path / "store"), progress=silent))
    killer.join()
    assert len(killed) == 1
    assert found == [f"bad {{x}} in {number}" for number in range(6)]


def test_a_unit_that_kills_its_process_is_a_gap_and_no_other_is(
    tmp_path: Path, chain: Callable[[int], list[Step]]
) -> None:
    steps = chain(3)
    tree = steps[1].source.read(silent)
    spawn = multiprocessing.get_context("spawn")
    deadly = (unit.pack(tree),)
    with ProcessPoolExecutor(2, mp_context=spawn, initializer=_arm, initargs=deadly) as pool:
        pools = [pool]

        def start() -> ProcessPoolExecutor:
            pools.append(ProcessPoolExecutor(2, mp_context=spawn, initializer=_arm, initargs=deadly))
            return pools[-1]

        found = texts(
            spread(steps, team=Team(width=2, start=start), store=Store(folder=tmp_path / "store"), progress=silent)
        )
    for other in pools:
        other.shutdown()
    assert found == ["bad {x} in 0", "the process that mined it died, twice", "bad {x} in 2"]


def test_processes_that_never_live_end_the_run(tmp_path: Path, chain: Callable[[int], list[Step]]) -> None:
    pools: list[ProcessPoolExecutor] = []

    def start() -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        pools.append(ProcessPoolExecutor(1, mp_context=context, initializer=os._exit, initargs=(1,)))
        return pools[-1]

    store = Store(folder=tmp_path / "store")
    with pytest.raises(ClusterError) as caught:
        texts(spread(chain(5), team=Team(width=1, start=start), store=store, progress=silent))
    for pool in pools:
        pool.shutdown()
    assert str(caught.value).startswith("the processes that mine die again and again. Look for what ends them")


def _arm(deadly: bytes) -> None:
    """Makes this process die as soon as it sees the tree: what an extension that crashes would do."""
    revision = pickle.loads(deadly)[1].revision

    def watch(frame: object, event: str, _argument: object) -> None:
        code = getattr(frame, "f_code", None)
        if event == "call" and code and code.co_name == "build" and frame.f_locals["tree"].revision == revision:  # type: ignore[attr-defined]
            os._exit(1)

    threading.setprofile(watch)
    import sys

    sys.setprofile(watch)


def test_a_result_that_is_not_whole_is_not_there(tmp_path: Path) -> None:
    store = Store(folder=tmp_path / "store")
    store.put("a", b"result")
    assert store.get("a") == b"result"
    for damaged in (b"", b"x" * 64, (store.folder / "a").read_bytes()[:-1]):
        (store.folder / "a").write_bytes(damaged)
        assert store.get("a") is None
    assert store.get("b") is None


def test_what_was_used_last_stays_when_there_is_too_much(tmp_path: Path) -> None:
    store = Store(folder=tmp_path / "store", limit=3 * 100)
    sizes = {"a": 30, "b": 30, "c": 30}
    for number, (name, size) in enumerate(sizes.items()):
        store.put(name, random.Random(number).randbytes(size))
        os.utime(store.folder / name, (number, number))
    assert store.get("a") is not None
    store.put("d", bytes(30))
    assert sorted(path.name for path in store.folder.iterdir()) == ["a", "c", "d"]
    store.put("huge", bytes(1000))
    assert [path.name for path in store.folder.iterdir()] == ["huge"]


def test_a_store_that_cannot_be_written_costs_no_result(tmp_path: Path, chain: Callable[[int], list[Step]]) -> None:
    (tmp_path / "file").write_text("")
    store = Store(folder=tmp_path / "file" / "store")
    with teams.processes(1) as team:
        assert texts(spread(chain(2), team=team, store=store, progress=silent)) == ["bad {x} in 0", "bad {x} in 1"]
