"""What several test modules need: records made by hand, and the real jax 0.9.2, mined once."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline import dataset
from pipeline.manifest import Coverage, Run
from pipeline.record import MessageVariant, Record, fingerprint, first_id, slug, title

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue
    from pipeline.source.tree import SourceTree

for _name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):  # no test asks a real endpoint
    os.environ.pop(_name, None)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a job in the background is started so, and hands it down
    signal.signal(signal.SIGINT, signal.default_int_handler)

NOW = "2026-08-27T09:53:25.000Z"
EPOCH = "1787824405"  # the same moment
SHARED = Path(__file__).parents[2] / "shared"


def make_record(message: str = "bad {x}", pattern: str = "bad (.+?)", **changes: Any) -> Record:
    """A whole record; what `changes` names is replaced."""
    path, error_class = changes.get("filePath", "pkg/core.py"), changes.get("errorClass", "ValueError")
    fields = {
        "id": first_id(
            repo="local/pkg", file_path=path, qualname="f", error_class=error_class, template=message, ordinal=0
        ),
        "repo": "local/pkg",
        "revision": "tree-0123456789ab",
        "slug": slug(message),
        "title": title(message),
        "errorMessage": message,
        "messagePattern": pattern,
        "messageVariants": [MessageVariant(errorMessage=message, messagePattern=pattern)],
        "placeholders": ["x"] * pattern.count("(.+?)"),
        "literalLength": len(message.replace("{x}", "")),
        "errorType": "exception",
        "errorClass": error_class,
        "fingerprint": fingerprint(error_class, pattern),
        "filePath": path,
        "lineNumber": 2,
        "endLineNumber": 2,
        "qualname": "f",
        "sourceCode": "def f(x):\n  raise ValueError(f'bad {x}')",
        "sourceCodeStart": 1,
        "sourceCodeEnd": 2,
        "analyzedSha": None,
        "analyzedAt": NOW,
    }
    return Record(**{**fields, **changes})


def make_run(raises: int = 1, **changes: Any) -> Run:
    """A run that found so many raise statements, all recorded; what `changes` names is replaced."""
    coverage = Coverage(
        files=1,
        raiseStatements=raises,
        bareRaises=0,
        assertsWithMessage=0,
        recordedRaises=raises,
        recordedAsserts=0,
        reRaises=0,
    )
    fields = {
        "datasetVersion": NOW,
        "repo": "local/pkg",
        "revision": "tree-0123456789ab",
        "revisionTime": None,
        "analyzedSha": None,
        "coverage": coverage,
        "toolVersion": "0",
    }
    return Run(**{**fields, **changes})


def three_records() -> list[Record]:
    """Records in the order of a dataset."""
    return [
        make_record("bad {x}", "bad (.+?)", filePath="a.py"),
        make_record("", "", filePath="b.py", errorClass=None),
        make_record("naïve \u2028 {x} and {x}", "naïve \u2028 (.+?) and (.+?)", filePath="b.py", errorClass="KeyError"),
    ]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A small dataset on disk."""
    return dataset.write(tmp_path / "out", three_records(), make_run(3))


@pytest.fixture(scope="session")
def jax_tree() -> "SourceTree":
    """The source of the release jax 0.9.2, downloaded once into the user's cache."""
    from pipeline.source.cache import cache_folder
    from pipeline.source.release import read_release

    return read_release("jax", "0.9.2", repo="jax-ml/jax", cache=cache_folder())


@pytest.fixture(scope="session")
def jax_catalogue(jax_tree: "SourceTree") -> "Catalogue":
    """Everything that jax 0.9.2 can raise."""
    from pipeline import catalogue

    return catalogue.build(jax_tree, analyzed_at=NOW)


@pytest.fixture(scope="session")
def jax_dataset(jax_tree: "SourceTree", jax_catalogue: "Catalogue", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset of jax 0.9.2 on disk, explained, as `errcat dataset` writes it without a model."""
    from pipeline.evidence import pack
    from pipeline.explain.plan import Plan
    from pipeline.explain.write import write
    from pipeline.pages.related import relate

    evidence = pack.collect(jax_tree, jax_catalogue.records, facts=jax_catalogue.facts)
    records = relate([pack.with_evidence(r, its) for r, its in zip(jax_catalogue.records, evidence, strict=True)])
    written = write(records, evidence, jax_tree, plan=Plan(writer="derived"))
    run = make_run(
        repo=jax_tree.repo,
        revision=jax_tree.revision,
        revisionTime=jax_tree.revision_time,
        analyzedSha=jax_tree.analyzed_sha,
        coverage=jax_catalogue.coverage,
    )
    return dataset.write(tmp_path_factory.mktemp("jax"), written.records, run)


@pytest.fixture(scope="session")
def jax_site(jax_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of jax 0.9.2 on disk, as `errcat pages` writes it."""
    from pipeline.pages.build import build
    from pipeline.pages.site import load

    out = tmp_path_factory.mktemp("pages") / "site"
    build(load(dataset.read(jax_dataset), base_url="https://errors.example/some/sub/path/"), out)
    return out


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """A file of the folder beside the checkout that holds references and scorers; its absence skips the test."""

    def path(name: str) -> Path:
        found = SHARED / name
        if not found.exists():
            pytest.skip(f"../shared/{name} is not there")
        return found

    return path
