"""Background articles: what many errors share, told once."""

from collections.abc import Collection
from dataclasses import dataclass

from pipeline import resources

ABOUT_JAX = "jax-ml/jax"
"""The repository that the articles of errcat are about: its site has all of them, others those that they refer to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Article:
    """An article: its title, and its Markdown without it."""

    tag: str
    title: str
    text: str


def read(repo: str, wanted: Collection[str | None]) -> dict[str, Article]:
    """The articles of a site by tag."""
    found = (name.removesuffix(".md") for name in resources.names("explanations", "background", suffix=".md"))
    return {tag: _article(tag) for tag in found if repo == ABOUT_JAX or tag in wanted}


def _article(tag: str) -> Article:
    first, _, rest = resources.read("explanations", "background", f"{tag}.md").lstrip().partition("\n")
    return Article(tag=tag, title=first.removeprefix("#").strip(), text=rest.strip() + "\n")
