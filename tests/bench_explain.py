"""How long a model's answers take beyond the model itself: a scripted server that answers after half a second.

usage: python tests/bench_explain.py [--records 2000] [--latency 0.5] [--json FILE]

The ideal is records / concurrency * latency. Memory is the most that the client's process ever held. The functions that
raise are made up; each error is asked for once, answered well, checked and stored.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from scripted_server import Script, serving


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=2000, help="how many errors to explain")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds before each answer")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        explain(Path(options.child), options.latency)
        return
    figures = measure(options.records, options.latency)
    sys.stdout.write("".join(f"{name:24} {value}\n" for name, value in figures.items()))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def measure(records: int, latency: float) -> dict[str, Any]:
    """The figures of one run in a process of its own."""
    from test_explain_model import write_tree  # the tests' setup takes endpoints out of the environment

    with tempfile.TemporaryDirectory() as name, serving(Path(name), Script(latency=latency)) as server:
        write_tree(Path(name) / "tree", records)
        environment = os.environ | {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-bench",
            "ERRCAT_CACHE_DIR": f"{name}/cache",
        }
        command = [sys.executable, __file__, "--latency", str(latency), "--child", f"{name}/tree"]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        figures: dict[str, Any] = json.loads(done.stdout)
        return figures | {"calls at the server": server.counts().calls}


def explain(tree: Path, latency: float) -> None:
    """What a process of its own does and says."""
    from pipeline import catalogue
    from pipeline.evidence import pack
    from pipeline.explain.plan import make_plan
    from pipeline.explain.write import CONCURRENCY, write
    from pipeline.source.folder import read_folder

    source = read_folder(tree, repo="o/pkg", under=None)
    records = catalogue.build(source, analyzed_at="2026-01-01T00:00:00.000Z").records
    evidence = pack.collect(source, records)
    plan = make_plan("openai", model=None, max_usd=1000.0, max_tokens=None)
    started, before = time.perf_counter(), time.process_time()
    written = write(records, evidence, source, plan=plan)
    wall, ideal = time.perf_counter() - started, len(records) / CONCURRENCY * latency
    figures = {
        "records": len(records),
        "by a model": written.by.get("openai", 0),
        "concurrency": CONCURRENCY,
        "wall (s)": round(wall, 2),
        "ideal (s)": round(ideal, 2),
        "wall / ideal": round(wall / ideal, 2),
        "client CPU (s)": round(time.process_time() - before, 2),
        "client memory (MB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    sys.stdout.write(json.dumps(figures))


if __name__ == "__main__":
    main()
