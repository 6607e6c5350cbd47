"""The words an explanation is filed under: tags, background articles, and the rules that find them."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from pipeline import resources
from pipeline.record import Record

FEWEST, MOST = 3, 8  # tags


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """Tags (or one article) for errors whose path, class and text (in lower case) fit; a part not given fits all."""

    gives: tuple[str, ...]
    path: re.Pattern[str] | None = None
    error_class: re.Pattern[str] | None = None
    text: re.Pattern[str] | None = None

    def fits_place(self, path: str, error_class: str) -> bool:
        return (self.path is None or self.path.search(path) is not None) and (
            self.error_class is None or self.error_class.fullmatch(error_class) is not None
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Vocabulary:
    """tags, articles: all there are. tag_rules give tags in this order; the first of article_rules that fits wins.

    fallback: tags for errors of which the rules say too little.
    """

    tags: frozenset[str]
    articles: frozenset[str]
    tag_rules: tuple[Rule, ...]
    article_rules: tuple[Rule, ...]
    fallback: tuple[str, ...]

    def tags_of(self, record: Record) -> tuple[str, ...]:
        """3 to 8 tags of an error, the most telling first; fewer only where the vocabulary has no more."""
        named = dict.fromkeys(tag for rule in self._fitting(self.tag_rules, record) for tag in rule.gives)
        found = [tag for tag in named if tag in self.tags][:MOST]
        spare = [tag for tag in self.fallback if tag in self.tags and tag not in found]
        return (*found, *spare[: max(0, FEWEST - len(found))])

    def article_of(self, record: Record) -> str | None:
        """The background article of an error, if a rule names one that exists."""
        named = (tag for rule in self._fitting(self.article_rules, record) for tag in rule.gives)
        return next((tag for tag in named if tag in self.articles), None)

    def _fitting(self, rules: tuple[Rule, ...], record: Record) -> Iterator[Rule]:
        text = f"{record.errorMessage}\n{record.qualname or ''}\n{record.condition or ''}".lower()
        for rule in _of_place(rules, record.filePath, record.errorClass or ""):
            if rule.text is None or rule.text.search(text):
                yield rule


@lru_cache(maxsize=8192)
def _of_place(rules: tuple[Rule, ...], path: str, error_class: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.fits_place(path, error_class))


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary in `explanations/`: tags.txt, rules.toml and the articles of background/."""
    rules = tomllib.loads(resources.read("explanations", "rules.toml"))
    return Vocabulary(
        tags=_tags(),
        articles=frozenset(
            name.removesuffix(".md") for name in resources.names("explanations", "background", suffix=".md")
        ),
        tag_rules=tuple(_rule(row) for row in rules["tags"]),
        article_rules=tuple(_rule(row) for row in rules["background"]),
        fallback=tuple(rules["fallback"]),
    )


def _tags() -> frozenset[str]:
    lines = (line.partition("#")[0].strip() for line in resources.read("explanations", "tags.txt").splitlines())
    return frozenset(line for line in lines if line)


_PARTS: Final = {"path": "path", "class": "error_class", "text": "text"}


def _rule(row: dict[str, Any]) -> Rule:
    given = {field: re.compile(row[name]) for name, field in _PARTS.items() if name in row}
    gives = row["gives"]
    return Rule(gives=tuple(gives) if isinstance(gives, list) else (gives,), **given)
