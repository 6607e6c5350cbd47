"""The writer that needs no model: what the source says of an error, put into words and code."""

from pipeline.explain.derived.writer import derive

__all__ = ["derive"]
