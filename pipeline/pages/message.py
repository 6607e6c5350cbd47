"""The text of an error as HTML, its holes shown as holes, and as a heading on one line."""

import html
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from pipeline.match import dialect
from pipeline.pages.plain import cut, visible
from pipeline.record import MessageVariant, Record

if TYPE_CHECKING:
    from pipeline.match.dialect import Choice, Gap, Text

HEADING_LENGTH: Final = 110
_MANY: Final = 400  # holes, beyond which they are not worth finding
_REPEATED: Final = " …"


def heading(record: Record) -> str:
    """What a record is called in a list or at the top of its page: its text on one line, or what it has instead."""
    if record.errorMessage.strip() and record.literalLength is not None:
        return visible(cut(record.errorMessage, HEADING_LENGTH))
    name = record.errorClass or "Error"
    what = "without a message" if record.literalLength is not None else "with a text that is known at run time only"
    place = record.qualname or record.filePath
    return visible(f"{name} {what}, from {place}")


def marked(variant: MessageVariant) -> Markup:
    """The text of a variant, each hole in a `<var>` with its braces."""
    parts = _parts(variant)
    return Markup("").join(
        Markup("<var>{{{}}}</var>").format(_shown(text)) if hole else _shown(text) for hole, text in parts
    )


def _shown(text: str) -> Markup:
    return Markup(html.escape(visible(text), quote=False))  # noqa: S704  # escaped here


def _parts(variant: MessageVariant) -> list[tuple[bool, str]]:
    """Fixed text and the expressions of holes, in order. The pattern tells which braces are a hole's."""
    message = variant.errorMessage
    if "{" not in message:
        return [(False, message)]
    shape = list(_shape(dialect.parse(variant.messagePattern)))
    if len(shape) > _MANY:
        return [(False, message)]
    import re2

    pattern = "".join(r"\{(.+?)\}" if text is None else re2.escape(text) for text in shape)
    found = re2.fullmatch(pattern, message, _options())
    if found is None:
        return [(False, message)]
    expressions = iter(found.groups())
    return [(text is None, next(expressions) if text is None else text) for text in shape]


def _shape(sequence: dialect.Sequence) -> Iterator[str | None]:
    """What a message made from the pattern shows, in order: fixed text, None for a hole.

    Of alternatives it shows the first, a repeated part once.
    """
    parts: Sequence[Text | Gap | Choice] = sequence.parts
    for part in parts:
        if isinstance(part, dialect.Text):
            yield part.text
        elif isinstance(part, dialect.Gap):
            yield None
        else:
            yield from _shape(part.options[0])
            if part.repeat:
                yield _REPEATED


def _options() -> Any:
    import re2

    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    return options
