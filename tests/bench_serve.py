"""How long a server takes to match texts for many clients at once.

usage: python tests/bench_serve.py [--dataset DIR] [--release 0.9.2] [--json FILE]

Every client sends the texts of `bench_match.py`, one after the other, each as soon as it has the answer to the one
before. The server, its processes and all clients share this machine.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench_match import messages, mined
from serving import Client, serving

from pipeline.match.index import load

CLIENTS = 64
EACH = 60
WARM = 5


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


def measure(dataset: Path, scratch: Path) -> dict[str, float]:
    """All figures by name, with their unit in the name."""
    texts = [message.encode() for message in messages(load(dataset, cache=scratch / "match"))]
    with serving(dataset, scratch) as server:
        started = time.perf_counter()
        times, failures = asyncio.run(load_of(server.port, texts))
        took = time.perf_counter() - started
    centiles = statistics.quantiles(times, n=100)
    return {
        "64 clients, median [ms]": centiles[49] * 1e3,
        "64 clients, p99 [ms]": centiles[98] * 1e3,
        "64 clients, slowest [ms]": max(times) * 1e3,
        "64 clients, answers a second": len(times) / took,
        "answers that are none": failures,
    }


async def load_of(port: int, texts: list[bytes]) -> tuple[list[float], int]:
    """Seconds of every answer, and how many of them are none."""
    times: list[float] = []
    failures = 0

    async def one(number: int) -> None:
        nonlocal failures
        client = Client(port)
        for turn in range(WARM + EACH):
            text = texts[(number * (WARM + EACH) + turn) % len(texts)]
            started = time.perf_counter()
            answer = await client.ask("POST", "/api/match", text)
            if turn >= WARM:
                times.append(time.perf_counter() - started)
            failures += answer.status != 200
        client.close()

    await asyncio.gather(*(one(number) for number in range(CLIENTS)))
    return times, failures


if __name__ == "__main__":
    main()
