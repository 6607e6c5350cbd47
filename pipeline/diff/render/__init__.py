"""A comparison as text: for a terminal, for release notes, for GitHub, for programs."""

from pipeline.diff.comparison import Comparison
from pipeline.diff.form import Format
from pipeline.diff.render.github import github
from pipeline.diff.render.markdown import markdown
from pipeline.diff.render.text import text


def render(comparison: Comparison, form: Format, *, colour: bool = False) -> str:
    """The comparison in that format, with a newline at the end. colour: for a terminal that shows it."""
    if form is Format.JSON:
        from pipeline.diff.render.document import document

        return document(comparison).model_dump_json(by_alias=True) + "\n"
    if form is Format.MARKDOWN:
        return markdown(comparison)
    return github(comparison) if form is Format.GITHUB else text(comparison, colour=colour)


__all__ = ["render"]
