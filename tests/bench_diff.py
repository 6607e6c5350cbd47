"""How long a diff of two datasets in memory takes, and what it finds.

usage: python tests/bench_diff.py [--old DIR --new DIR] [--releases 0.9.2 0.10.2] [--json FILE]

Without folders the two releases are mined first. Times are CPU seconds, medians. With the
records in another order the same must be found.
"""

import argparse
import json
import random
import statistics
import sys
import time
from pathlib import Path

from pipeline import dataset
from pipeline.diff.changes import Diff, compare
from pipeline.diff.comparison import summary
from pipeline.diff.kind import Kind
from pipeline.record import Record

RUNS = 5


def main() -> None:
    """Measure, print, and write the figures where --json says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", type=Path, help="folder of a dataset")
    parser.add_argument("--new", type=Path, help="folder of another one")
    parser.add_argument("--releases", nargs=2, default=("0.9.2", "0.10.2"), help="of jax, where no folders are given")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    if options.old and options.new:
        old, new = (tuple(dataset.read(folder).records()) for folder in (options.old, options.new))
    else:
        old, new = map(released, options.releases)
    figures = measure(old, new)
    for name, value in figures.items():
        sys.stdout.write(f"{name:44}{value:10.3f}\n")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def released(release: str) -> tuple[Record, ...]:
    """The records of a release, from the cache where they are there."""
    from pipeline.cli.options import now
    from pipeline.mined import mined
    from pipeline.source.named import Named

    return mined(Named(release=release).read(lambda _stage, _done, _total: None), now=now())[0]


def measure(old: tuple[Record, ...], new: tuple[Record, ...]) -> dict[str, float]:
    """All figures by name, with their unit in the name."""
    times = []
    for _ in range(RUNS):
        started = time.process_time()
        found = compare(old, new)
        times.append(time.process_time() - started)
    check(old, new, found)
    other_way = differs_the_other_way_round(old, new, found)
    counts = {f"{kind}": float(number) for kind, number in summary(found.changes).items()}
    return {
        "records, old": float(len(old)),
        "records, new": float(len(new)),
        **counts,
        "breaking": float(sum(change.breaking for change in found.changes)),
        "unchanged": float(found.unchanged),
        "changes that differ the other way round": float(other_way),
        "diff in memory [CPU s]": statistics.median(times),
    }


def check(old: tuple[Record, ...], new: tuple[Record, ...], found: Diff) -> None:
    """The laws, on all of it: every record once, and whatever the order."""
    for side, its in ((old, [c.old for c in found.changes]), (new, [c.new for c in found.changes])):
        ids = [record.id for record in its if record]
        assert len(set(ids)) == len(ids)
        assert len(ids) + found.unchanged == len(side)
    chance = random.Random(6)
    assert compare(chance.sample(old, len(old)), chance.sample(new, len(new))) == found


def differs_the_other_way_round(old: tuple[Record, ...], new: tuple[Record, ...], found: Diff) -> int:
    """How many changes are not the mirror image of one of the diff of `new` and `old`: ties between equal errors."""
    swapped = {Kind.ADDED: Kind.REMOVED, Kind.REMOVED: Kind.ADDED}
    there = {(swapped.get(c.kind, c.kind), c.also, c.new and c.new.id, c.old and c.old.id) for c in found.changes}
    return len(there - {(c.kind, c.also, c.old and c.old.id, c.new and c.new.id) for c in compare(new, old).changes})


if __name__ == "__main__":
    main()
