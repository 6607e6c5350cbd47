"""What a refresh takes, in seconds and as multiples of a bare tree-sitter parse; and the gates over real releases.

usage: python tests/bench_refresh.py [--gates]

An idle run and a new release (0.10.1 -> 0.10.2, with and without pages) of the whole of jax, in processes of their own,
each beside a bare parse of the same minute; what is looked up and downloaded is not counted. --gates: six releases one
after the other, five steps, with what each gate found.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ERRCAT = str(Path(sys.executable).parent / "errcat")
STEPS = ("0.9.0", "0.9.1", "0.9.2", "0.10.1", "0.10.2", "0.11.1")
OLD, NEW = "0.10.1", "0.10.2"


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gates", action="store_true", help="the gates over five real release steps")
    if parser.parse_args().gates:
        gates()
        return
    bare_parse()  # downloads what is not in the cache
    for pages in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            new_release(Path(folder), pages=pages)


def new_release(folder: Path, *, pages: bool) -> None:
    """The figures of a new release, and of the idle run after it."""
    what = "with pages" if pages else "without pages"
    refresh(folder, OLD, pages=pages)
    parse = bare_parse()
    seconds, rows = refresh(folder, NEW, pages=pages)
    parse = min(parse, bare_parse())
    counted = seconds - looked_up(rows)
    sys.stdout.write(
        f"jax {OLD} -> {NEW} {what:14}{counted:8.2f} s{counted / parse:8.2f} x  (bare parse {parse:.2f} s)\n"
    )
    for row in rows:
        if row["event"] == "done":
            sys.stdout.write(f"  {row['step']:40}{row['seconds']:8.2f} s\n")
    seconds, rows = refresh(folder, NEW, pages=pages)
    idle = seconds - looked_up(rows)
    sys.stdout.write(f"nothing new, beside the look-up {'':10}{idle:8.2f} s\n")


def gates() -> None:
    """Every gate over five real steps."""
    with tempfile.TemporaryDirectory() as folder:
        for release in STEPS:
            refresh(Path(folder), release, pages=False)
            published = json.loads((Path(folder) / "jax-ml__jax" / "latest" / "publication.json").read_bytes())
            sys.stdout.write(f"{release}\n")
            for verdict in published["gates"]:
                said = "passed" if verdict["passed"] else "FAILED"
                sys.stdout.write(f"  {verdict['gate']:10}{said:8}{verdict['figure']}; {verdict['bound']}\n")


def refresh(out: Path, release: str, *, pages: bool) -> tuple[float, list[dict[str, Any]]]:
    """Wall seconds of a run, and the rows of its log."""
    command = [ERRCAT, "refresh", "--release", release, "--out", str(out), "--writer", "derived", "--log", "json"]
    started = time.perf_counter()
    done = subprocess.run([*command, *([] if pages else ["--no-pages"])], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"bench: {release}: {done.stdout}{done.stderr}")
    return seconds, [json.loads(line) for line in done.stderr.splitlines()]


def looked_up(rows: list[dict[str, Any]]) -> float:
    """Seconds of looking up the newest revision. Old and new release must be in the cache: `main` sees to it."""
    return sum(float(row["seconds"]) for row in rows if row["event"] == "done" and row["step"] == "newest")


def bare_parse() -> float:
    """Seconds of a bare parse of the new release, in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("bench.py")), "--child", "parse", "--release", NEW]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=True, env=dict(os.environ))
    return float(json.loads(done.stdout.splitlines()[0])["parse"])


if __name__ == "__main__":
    main()
