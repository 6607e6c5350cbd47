"""A record as text for a terminal: sections without content are absent."""

import re
from collections.abc import Iterator

from pipeline.record import Record

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def card(record: Record, *, gone: bool = False) -> str:
    """The record in plain text, with a newline at the end; control characters are shown as escapes.

    gone: the error is no more.
    """
    sections = [*_sections(record)]
    if gone:
        sections.insert(1, ("Gone", f"last seen in {record.lastSeenIn}"))
    parts = [f"{heading}\n{body}" if heading else body for heading, body in sections if body]
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", "\n\n".join(parts)) + "\n"


def _sections(record: Record) -> Iterator[tuple[str, str | None]]:
    name = record.errorClassPublic or record.errorClass or "an error of unknown class"
    yield "", f"{record.id} · {record.repo} {record.revision} · {record.severity} · {name}"
    yield "Message", _texts(record)
    yield "Thrown at", f"{record.filePath}:{record.lineNumber}" + (f" in {record.qualname}" if record.qualname else "")
    yield "When", record.condition
    yield "What it means", record.documentation
    yield "When it happens", record.triggerScenarios
    yield "Common situations", record.commonSituations
    yield "Solutions", "\n".join(f"{number}. {text}" for number, text in enumerate(record.solutions, 1))
    yield "Example fix", record.exampleFix
    yield "Validate before calling", record.validationCode
    yield "Type guard", record.typeGuard
    yield "Catch it", record.tryCatchPattern
    yield "Prevention", "\n".join(f"- {text}" for text in record.preventionTips)
    yield "Source", _excerpt(record)
    yield "Known since", record.introducedIn
    yield "Earlier ids", "\n".join(record.aliases)
    yield "Links", "\n".join(link for link in (record.githubUrl, record.docsUrl) if link)


def _texts(record: Record) -> str:
    if record.literalLength is None:
        return f"not known from the source: {record.literalUnknownWhy}"
    texts = [variant.errorMessage for variant in record.messageVariants]
    return "\nor\n".join(text or "(nothing)" for text in texts)


def _excerpt(record: Record) -> str:
    lines = record.sourceCode.split("\n")
    raised = range(record.lineNumber, record.endLineNumber + 1)
    width = len(str(record.sourceCodeEnd))
    return "\n".join(
        f"{'>' if number in raised else ' '} {number:{width}} {line}".rstrip()
        for number, line in enumerate(lines, record.sourceCodeStart)
    )
