"""How long errcat takes, in seconds and as a multiple of a bare tree-sitter parse of the same files.

usage: python tests/bench.py [--release 0.10.2] [--before 0.10.1] [--runs 3] [--json FILE]

Parse and mining run in turns, each in a process of its own, and the best run counts; start-up is a median. Memory is
the sum over all processes of one more mining run of the most each ever held (VmHWM). Downloads are not counted.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue
    from pipeline.manifest import Run
    from pipeline.source.tree import SourceTree

RELEASE = "0.10.2"
BEFORE = "0.10.1"
START_UPS = 11
SAMPLING = 0.005  # seconds


def main() -> None:
    """Measure, print the table, and write the figures where --json says."""
    options = _options()
    if options.child:
        CHILDREN[options.child](options.release, options.cache)
        return
    figures = measure(options.release, options.before, options.runs)
    sys.stdout.write(table(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default=RELEASE, help="release of jax to mine")
    parser.add_argument("--before", default=BEFORE, help="release that is in the cache when the next one is mined")
    parser.add_argument("--runs", type=int, default=3, help="how many runs the best is taken of")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--child", choices=sorted(CHILDREN), help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def measure(release: str, before: str, runs: int) -> dict[str, Any]:
    """All figures: seconds, and bytes where the name says so."""
    new_bytes = _share_of_new_bytes(before, release)  # downloads what is not in the cache
    parses, minings = [], []
    for _ in range(runs):
        parses.append(_child("parse", release))
        minings.append(_child("mine", release))
    best = min(minings, key=lambda run: run["mining"])
    with tempfile.TemporaryDirectory() as folder:
        cached = [_cached(Path(folder) / str(i), release, before) for i in range(runs)]
    return {
        "cached": {what: min(run[what] for run in cached) for what in cached[0]},
        "before": before,
        "newBytes": new_bytes,
        "release": release,
        "cores": os.cpu_count(),
        "files": parses[0]["files"],
        "bytes": parses[0]["bytes"],
        "records": best["records"],
        "parse": min(run["parse"] for run in parses),
        "mining": best["mining"],
        "stages": best["stages"],
        "write": min(run["write"] for run in minings),
        **_memory(release),
        "help": _start_up([str(Path(sys.executable).parent / "errcat"), "--help"]),
        "pass": _start_up([sys.executable, "-c", "pass"]),
    }


def table(figures: dict[str, Any]) -> str:
    """The figures for people."""
    parse = figures["parse"]
    rows = [("bare parse", parse), ("mining", figures["mining"])]
    rows += [(f"  {stage}", seconds) for stage, seconds in figures["stages"].items()]
    rows += [("dataset write", figures["write"])]
    cached = figures["cached"]
    rows += [(f"mining into an empty cache (all of {figures['before']})", cached["first"])]
    rows += [("  the next release, out of it", cached["next"]), ("  the same again", cached["again"])]
    rows += [("errcat --help over python -c pass", figures["help"] - figures["pass"])]
    head = (
        f"jax {figures['release']}: {figures['files']} files, {figures['bytes'] / 1e6:.2f} MB, "
        f"{figures['records']:,} records; {figures['cores']} cores\n"
    )
    lines = [f"{name:36}{seconds:8.2f} s{seconds / parse:8.2f} x\n" for name, seconds in rows]
    peak = f"{'peak memory of mining':36}{figures['peakBytes'] / 1e6:8.0f} MB in {figures['peakProcesses']} processes\n"
    cold = cached["cold"]
    shares = f"{'the next release over a cold run':36}{cached['next'] / cold:8.2f}\n"
    shares += f"{'  bytes in files it does not share':36}{figures['newBytes']:8.2f}\n"
    shares += f"{'  the same release again':36}{cached['again'] / cold:8.2f}\n"
    return "".join([head, *lines, peak, shares])


def _share_of_new_bytes(before: str, release: str) -> float:
    """How much of a release is in files whose content the one before did not have."""
    known = {file.blob_id for file in _tree(before).files}
    files = _tree(release).files
    return sum(len(file.data) for file in files if file.blob_id not in known) / sum(len(file.data) for file in files)


def _cached(folder: Path, release: str, before: str) -> dict[str, float]:
    """Seconds of mining a release into an empty cache (cold), and after the one before (first, next, again)."""
    seconds = {"cold": _child("mine", release, folder / "cold")["mining"]}
    for what, which in (("first", before), ("next", release), ("again", release)):
        seconds[what] = _child("mine", which, folder / "chain")["mining"]
    return seconds


def _child(what: str, release: str, cache: Path | None = None) -> dict[str, Any]:
    """The figures of one fresh process."""
    with _started(what, release, cache) as process:
        out, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"bench: the {what} process failed")
    return {name: value for line in out.splitlines() for name, value in json.loads(line).items()}


def _memory(release: str) -> dict[str, int]:
    """The memory of mining in a fresh process and its children; looking takes time, so nothing is timed."""
    with _started("mine", release, None) as process:
        assert process.stdout
        with Peaks(process.pid) as peaks:
            process.stdout.readline()
        process.communicate()
    if process.returncode:
        raise SystemExit("bench: the mine process failed")
    return {"peakBytes": sum(peaks.of.values()), "peakProcesses": len(peaks.of)}


def _started(what: str, release: str, cache: Path | None) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, "--child", what, "--release", release]
    command += ["--cache", str(cache)] if cache else []
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)


class Peaks:
    """The most memory that each process below a root has held, in bytes by process id, sampled while it is open."""

    def __init__(self, root: int) -> None:
        self.of: dict[int, int] = {}
        self._root = root
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._sample(self._root)

    def _watch(self) -> None:
        while not self._over.wait(SAMPLING):
            self._sample(self._root)

    def _sample(self, pid: int) -> None:
        with suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text()
            peak = next((line for line in status.splitlines() if line.startswith("VmHWM:")), None)
            if peak:
                self.of[pid] = max(self.of.get(pid, 0), int(peak.split()[1]) * 1024)
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                for child in children.read_text().split():
                    self._sample(int(child))


def _start_up(command: Sequence[str]) -> float:
    """Median seconds from nothing to the end of a command."""
    times = []
    for _ in range(START_UPS):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def _tree(release: str) -> "SourceTree":
    from pipeline.source.cache import cache_folder
    from pipeline.source.release import read_release

    return read_release("jax", release, repo="jax-ml/jax", cache=cache_folder())


def _parse(release: str, _: Path | None) -> None:
    import tree_sitter_python
    from tree_sitter import Language, Parser

    files = _tree(release).files
    parser = Parser(Language(tree_sitter_python.language()))
    started = time.perf_counter()
    for file in files:
        parser.parse(file.data)
    seconds = time.perf_counter() - started
    _say({"parse": seconds, "files": len(files), "bytes": sum(len(file.data) for file in files)})


def _mine(release: str, cache: Path | None) -> None:
    from pipeline import catalogue, dataset
    from pipeline.mine.cache import Cache

    started = time.perf_counter()
    tree = _tree(release)
    read = time.perf_counter() - started
    mined = catalogue.build(tree, analyzed_at="2026-01-01T00:00:00.000Z", cache=Cache(cache) if cache else None)
    mining = time.perf_counter() - started
    _say({"mining": mining, "records": len(mined.records), "stages": {"read": read} | dict(mined.seconds)})
    sys.stdin.read()  # the memory of mining has been taken
    with tempfile.TemporaryDirectory() as out:
        started = time.perf_counter()
        dataset.write(Path(out), mined.records, _run(tree, mined))
        _say({"write": time.perf_counter() - started})


def _run(tree: "SourceTree", mined: "Catalogue") -> "Run":
    from pipeline.manifest import Run

    return Run(
        datasetVersion="2026-01-01T00:00:00.000Z",
        repo=tree.repo,
        revision=tree.revision,
        revisionTime=tree.revision_time,
        analyzedSha=tree.analyzed_sha,
        coverage=mined.coverage,
        toolVersion="bench",
    )


def _say(figures: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


CHILDREN = {"parse": _parse, "mine": _mine}

if __name__ == "__main__":
    main()
