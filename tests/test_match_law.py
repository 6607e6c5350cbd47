"""The law of finding: what a record can say is found, in every shape that people paste."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from match_shapes import SHAPES

from pipeline.match import Index, answer, dialect
from pipeline.match.answer import Answer, Origin
from pipeline.match.index import Variant, load
from pipeline.match.rivals import rival
from pipeline.match.search import How, Message, agree

LEAST = 8  # fixed characters
ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@%~éß漢"


@pytest.fixture(scope="module")
def index(jax_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    return load(jax_dataset, cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def said(index: Index) -> list[int]:
    """The variants that say enough, and not what Python or NumPy says in the same words."""
    return [n for n, v in enumerate(index.variants) if v.length >= LEAST and not rival(filled(v, lambda: "x")[0])]


def filled(variant: Variant, value: Callable[[], str]) -> tuple[str, list[str]]:
    """A text of the variant (first options, no optional parts), and what was put into its holes."""
    holes: list[str] = []

    def text(parts: dialect.Sequence) -> str:
        out = []
        for part in parts.parts:
            if isinstance(part, dialect.Text):
                out.append(part.text)
            elif isinstance(part, dialect.Gap):
                out.append(value())
                if part.hole:
                    holes.append(out[-1])
            elif part.least:
                out.append(text(part.options[0]))
        return "".join(out)

    return text(dialect.parse(variant.pattern)), holes


def alphabet(variant: Variant) -> str:
    """Characters that do not stand in the variant's fixed text."""
    return "".join(c for c in ALPHABET if c not in variant.core) or "漢"


def separated(variant: Variant) -> bool:
    """Whether fixed text lies between all holes, and nothing else varies: then a message has one reading."""
    kinds = [type(part) for part in dialect.parse(variant.pattern).parts]
    return dialect.Choice not in kinds and all(dialect.Text in pair for pair in pairwise(kinds) if dialect.Gap in pair)


def finds(found: Answer, number: int, message: str, index: Index) -> bool:
    """Whether the record is found, or one that says the same: all of the message, with as much fixed text."""
    own = agree(Message(text=message), number, index.variants[number])
    assert own, "a filled variant is not what the variant says"
    for m in found.matches[:1]:
        entry = index.entries.index(m.entry)
        alike = (agree(Message(text=message), n, index.variants[n]) for n in index.variants_of[entry])
        if any(other and other.fixed >= own.fixed for other in alike):
            return True
    ids = {i for m in found.matches[:1] for i in (m.entry.id, *m.ambiguous_with)}
    return index.entries[index.variants[number].entry].id in ids


def test_every_text_is_found_in_every_shape(index: Index, said: list[int]) -> None:
    @settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def law(data: st.DataObject) -> None:
        number = said[data.draw(st.integers(0, len(said) - 1))]
        variant = index.variants[number]
        entry = index.entries[variant.entry]
        values = st.text(st.sampled_from(alphabet(variant)), min_size=1, max_size=12)
        message, holes = filled(variant, lambda: data.draw(values))
        # A message with a fence of its own ends the code block around it, in Markdown too.
        shape = data.draw(st.sampled_from(sorted(set(SHAPES) - ({"fenced"} if "```" in message else set()))))
        found = answer(SHAPES[shape](entry.error_class or "ValueError", message), index)
        assert finds(found, number, message, index), (shape, message)
        first = found.matches[0]
        exact = first.entry.id == entry.id and entry.pattern == variant.pattern
        if exact and first.how is How.WHOLE and separated(variant):
            assert [dialect.squeezed(hole.text or "") for hole in first.holes] == holes  # a line can break in a value
        assert len(first.holes) == len(first.entry.placeholders)
        assert found.origin is Origin.REPOSITORY

    law()


@pytest.fixture(scope="module")
def long(index: Index, said: list[int]) -> list[tuple[int, str]]:
    """The variants that begin with at least 40 fixed characters, and those."""
    begun = [(n, dialect.parse(index.variants[n].pattern).parts[0]) for n in said]
    return [(n, part.text) for n, part in begun if isinstance(part, dialect.Text) and len(part.text) >= 40]


def test_a_message_cut_in_its_fixed_text_is_found_as_cut(index: Index, long: list[tuple[int, str]]) -> None:
    @settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def law(data: st.DataObject) -> None:
        number, text = long[data.draw(st.integers(0, len(long) - 1))]
        kept = text[: data.draw(st.integers(len(text) * 3 // 4, len(text) - 1))].rstrip()
        found = answer(f"{index.entries[index.variants[number].entry].error_class or 'ValueError'}: {kept}...", index)
        assert found.matches, kept
        (first, *_) = found.matches
        ids = {first.entry.id, *first.ambiguous_with}
        begin = {index.entries[index.variants[n].entry].id for n, other in long if other.startswith(kept)}
        # What is left can be all of what another record says, or its beginning before a hole.
        assert ids & begin or first.how is not How.REWORDED, kept

    law()
