"""How long the site of a release takes, as a multiple of a bare parse of its files, and how heavy its pages are.

usage: python tests/bench_pages.py [--release 0.10.2] [--dataset DIR] [--previous DIR] [--json FILE]

Parses run before and after the build, each in a process of its own, and the mean of their times counts: on a machine
that does other things as well all of them slow down together. Memory is the sum over all processes of the build of the
most each ever held (VmHWM). Without --dataset one of the release is made in a temporary folder.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import RELEASE, Peaks

ERRCAT = str(Path(sys.executable).parent / "errcat")
FIRST_LOAD = ("index.html", "static/site.css", "static/site.js", "static/icon.svg", "static/search/search.js")
FIRST_LOAD_MATCH = ("static/match/paste.js", "static/match/paste.css", "static/match/view.js")
BARS = {"build [parses]": 44, "peak [MB]": 900, "median [kB]": 30, "largest [kB]": 120, "home [kB]": 100}


def main() -> None:
    """Measure, print, and write the figures where --json says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default=RELEASE, help="release of jax")
    parser.add_argument("--dataset", type=Path, help="its dataset")
    parser.add_argument("--previous", type=Path, help="the dataset before, for what changed")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        dataset = options.dataset or _made(options.release, Path(scratch))
        figures = measure(dataset, options.previous, options.release, Path(scratch) / "site")
    for name, value in figures.items():
        bar = f"  (at most {BARS[name]})" if name in BARS else ""
        sys.stdout.write(f"{name:24}{value:12,.2f}{bar}\n")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def _made(release: str, out: Path) -> Path:
    command = [ERRCAT, "dataset", "--release", release, "--out", str(out)]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0])


def measure(dataset: Path, previous: Path | None, release: str, site: Path) -> dict[str, float]:
    """All figures by name, with their unit in the name."""
    command = [ERRCAT, "pages", str(dataset), "--out", str(site), "--base-url", "https://errors.example/jax"]
    if previous:
        command += ["--previous", str(previous)]
    parses = [_parse(release)]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        with Peaks(process.pid) as peaks:
            process.wait()
        seconds = time.perf_counter() - started
    if process.returncode:
        raise SystemExit("bench: the build failed")
    parses.append(_parse(release))
    parse = statistics.mean(parses)
    pages = [(site / "errors" / name / "index.html").stat().st_size for name in _ids(site)]
    return {
        "bare parse [s]": parse,
        "build [s]": seconds,
        "build [parses]": seconds / parse,
        "peak [MB]": sum(peaks.of.values()) / 1e6,
        "processes": len(peaks.of),
        "files": sum(1 for path in site.rglob("*") if path.is_file()),
        "median [kB]": statistics.median(pages) / 1e3,
        "largest [kB]": max(pages) / 1e3,
        "home [kB]": sum((site / name).stat().st_size for name in (*FIRST_LOAD, *FIRST_LOAD_MATCH)) / 1e3,
        "match index [kB]": (site / "api/match-index.json.gz").stat().st_size / 1e3,
        "search index [kB]": (site / "api/search-index.json.gz").stat().st_size / 1e3,
    }


def _parse(release: str) -> float:
    command = [sys.executable, str(Path(__file__).with_name("bench.py")), "--child", "parse", "--release", release]
    shown: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return float(shown["parse"])


def _ids(site: Path) -> list[str]:
    return [row["id"] for row in json.loads((site / "api/index.json").read_bytes())["errors"]]


if __name__ == "__main__":
    main()
