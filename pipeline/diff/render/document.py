"""A comparison as JSON: its shape, and the JSON Schema of it."""

from typing import Annotated, Any, Literal

from pydantic import Field

from pipeline.diff.changes import Change
from pipeline.diff.comparison import Comparison, summary
from pipeline.diff.kind import Kind
from pipeline.diff.words import Said
from pipeline.record import SCHEMA_VERSION, Hex16, Model, Record, Text


class WordsDocument(Model):
    """A piece of the main text."""

    said: Said
    """Whether the old text has it, the new one, or both."""
    text: Text
    """The piece itself."""


class ChangeDocument(Model):
    """One change."""

    kind: Kind
    """What changed; of several, the first in the order of kinds."""
    also: tuple[Kind, ...]
    """The other kinds it is of."""
    breaking: bool
    """Whether a handler written for the old error no longer catches it."""
    old: Record | None
    """The error before; null where added."""
    new: Record | None
    """The error after; null where removed."""
    affects: tuple[Text, ...]
    """Public names that reach it, as far as known."""
    words: tuple[WordsDocument, ...]
    """The main texts compared word by word; empty unless reworded."""
    splitOf: Hex16 | None
    """Id of the old error that an added one was part of."""
    mergedInto: Hex16 | None
    """Id of the new error that a removed one became part of."""


class Document(Model):
    """What changed in the errors of a repository between two revisions."""

    schemaVersion: Literal[3] = SCHEMA_VERSION
    """Version of this format, and of the records in it."""
    before: Annotated[Text, Field(alias="from")]
    """The old revision."""
    after: Annotated[Text, Field(alias="to")]
    """The new revision."""
    summary: dict[Kind, Annotated[int, Field(ge=0)]]
    """Changes by their kind."""
    changes: tuple[ChangeDocument, ...]
    """The changes, by file, line and kind."""


def document(comparison: Comparison) -> Document:
    """The comparison in this shape."""
    return Document.model_validate(
        {
            "from": comparison.before,
            "to": comparison.after,
            "summary": summary(comparison.changes),
            "changes": [_change(change) for change in comparison.changes],
        }
    )


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the document. Open to fields that a newer minor version adds."""
    schema = Document.model_json_schema(mode="serialization")
    for model in (schema, *schema["$defs"].values()):
        model.pop("additionalProperties", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:errcat:diff:{SCHEMA_VERSION}",
        **schema,
    }


def _change(change: Change) -> ChangeDocument:
    return ChangeDocument(
        kind=change.kind,
        also=change.also,
        breaking=change.breaking,
        old=change.old,
        new=change.new,
        affects=change.affects,
        words=tuple(WordsDocument(said=piece.said, text=piece.text) for piece in change.words),
        splitOf=change.split_of,
        mergedInto=change.merged_into,
    )
