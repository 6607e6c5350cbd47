"""A chain followed: what became of each error, and what the table, the plot and the ledger say of it."""

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
import pytest
from conftest import NOW, make_record, make_run

from pipeline import dataset
from pipeline.errors import SourceError
from pipeline.history import plot, table, unit
from pipeline.history.chain import Chain, Revision, Tally, follow
from pipeline.history.ledger import together
from pipeline.history.published import Published, published, with_explanations
from pipeline.history.spread import Found, Gap
from pipeline.history.steps import Step
from pipeline.manifest import Coverage, Exclusion, PathReason
from pipeline.record import ExplainedBy, Record
from pipeline.source.named import Named
from pipeline.source.tree import SourceFile, SourceTree, blob_id

MISSING = "-"


def tree(source: str, name: str) -> SourceTree:
    """A tree of one file."""
    data = source.encode()
    return SourceTree(
        repo="o/pkg",
        revision=name,
        analyzed_sha=None,
        link_ref=f"v{name}",
        revision_time=f"2026-01-{int(name[2:]):02}T00:00:00.000Z",
        files=(SourceFile(path="pkg/core.py", blob_id=blob_id(data), data=data),),
    )


def chain(sources: Sequence[str], said: Published = lambda _repo, _revision: iter(())) -> Chain:
    """The chain of revisions 1.1, 1.2, … with these sources; `-` is one that could not be had."""
    found: list[Found | Gap] = []
    for number, source in enumerate(sources, 1):
        name = f"1.{number}"
        step = Step(name=name, source=Named(repo="o/pkg", release=name))
        if source == MISSING:
            found.append(Gap(step=step, reason="gone from the index"))
        else:
            found.append(Found(step=step, result=unit.work(unit.pack(tree(source, name)))))
    return follow(found, moment=NOW, published=said)


def raising(*texts: str) -> str:
    """A module with a function for each text, which raises it."""
    return "".join(f"def f{i}(x, y):\n  if x > {i}:\n    raise ValueError({text})\n" for i, text in enumerate(texts))


OLD = "f'the shape of {x} does not fit at all'"
NEW = "f'the shape of {x} does not fit that of {y}'"
RENAMED = "f'the shape of {y} does not fit at all'"
OTHER = "'an error of its own, of another kind'"


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ([raising(OLD)], ["- 1.1 1.1..1.1"]),
        ([raising(OLD), raising(OLD)], ["- 1.2 1.1..1.2"]),
        ([raising(OLD), raising(NEW), raising(NEW)], ["- 1.3 1.1..1.1 1.2..1.3"]),
        ([raising(OLD), raising(NEW), raising(OLD)], ["- 1.3 1.1..1.1 1.2..1.2 1.3..1.3"]),
        ([raising(OLD), raising(RENAMED)], ["- 1.2 1.1..1.1 1.2..1.2"]),
        ([raising(OLD, OTHER), raising(OLD), raising(OLD)], ["- 1.3 1.1..1.3", "- 1.1 1.1..1.1"]),
        ([raising(OLD), raising(OLD, OTHER)], ["- 1.2 1.1..1.2", "1.2 1.2 1.2..1.2"]),
        ([raising(OLD, OTHER), raising(OLD), raising(OLD, OTHER)], ["- 1.3 1.1..1.3", "- 1.3 1.1..1.1 1.3..1.3"]),
        ([raising(OLD), MISSING, raising(OLD)], ["- 1.3 1.1..1.3"]),
        ([raising(OLD), "\n# moved down\n" + raising(OLD)], ["- 1.2 1.1..1.2"]),
        ([raising(OLD), "", raising(OTHER)], ["- 1.1 1.1..1.1", "1.3 1.3 1.3..1.3"]),
    ],
)
def test_each_error_is_followed(sources: list[str], expected: list[str]) -> None:
    assert sorted(map(life, chain(sources).records)) == sorted(expected)


def life(record: Record) -> str:
    """Introduced in, last seen in, and the revisions of each text."""
    spans = (f"{text.from_}..{text.to}" for text in record.texts)
    return " ".join([record.introducedIn or "-", record.lastSeenIn or "-", *spans])


def test_a_record_has_its_newest_form_and_its_texts_the_older_ones() -> None:
    found = chain([raising(OLD, OTHER), raising(NEW)])
    one, gone = sorted(found.records, key=lambda record: record.revision, reverse=True)
    assert (one.revision, one.errorMessage) == ("1.2", "the shape of {x} does not fit that of {y}")
    assert one.githubUrl is not None
    assert "/v1.2/" in one.githubUrl
    assert [(t.errorMessage, t.messagePattern, t.placeholders) for t in one.texts] == [
        ("the shape of {x} does not fit at all", "the shape of (.+?) does not fit at all", ("x",)),
        ("the shape of {x} does not fit that of {y}", "the shape of (.+?) does not fit that of (.+?)", ("x", "y")),
    ]
    assert (gone.revision, gone.errorMessage) == ("1.1", "an error of its own, of another kind")
    assert {record.analyzedAt for record in found.records} == {NOW}


