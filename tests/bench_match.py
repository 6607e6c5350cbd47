"""How long finding a record takes: loading the index, 5,000 messages in one process, one command from nothing.

usage: python tests/bench_match.py [--dataset DIR] [--release 0.9.2] [--json FILE]

The messages are texts of the dataset's own variants, with values in their holes; without --dataset one of the release
is mined into a temporary folder. Times are medians.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pipeline.match import Index, answer, dialect
from pipeline.match.index import load

MESSAGES = 5_000
RUNS = 9
VALUES = ("3", "(2, 3)", "float32", "<class 'list'>", "f", "Traced<float32[3]>with<DynamicJaxprTrace>", "axis 'x'")


def main() -> None:
    """Measure, print, and write the figures where --json says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, help="folder of a dataset")
    parser.add_argument("--release", default="0.9.2", help="release of jax to mine where no dataset is given")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures = measure(options.dataset or mined(options.release, Path(scratch)), Path(scratch))
    for name, value in figures.items():
        sys.stdout.write(f"{name:44}{value:10.3f}\n")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def mined(release: str, out: Path) -> Path:
    """A dataset of the release."""
    command = [sys.executable, "-m", "pipeline", "dataset", "--release", release, "--out", str(out)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Path(shown.splitlines()[0])


def measure(dataset: Path, scratch: Path) -> dict[str, float]:
    """All figures by name, with their unit in the name."""
    cache = scratch / "cache"
    started = time.perf_counter()
    load(dataset, cache=cache)
    built = time.perf_counter() - started
    loads = []
    for _ in range(RUNS):
        started = time.perf_counter()
        index = load(dataset, cache=cache)
        len(index.anchors)
        loads.append(time.perf_counter() - started)
    times = []
    for message in messages(index):
        started = time.perf_counter()
        answer(message, index)
        times.append(time.perf_counter() - started)
    ran, bare = starts(dataset, cache)
    return {
        "index built [s]": built,
        "index load [s]": statistics.median(loads),
        "a message, median [ms]": statistics.median(times) * 1e3,
        "a message, mean [ms]": statistics.mean(times) * 1e3,
        "errcat match over python -c pass [s]": ran - bare,
    }


def messages(index: Index) -> list[str]:
    """Texts of random variants, with the class before them."""
    chance = random.Random(4)
    chosen = chance.choices([v for v in index.variants if v.length], k=MESSAGES)
    classes = [index.entries[variant.entry].error_class or "ValueError" for variant in chosen]
    return [
        f"{name}: {filled(dialect.parse(variant.pattern), chance)}"
        for name, variant in zip(classes, chosen, strict=True)
    ]


def filled(parts: dialect.Sequence, chance: random.Random) -> str:
    """A text of the pattern."""
    out = []
    for part in parts.parts:
        if isinstance(part, dialect.Text):
            out.append(part.text)
        elif isinstance(part, dialect.Gap):
            out.append(chance.choice(VALUES))
        elif part.least:
            out.append(filled(chance.choice(part.options), chance))
    return "".join(out)


def starts(dataset: Path, cache: Path) -> tuple[float, float]:
    """Seconds of one `errcat match` with its index in the cache, and of an empty Python program, in turns."""
    environment = {**os.environ, "ERRCAT_CACHE_DIR": str(cache.parent)}
    cache.rename(cache.parent / "match")
    command = [str(Path(sys.executable).parent / "errcat"), "match", "--dataset", str(dataset)]
    ran: list[float] = []
    bare: list[float] = []
    for _ in range(RUNS):
        for times, what in ((ran, command), (bare, [sys.executable, "-c", "pass"])):
            started = time.perf_counter()
            subprocess.run(what, input=b"ValueError: x", env=environment, stdout=subprocess.DEVNULL, check=False)
            times.append(time.perf_counter() - started)
    return statistics.median(ran), statistics.median(bare)


if __name__ == "__main__":
    main()
