"""Finding records, page by page: tables, and the law that pages make up the whole."""

from typing import Any

import pytest
from conftest import make_record, make_run
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.manifest import Manifest, count
from pipeline.record import Record
from pipeline.serve.queries import ChangedError, CursorError, Query, Search
from pipeline.serve.schemas import Found

RECORDS = [
    make_record("Axis {x} is out of range", id="a" * 16, qualname="f", publicApi=("pkg.lax.cumsum",)),
    make_record("out of memory", id="b" * 16, errorClass="MemoryError", filePath="pkg/mem.py"),
    make_record("range out of order", id="c" * 16, filePath="pkg/lax/axis.py", publicApi=("pkg.lax", "pkg.sort")),
    make_record("", "", id="d" * 16, errorClass="OwnError", errorClassPublic="pkg.errors.OwnError", title=None),
    make_record("naïve STRASSE", id="e" * 16, filePath="pkg/laxative.py", publicApi=("pkg.laxative",), qualname=None),
]


def search(records: list[Record], **changes: Any) -> Search:
    manifest = Manifest(**dict(make_run(len(records), **changes)), counts=count(records), recordsSha256="0" * 64)
    return Search(records, manifest)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (Query(), "abcde"),
        (Query(words=("out",)), "abc"),
        (Query(words=("out", "of")), "abc"),
        (Query(words=("range",)), "ac"),
        (Query(words=("out", "of", "range")), "ac"),  # as it stands first, then in any order
        (Query(words=("axis",)), "ac"),  # in the message first, then elsewhere
        (Query(words=("cumsum",)), "a"),
        (Query(words=("strasse",)), "e"),
        (Query(words=("naïve",)), "e"),
        (Query(words=("dddddddddddddddd",)), "d"),
        (Query(words=("nothing",)), ""),
        (Query(error_class="MemoryError"), "b"),
        (Query(error_class="OwnError"), "d"),
        (Query(error_class="pkg.errors.OwnError"), "d"),
        (Query(error_class="Error"), ""),
        (Query(file="pkg/mem.py"), "b"),
        (Query(file="pkg/lax"), "c"),
        (Query(file="pkg/lax/"), "c"),
        (Query(file="pkg"), "abcde"),
        (Query(api="pkg.lax"), "ac"),
        (Query(api="pkg.lax.cumsum"), "a"),
        (Query(api="pkg"), "ace"),
        (Query(words=("out",), file="pkg/lax", api="pkg.sort"), "c"),
        (Query(words=("out",), file="pkg/lax", api="pkg.lax.cumsum"), ""),
    ],
)
def test_what_is_found(query: Query, found: str) -> None:
    page = search(RECORDS).page(query, cursor=None, limit=100)
    assert "".join(row.id[0] for row in page.errors) == found
    assert (page.total, page.nextCursor) == (len(found), None)


MESSAGES = st.lists(st.sampled_from(["out of range", "range out", "of", "axis out", ""]), max_size=40)


@settings(deadline=None)
@given(MESSAGES, st.integers(1, 15), st.lists(st.sampled_from(["out", "of", "range"]), max_size=3))
def test_pages_make_up_the_whole(messages: list[str], limit: int, words: list[str]) -> None:
    records = [make_record(message, id=f"{number:016x}") for number, message in enumerate(messages)]
    where, query = search(records), Query(words=tuple(words))
    whole = where.page(query, cursor=None, limit=1_000)
    parts: list[Found] = []
    cursor = None
    while True:
        page = where.page(query, cursor=cursor, limit=limit)
        parts += page.errors
        cursor = page.nextCursor
        if cursor is None:
            break
        assert len(page.errors) == limit
    assert tuple(parts) == whole.errors
    assert len(parts) == whole.total == page.total


def test_a_cursor_is_of_one_query_and_one_dataset() -> None:
    cursor = search(RECORDS).page(Query(words=("out",)), cursor=None, limit=1).nextCursor
    assert cursor is not None
    assert search(RECORDS).page(Query(words=("out",)), cursor=cursor, limit=1).errors[0].id[0] == "b"
    with pytest.raises(CursorError):
        search(RECORDS).page(Query(words=("of",)), cursor=cursor, limit=1)
    later = search(RECORDS, datasetVersion="2026-08-28T00:00:00.000Z")
    with pytest.raises(ChangedError):
        later.page(Query(words=("out",)), cursor=cursor, limit=1)