def test_a_chain_of_one_is_what_mining_finds() -> None:
    found = chain([raising(OLD, NEW)])
    alone = unit.unpack(unit.work(unit.pack(tree(raising(OLD, NEW), "1.1"))))
    undated = {"lastSeenIn": None, "texts": (), "analyzedAt": unit.UNDATED}
    assert tuple(record.model_copy(update=undated) for record in found.records) == alone.records
    assert found.coverage == alone.coverage


def test_a_gap_is_named_and_without_any_revision_there_is_no_chain() -> None:
    found = chain([raising(OLD), MISSING])
    assert [(gap.step.name, gap.reason) for gap in found.gaps] == [("1.2", "gone from the index")]
    assert [revision.name for revision in found.revisions] == ["1.1"]
    with pytest.raises(SourceError, match=r"^no revision could be mined; the first: gone from the index$"):
        chain([MISSING, MISSING])


def test_ledgers_are_added_up_and_their_paths_say_of_which_revision() -> None:
    def ledger(number: int) -> Coverage:
        return Coverage(
            files=number,
            raiseStatements=10 * number + 1,
            bareRaises=number,
            assertsWithMessage=number,
            recordedRaises=9 * number,
            recordedAsserts=number,
            reRaises=number,
            excluded=(Exclusion(statement="raise", path="a.py", line=number, reason="why"),),
            damagedFiles=(PathReason(path="b.py", reason="damage"),),
            unknownTexts={"call": number},
            boundsHit={"depth": number, f"only {number}": 1},
        )

    found = together({"1.0": ledger(1), "2.0": ledger(2)})
    found.check()
    assert (found.files, found.raiseStatements, found.recordedRaises, found.reRaises) == (3, 32, 27, 3)
    assert [(e.path, e.line) for e in found.excluded] == [("1.0:a.py", 1), ("2.0:a.py", 2)]
    assert [f.path for f in found.damagedFiles] == ["1.0:b.py", "2.0:b.py"]
    assert found.unknownTexts == {"call": 3}
    assert found.boundsHit == {"depth": 3, "only 1": 1, "only 2": 1}


CHAIN = [raising(OLD), raising(OLD, OTHER), MISSING, raising(NEW, OTHER, "'and one more, unlike them'"), raising(OTHER)]


def test_the_table_is_for_pandas() -> None:
    found = chain(CHAIN)
    frame = pd.read_parquet(io.BytesIO(table.parquet(found.revisions)))
    assert frame.columns.tolist() == ["revision", "time", "errorClass", "total", "added", "removed", "reworded"]
    assert frame.revision.tolist() == ["1.1", "1.2", "1.4", "1.5"]
    assert frame.time.dt.day.tolist() == [1, 2, 4, 5]
    assert frame.errorClass.unique().tolist() == ["ValueError"]
    assert frame.total.tolist() == [1, 2, 3, 1]
    assert frame.added.tolist() == [0, 1, 1, 0]
    assert frame.removed.tolist() == [0, 0, 0, 2]
    assert frame.reworded.tolist() == [0, 0, 1, 0]


