"""How fast a page answers pastes and finds what is typed, in Chromium, and whether it answers as the command line does.

usage: python tests/bench_browser.py [--release 0.10.2] [--dataset DIR] [--errors FILE] [--json FILE]

--errors: lines of JSON with `cls` and `message`; by default the samples of the dataset, in the shapes of
tests/match_shapes.py. Times are those between a question to the worker and its answer. Without --dataset one of the
release is made in a temporary folder.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import match_shapes
from bench import RELEASE
from browser import Chromium, executable, serving
from playwright.sync_api import sync_playwright

from pipeline import dataset as datasets
from pipeline.dataset.samples import draw
from pipeline.match.answer import answer
from pipeline.match.index import load as load_index
from pipeline.pages import match_index, search_index
from pipeline.pages.site import load

BARS = {"paste index [MB]": 1.5, "paste, slowest [ms]": 500, "typing, slowest [ms]": 50}
TYPED = (
    "incompatible shapes",
    "jax.numpy.reshape",
    "ConcretizationTypeError",
    "lax_numpy.py",
    "must be",
    "concretisation",
)
ASK = """
async ({ folder, index, questions }) => {
  const worker = new Worker(`static/${folder}/worker.js`, { type: "module" });
  const heard = (message) => new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(message);
  });
  const begun = performance.now();
  const ready = await heard({ load: new URL(index, document.baseURI).href });
  const answers = [];
  const times = [];
  const waited = performance.now() - begun;
  for (const ask of questions) {
    const asked = performance.now();
    answers.push(await heard({ ask, number: 0 }));
    times.push(performance.now() - asked);
  }
  worker.terminate();
  return { ready, waited, answers, times };
}
"""


def main() -> None:
    """Measure, print, and write the figures where --json says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default=RELEASE, help="release of jax")
    parser.add_argument("--dataset", type=Path, help="its dataset")
    parser.add_argument("--errors", type=Path, help="errors to ask for")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        dataset = options.dataset or _made(options.release, Path(scratch))
        figures = measure(dataset, _texts(dataset, options.errors), Path(scratch) / "site")
    for name, value in figures.items():
        bar = f"  (at most {BARS[name]})" if name in BARS else ""
        sys.stdout.write(f"{name:28}{value:12,.2f}{bar}\n")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def _made(release: str, out: Path) -> Path:
    command = [sys.executable, "-m", "pipeline", "dataset", "--release", release, "--out", str(out)]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0])


def _texts(dataset: Path, errors: Path | None) -> list[str]:
    if errors:
        rows = map(json.loads, errors.read_text().splitlines())
        return [f"{row['cls']}: {row['message']}" for row in rows]
    shapes = itertools.cycle(match_shapes.SHAPES.values())
    samples = draw(datasets.read(dataset).records())
    return [next(shapes)(sample.errorClass or "ValueError", sample.message) for sample in samples]


def measure(dataset: Path, texts: Sequence[str], folder: Path) -> dict[str, float]:
    """All figures by name, with their unit in the name."""
    _write(dataset, folder)
    index = load_index(dataset)
    typed = [word[:end] for word in TYPED for end in range(2, len(word) + 1)]
    long = "lorem ipsum: dolor sit amet\n" * 40_000 + texts[0]
    with serving(folder) as root, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox", "--disable-gpu"])
        with Chromium(browser=browser).visit(root) as visit:
            visit.open()

            def asked(name: str, path: str, questions: Sequence[str]) -> dict[str, Any]:
                known: dict[str, Any] = visit.page.evaluate(
                    ASK, {"folder": name, "index": path, "questions": list(questions)}
                )
                assert known["ready"] == {"ready": True}, known["ready"]
                return known

            pasted = asked("match", match_index.PATH, texts)
            large = asked("match", match_index.PATH, [texts[0], long])
            found = asked("search", search_index.PATH, typed)
            visit.check()
        browser.close()
    equal = sum(
        _same(got["card"], answer(text, index).matches) for text, got in zip(texts, pasted["answers"], strict=True)
    )
    return {
        "pastes": len(texts),
        "answered as `errcat match`": equal,
        "paste index [MB]": (folder / match_index.PATH).stat().st_size / 1e6,
        "paste index ready [ms]": pasted["waited"],
        "paste, median [ms]": statistics.median(pasted["times"]),
        "paste, slowest [ms]": max(pasted["times"]),
        "paste of 1.1 MB [ms]": large["times"][1],
        "search index [MB]": (folder / search_index.PATH).stat().st_size / 1e6,
        "search index ready [ms]": found["waited"],
        "typing, median [ms]": statistics.median(found["times"]),
        "typing, slowest [ms]": max(found["times"]),
    }


def _write(dataset: Path, folder: Path) -> None:
    site = load(datasets.read(dataset))
    for path in site.paths():
        if path == "index.html" or path.startswith("static/") or path in {match_index.PATH, search_index.PATH}:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(site.render(path) or b"")


def _same(card: dict[str, Any], matches: Sequence[Any]) -> bool:
    shown = [(record["id"], record["score"]) for record in card.get("records", ())]
    return shown == [(match.entry.id, f"{match.score:.2f}") for match in matches]


if __name__ == "__main__":
    main()
