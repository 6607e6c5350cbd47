"""The dataset: a folder of records, written and read whole."""

from pipeline.dataset.folder import Dataset, datasets, find, read, write
from pipeline.dataset.neighbours import Neighbours, chained, is_after, neighbours, previous

__all__ = [
    "Dataset",
    "Neighbours",
    "chained",
    "datasets",
    "find",
    "is_after",
    "neighbours",
    "previous",
    "read",
    "write",
]
