"""Reviewed explanations: their files, and the records that they win."""

from pathlib import Path

import pytest
from conftest import make_record

from pipeline.errors import WriterError
from pipeline.explain.command import new_file, todo
from pipeline.explain.explanation import with_explanation
from pipeline.explain.library import library
from pipeline.explain.reviewed import Assignment, Reviewed, all_reviewed, assign, read_reviewed
from pipeline.record import Check, ExplainedBy, MessageVariant, Record

TEXT = """---
errorClass: ValueError
repo: local/pkg
texts:
  - "bad 3"
handlingStrategy: validation
tags: [jit, shapes, scan]
---
## What it means
It is bad.

## not a heading, but text?

## Solutions
1. Do this,
   on two lines.
2. Or that.

## Example fix
```python
# before
f(3)
## with a comment
# after
f(4)
```

## Prevention
- Think.
"""


def reviewed(text: str = TEXT, name: str = "bad.md", **front: str) -> Reviewed:
    more = "".join(f"{key}: {value}\n" for key, value in front.items())
    body = text.replace("## not a heading, but text?\n\n", "")
    return read_reviewed(name, body.replace("handlingStrategy", f"{more}handlingStrategy"))


def test_a_file_is_read() -> None:
    entry = reviewed()
    assert (entry.error_class, entry.texts, entry.file_path, entry.qualname) == ("ValueError", ("bad 3",), None, None)
    explanation = entry.explanation
    assert explanation.documentation == "It is bad."
    assert explanation.solutions == ("Do this, on two lines.", "Or that.")
    assert explanation.exampleFix == "# before\nf(3)\n## with a comment\n# after\nf(4)"
    assert explanation.preventionTips == ("Think.",)
    assert explanation.tags == ("jit", "shapes", "scan")
    assert explanation.typeGuard is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no front matter", "it does not begin with front matter"),
        ("---\n: [\n---\n", "its front matter is no YAML"),
        ("---\ntexts: [x]\n---\n", "has no errorClass"),
        ("---\nerrorClass: E\n---\n", "has no texts"),
        ("---\nerrorClass: E\ntexts: [x]\nauthor: me\n---\n", "unknown keys: author"),
        (TEXT, "a section 'not a heading, but text?' is unknown"),
        (TEXT.replace("## not a heading, but text?", "## Solutions"), "a section 'Solutions' is there twice"),
        (TEXT.replace("## not a heading, but text?", "## Type guard\nnone"), "'Type guard' has no fenced code"),
        ("---\nerrorClass: E\ntexts: [x]\nhandlingStrategy: hope\n---\n", "handlingStrategy: Input should be"),
    ],
)
def test_a_file_that_is_none(text: str, said: str) -> None:
    with pytest.raises(WriterError) as caught:
        read_reviewed("x.md", text)
    assert str(caught.value).startswith("explanations/x.md: ")
    assert said in str(caught.value)


GENERAL = make_record("bad {x}", "bad (.+?)", filePath="a.py")
SPECIAL = make_record("bad {x}3", "bad (.*?)3", filePath="b.py", placeholders=["x"])
VAGUE = make_record("{x}", "(.+?)", filePath="c.py", placeholders=["x"], literalLength=0)
OTHER = make_record("bad {x}", "bad (.+?)", filePath="d.py", errorClass="KeyError")
SEVERAL = make_record(
    "no {x}",
    "(?:no (.+?)|bad 3)",
    filePath="e.py",
    messageVariants=[
        MessageVariant(errorMessage="no {x}", messagePattern="no (.+?)"),
        MessageVariant(errorMessage="bad 3", messagePattern="bad 3"),
    ],
)


def named(entry: Reviewed, *records: Record) -> list[str]:
    by_id = assign([entry], records).by_id
    return [record.filePath for record in records if record.id in by_id]


def test_the_most_specific_record_wins() -> None:
    assert named(reviewed(), GENERAL, VAGUE, OTHER) == ["a.py"]
    assert named(reviewed(), GENERAL, SPECIAL, VAGUE, OTHER) == ["b.py"]
    assert named(reviewed(), GENERAL, SEVERAL) == ["e.py"]
    assert named(reviewed(), SPECIAL, SEVERAL) == ["b.py", "e.py"]
    assert named(reviewed(filePath="a.py"), GENERAL, SPECIAL, SEVERAL) == ["a.py"]
    assert named(reviewed(), VAGUE) == []  # a text that is all hole says nothing
    assert named(reviewed(qualname="f", filePath="c.py"), VAGUE) == ["c.py"]
    assert assign([reviewed(name="x.md")], [OTHER]).unmatched == ("x.md",)
    elsewhere = read_reviewed(
        "y.md", "---\nerrorClass: ValueError\ntexts: [bad 3]\n---\n"
    )  # jax's, as no other is named
    assert assign([elsewhere], [GENERAL]) == Assignment(by_id={}, unmatched=())


def test_of_two_files_the_one_with_more_text_wins() -> None:
    two = read_reviewed("two.md", TEXT.replace("## not a heading, but text?\n\n", "").replace("bad 3", "no more"))
    assert assign([reviewed(), two], [SEVERAL]).by_id[SEVERAL.id].name == "bad.md"


def test_those_that_come_with_errcat() -> None:
    entries = all_reviewed()
    kept = library()
    assert len(entries) >= 25
    assert len(kept.vocabulary.articles) >= 8
    for entry in entries:
        assert set(entry.explanation.tags) <= kept.vocabulary.tags, entry.name
        assert entry.explanation.backgroundTag in {None, *kept.vocabulary.articles}, entry.name
    prompt = kept.prompt()
    assert len(prompt.examples) >= 2
    assert prompt.hash == kept.prompt().hash != kept.prompt(examples=False).hash


def test_a_new_file_reads_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.resources.path", lambda name: tmp_path)
    entry = reviewed()
    record = with_explanation(GENERAL, entry.explanation, ExplainedBy(writer="derived"))
    path = new_file(record)
    assert path.name == "bad-x.md"
    again = read_reviewed(path.name, path.read_text())
    assert again.explanation == entry.explanation
    assert assign([again], [record]).by_id == {record.id: again}
    with pytest.raises(WriterError, match=r"is there already\. Edit it"):
        new_file(record)


def test_todo_names_what_matters_first() -> None:
    failed = ExplainedBy(writer="openai", checks=(Check(name="names", verdict="failed", detail="x"),))
    records = [
        GENERAL.model_copy(update={"explainedBy": ExplainedBy(writer="derived")}),
        SPECIAL.model_copy(update={"explainedBy": failed, "publicApi": ("a", "b")}),
        SEVERAL.model_copy(update={"explainedBy": ExplainedBy(writer="reviewed")}),
        OTHER,
    ]
    assert [(weight, record.filePath, why) for weight, record, why in todo(records)] == [
        (2, "b.py", "failed names"),
        (0, "a.py", "only derived"),
        (0, "d.py", "not explained"),
    ]