def tallied(name: str, **totals: int) -> Revision:
    tallies = tuple(
        Tally(error_class=None if key == "unknown" else key, total=number, added=number // 9, removed=number // 10)
        for key, number in sorted(totals.items())
    )
    return Revision(name=name, revision=name, time=None, sha=None, size=1, tallies=tallies)


PLOTTED = [
    tallied("0.1", ValueError=1200, TypeError=300, unknown=12, KeyError=9, OSError=8, EOFError=7, A=6, B=5),
    tallied("0.2<&>", ValueError=1300, TypeError=200, unknown=12),
    tallied("a-tag-with-a-very-long-name", ValueError=900),
]


def test_the_plot_says_what_it_shows() -> None:
    drawn = plot.svg("o/n", PLOTTED)
    assert drawn == plot.svg("o/n", list(PLOTTED))
    root = ET.fromstring(drawn)
    space = {"": "http://www.w3.org/2000/svg"}
    assert root.get("role") == "img"
    title = root.find("./title[@id='title']", space)
    about = root.find("./desc[@id='description']", space)
    assert title is not None
    assert about is not None
    assert root.get("aria-labelledby") == "title description"
    assert title.text == "Errors of o/n, 0.1 to a-tag-with-a-very-long-name"
    assert about.text == (
        "Stacked columns, one for each of 3 revisions: from 1,547 errors in 0.1 to 900 errors in "
        "a-tag-with-a-very-long-name. Most were added in 0.2<&> (167), most removed in 0.2<&> (151). "
        "Largest classes in a-tag-with-a-very-long-name: ValueError 900."
    )
    tips = [tip.text for tip in root.findall("./rect/title", space)]
    assert tips[:7] == [
        *("0.1: ValueError 1,200", "0.1: TypeError 300", "0.1: unknown 12", "0.1: KeyError 9", "0.1: OSError 8"),
        *("0.1: EOFError 7", "0.1: other classes 11"),
    ]
    assert tips[-2:] == ["a-tag-with-a-very-long-name: 100 added", "a-tag-with-a-very-long-name: 90 removed"]
    names = [text.text for text in root.findall("./text[@class='name']", space)]
    assert names == ["0.1", "0.2<&>", "a-tag-with-a-…"]


def test_columns_are_as_high_as_their_numbers_and_stay_inside() -> None:
    root = ET.fromstring(plot.svg("o/n", PLOTTED))
    height = float(root.attrib["viewBox"].split()[3])
    sizes = []
    for bar in root.iter("{http://www.w3.org/2000/svg}rect"):
        y, high = float(bar.get("y", 0)), float(bar.get("height", 0))
        assert 0 <= y <= y + high <= height
        tip = bar.find("{http://www.w3.org/2000/svg}title")
        if tip is not None and tip.text is not None and "ed" not in tip.text.rsplit(" ", 1)[1]:
            sizes.append((int(tip.text.rsplit(" ", 1)[1].replace(",", "")), high))
    unit_height = sizes[0][1] / sizes[0][0]
    assert len(sizes) == 11
    assert all(high == pytest.approx(number * unit_height, abs=0.011) for number, high in sizes)


@pytest.mark.parametrize("revisions", [PLOTTED[:1], [tallied("1", ValueError=1)], [tallied("1"), tallied("2")]])
def test_small_histories_can_be_plotted(revisions: list[Revision]) -> None:
    assert ET.fromstring(plot.svg("o/n", revisions)).tag.endswith("svg")


def test_many_revisions_get_as_many_names_as_there_is_room_for() -> None:
    drawn = plot.svg("o/n", [tallied(f"1.{i}", ValueError=i + 1) for i in range(200)])
    assert len(re.findall('class="name"', drawn)) == 40


@pytest.mark.parametrize(("colours", "ground"), [(plot.COLOURS, plot.GROUND[0]), (plot.DARK, plot.GROUND[1])])
def test_every_colour_stands_out_from_the_ground(colours: Sequence[str], ground: str) -> None:
    for colour in colours:
        light, dark = sorted((luminance(colour), luminance(ground)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3, colour


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour, as WCAG has it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_published_ids_stay_and_what_was_before_takes_them() -> None:
    sources = [raising(OLD, OTHER), raising(NEW, OTHER), raising(NEW), raising(NEW)]
    alone = unit.unpack(unit.work(unit.pack(tree(sources[2], "1.3")))).records
    public = [record.model_copy(update={"id": "7" * 16, "aliases": ("5" * 16,)}) for record in alone]
    public += [make_record("of a file that this chain does not look at", repo="o/pkg", revision="1.3")]

    def told(repo: str, revision: str) -> Iterator[Record]:
        assert repo == "o/pkg"
        return iter(public if revision == "1.3" else ())

    before, after = chain(sources), chain(sources, told)
    one, gone = sorted(after.records, key=lambda record: record.revision, reverse=True)
    assert one.id == "7" * 16
    assert {"5" * 16, *(r.id for r in before.records if r.revision == "1.4")} <= set(one.aliases)
    assert gone.id in {record.id for record in before.records}
    assert sorted(map(life, after.records)) == sorted(map(life, before.records))
    assert after.revisions == before.revisions  # nothing was added or removed for it


def test_explanations_come_from_the_dataset_of_a_records_own_revision(tmp_path: Path) -> None:
    found = chain([raising(OLD, OTHER), raising(NEW)])
    by = ExplainedBy(writer="derived")
    for revision, kept in {"1.1": "gone", "1.2": "here"}.items():
        records = [r for r in found.records if r.revision == revision]
        told = {"id": "9" * 16, "texts": (), "explainedBy": by, "documentation": kept, "publicApi": ("pkg.f",)}
        run = make_run(1, repo="o/pkg", revision=revision)
        dataset.write(tmp_path, [record.model_copy(update=told) for record in records], run)
    explained = with_explanations(found.records, published(tmp_path))
    assert {r.revision: (r.documentation, r.explainedBy, r.publicApi) for r in explained} == {
        "1.1": ("gone", by, ("pkg.f",)),
        "1.2": ("here", by, ("pkg.f",)),
    }
    assert [r.id for r in explained] == [r.id for r in found.records]
    assert with_explanations(found.records, published(tmp_path / "none")) == found.records
