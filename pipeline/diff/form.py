"""The formats of a comparison."""

import enum


class Format(enum.StrEnum):
    """What a comparison can be written as: for a terminal, for release notes, for programs, as annotations."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    GITHUB = "github"
