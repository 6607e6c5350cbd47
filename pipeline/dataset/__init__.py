"""The dataset: a folder of records, written and read whole."""

from pipeline.dataset.folder import Dataset, datasets, find, read, write

__all__ = ["Dataset", "datasets", "find", "read", "write"]
