"""What errcat brings along for explaining: reviewed explanations, vocabulary, prompt."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from pipeline import resources
from pipeline.explain.explanation import response_schema
from pipeline.explain.prompt import Example, Prompt, read_prompt
from pipeline.explain.reviewed import Reviewed, all_reviewed
from pipeline.explain.vocabulary import Vocabulary, vocabulary

FEW_SHOT: Final = "few-shot.txt"


@dataclass(frozen=True, kw_only=True)
class Library:
    reviewed: tuple[Reviewed, ...]
    vocabulary: Vocabulary

    def prompt(self, *, examples: bool = True) -> Prompt:
        """The prompt, with the examples of `prompts/few-shot.txt`. A small model has no room for them."""
        schema = response_schema(self.vocabulary.tags, self.vocabulary.articles)
        return read_prompt(schema, self._examples() if examples else ())

    def _examples(self) -> list[Example]:
        by_name = {entry.name: entry for entry in self.reviewed}
        lines = (line.partition("#")[0].strip() for line in resources.read("prompts", FEW_SHOT).splitlines())
        chosen = [by_name[name] for name in lines if name]
        return [Example(error_class=e.error_class, message=e.texts[0], explanation=e.explanation) for e in chosen]


@cache
def library() -> Library:
    """The one that comes with errcat. WriterError where a file of it is wrong."""
    return Library(reviewed=all_reviewed(), vocabulary=vocabulary())
