"""The table of a history: a row for each revision and class, for pandas and the like."""

from collections.abc import Sequence
from typing import Final

from pipeline.history.chain import Revision

UNKNOWN: Final = "unknown"
"""The class of errors whose class the source does not tell."""


def parquet(revisions: Sequence[Revision]) -> bytes:
    """The table as Parquet, revisions in their order, classes by name.

    revision: its release or tag. time: of the commit or release, null where unknown. errorClass; total, added, removed,
    reworded: how many errors, against the revision before. Over the classes of a revision, total is the total of the
    one before plus added minus removed.
    """
    import pyarrow as pa
    import pyarrow.parquet

    rows = [(revision, tally) for revision in revisions for tally in revision.tallies]
    columns = {
        "revision": pa.array([revision.name for revision, _ in rows], pa.string()),
        "time": pa.array([revision.time for revision, _ in rows], pa.string()).cast(pa.timestamp("ms", tz="UTC")),
        "errorClass": pa.array([tally.error_class or UNKNOWN for _, tally in rows], pa.string()),
    }
    for name in ("total", "added", "removed", "reworded"):
        columns[name] = pa.array([getattr(tally, name) for _, tally in rows], pa.int64())
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(pa.table(columns), sink, compression="zstd")
    return bytes(sink.getvalue())
