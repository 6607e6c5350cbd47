"""The explanation: the fields of a record that are prose and code for its reader, and who wrote them."""

from typing import Any, Final

from pydantic import Field, ValidationError

from pipeline.errors import DatasetError
from pipeline.record import ExplainedBy, Model, Record, Strategy, Text


class Explanation(Model):
    """What a reader is told of an error. A field that nothing is known for is null, or an empty list."""

    documentation: Text | None = Field(default=None, description="What the error means: what the code requires.")
    triggerScenarios: Text | None = Field(default=None, description="Which calls and values raise it.")
    commonSituations: Text | None = Field(default=None, description="What people are doing when they meet it.")
    solutions: tuple[Text, ...] = Field(default=(), description="What to do, most likely first; a sentence each.")
    exampleFix: Text | None = Field(
        default=None,
        description="Python: a line `# before`, code that raises the error, a line `# after`, the code that works.",
    )
    handlingStrategy: Strategy | None = Field(default=None, description="The kind of defence that fits.")
    validationCode: Text | None = Field(default=None, description="Python that a caller runs before the call.")
    typeGuard: Text | None = Field(default=None, description="A Python function that tells good input from bad.")
    tryCatchPattern: Text | None = Field(default=None, description="Python that catches this error and no other.")
    preventionTips: tuple[Text, ...] = Field(default=(), description="Habits that avoid it; a sentence each.")
    tags: tuple[Text, ...] = Field(default=(), description="3 to 8 words of the vocabulary.")
    backgroundTag: Text | None = Field(default=None, description="The background article it belongs to.")


FIELDS: Final = tuple(Explanation.model_fields)
CODE_FIELDS: Final = ("exampleFix", "validationCode", "typeGuard", "tryCatchPattern")
PROSE_FIELDS: Final = ("documentation", "triggerScenarios", "commonSituations", "solutions", "preventionTips")
_KEPT_KEYWORDS: Final = {"type", "properties", "items", "anyOf", "enum", "description"}


def read_explanation(text: str | bytes) -> Explanation:
    """The explanation in a model's answer. DatasetError says which field is wrong."""
    try:
        return Explanation.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise DatasetError(f"{where}: {first['msg']}") from None


def explanation_of(record: Record) -> Explanation:
    """The explanation that a record carries."""
    return Explanation(**{name: getattr(record, name) for name in FIELDS})


def with_explanation(record: Record, explanation: Explanation, by: ExplainedBy) -> Record:
    """The record, explained."""
    return record.model_copy(update={**dict(explanation), "explainedBy": by})


def texts(explanation: Explanation, fields: tuple[str, ...]) -> list[tuple[str, str]]:
    """(field, text) of all that is said in these fields, lists an item at a time."""
    said: list[tuple[str, str]] = []
    for name in fields:
        value = getattr(explanation, name)
        said += [(name, text) for text in ([value] if isinstance(value, str) else value or ())]
    return said


def response_schema(tags: frozenset[str], articles: frozenset[str]) -> dict[str, Any]:
    """JSON Schema of an answer in the dialect of strict response formats: every field required, nothing else allowed.

    tags, articles: the values that `tags` and `backgroundTag` may have.
    """
    schema = _strict(Explanation.model_json_schema())
    properties = schema["properties"]
    if tags:
        properties["tags"]["items"]["enum"] = sorted(tags)
    if articles:
        properties["backgroundTag"]["anyOf"][0]["enum"] = sorted(articles)
    return schema


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    out = {name: value for name, value in schema.items() if name in _KEPT_KEYWORDS}
    if "properties" in out:
        out["properties"] = {name: _strict(value) for name, value in out["properties"].items()}
        out |= {"required": list(out["properties"]), "additionalProperties": False}
    if "items" in out:
        out["items"] = _strict(out["items"])
    if "anyOf" in out:
        out["anyOf"] = [_strict(option) for option in out["anyOf"]]
    return out
