"""How long the history of all releases of jax takes, cold, on all cores, against a bare parse of their distinct files.

usage: python tests/bench_history.py [--releases 0.4.30..] [--json FILE]

The parse is done by as many processes as there are cores, each with its share of the files in memory before the clock
starts. Then `errcat history` runs with an empty cache, but for the downloaded archives, and once more with all mined.
Memory is the most that all its processes held together at any time (VmRSS, sampled).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from pipeline.history.steps import of_releases
from pipeline.source.cache import cache_folder
from pipeline.source.release import read_release

FIRST = "0.4.30"
SAMPLING = 0.1  # seconds


def main() -> None:
    """Measure, print the table, and write the figures where --json says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--releases", default=f"{FIRST}..", help="range of releases of jax")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--share", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.share is not None:
        parse(options.releases, options.share)
        return
    figures = measure(options.releases)
    sys.stdout.write(table(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def measure(releases: str) -> dict[str, Any]:
    """All figures: seconds, bytes and counts."""
    sizes = distinct(releases)
    parsed = parse_bare(releases)
    with tempfile.TemporaryDirectory() as scratch:
        cold, peak, manifest = history(releases, Path(scratch))
        again, _, _ = history(releases, Path(scratch))
    told = manifest["seconds"]
    return {
        "releases": len(manifest["history"]["revisions"]),
        "gaps": len(manifest["history"]["gaps"]),
        "errors": manifest["counts"]["records"],
        "cores": os.cpu_count(),
        "files": len(sizes),
        "bytes": sum(sizes.values()),
        "parse": parsed,
        "history": cold,
        "again": again,
        "stages": {name: told[name] for name in ("facts", "link", "templates", "records", "ids", "write")},
        "peakBytes": peak,
    }


def table(figures: dict[str, Any]) -> str:
    """The figures for people."""
    parse, cold = figures["parse"], figures["history"]
    stages = figures["stages"]
    mining = sum(stages[name] for name in ("facts", "link", "templates", "records"))
    rows = [("bare parse, all cores", parse), ("history, cold", cold), ("history, all mined", figures["again"])]
    head = (
        f"jax, {figures['releases']} releases (gaps {figures['gaps']}): {figures['files']:,} distinct files, "
        f"{figures['bytes'] / 1e6:.1f} MB, {figures['errors']:,} errors; {figures['cores']} cores\n"
    )
    lines = [f"{name:36}{seconds:8.1f} s{seconds / parse:8.2f} x\n" for name, seconds in rows]
    lines += [f"  {name + ', all processes':34}{seconds:8.1f} s\n" for name, seconds in stages.items()]
    rest = [
        f"{'link, share of mining':36}{100 * stages['link'] / mining:8.1f} %\n",
        f"{'source, cold':36}{figures['bytes'] / cold / 1e6:8.2f} MB/s\n",
        f"{'peak memory, all processes':36}{figures['peakBytes'] / 1e6:8.0f} MB\n",
    ]
    return "".join([head, *lines, *rest])


def distinct(releases: str) -> dict[str, int]:
    """The size of each file of the releases, by its blob id. Downloads what is not in the cache."""
    return {blob: len(data) for blob, data in contents(releases).items()}


def contents(releases: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for step in of_releases(releases):
        tree = read_release("jax", step.name, repo="jax-ml/jax", cache=cache_folder())
        found.update((file.blob_id, file.data) for file in tree.files)
    return found


def parse_bare(releases: str) -> float:
    """Seconds in which as many processes as there are cores parse the distinct files."""
    command = [sys.executable, __file__, "--releases", releases, "--share"]
    children = [
        subprocess.Popen([*command, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for number in range(os.cpu_count() or 1)
    ]
    for child in children:
        assert child.stdout
        child.stdout.readline()  # it has its files
    started = time.perf_counter()
    for child in children:
        assert child.stdin
        child.stdin.close()  # go
    for child in children:
        assert child.stdout
        child.stdout.readline()
    seconds = time.perf_counter() - started
    for child in children:
        child.wait()
    return seconds


def parse(releases: str, share: int) -> None:
    """Be one of those processes."""
    import tree_sitter_python
    from tree_sitter import Language, Parser

    files = [data for _, data in sorted(contents(releases).items())][share :: os.cpu_count() or 1]
    parser = Parser(Language(tree_sitter_python.language()))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    for data in files:
        parser.parse(data)
    sys.stdout.write("done\n")


def history(releases: str, scratch: Path) -> tuple[float, int, dict[str, Any]]:
    """Seconds of the command, the most memory of all its processes together, and the manifest that it wrote."""
    cache = scratch / "cache"
    if not cache.exists():
        cache.mkdir()
        (cache / "releases").symlink_to(cache_folder() / "releases")
    command = [sys.executable, "-m", "pipeline", "history", "--releases", releases, "--out", str(scratch)]
    environment = {**os.environ, "ERRCAT_CACHE_DIR": str(cache)}
    peak, started = 0, time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, held(process.pid))
            time.sleep(SAMPLING)
        seconds = time.perf_counter() - started
    if process.returncode:
        raise SystemExit("bench: errcat history failed")
    manifest = json.loads((scratch / "jax-ml__jax" / "history" / "manifest.json").read_bytes())
    return seconds, peak, manifest


def held(pid: int) -> int:
    """Bytes that a process and all below it hold now."""
    total = 0
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                total = int(line.split()[1]) * 1024
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            total += sum(held(int(child)) for child in children.read_text().split())
    return total


if __name__ == "__main__":
    main()
