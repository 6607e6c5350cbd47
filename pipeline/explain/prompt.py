"""The prompt: what a model is asked about one error. The part that is the same for all comes first.

It is rendered from the evidence alone, so that an error whose evidence did not change is asked the same thing.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from pipeline import resources
from pipeline.explain.budget import guess
from pipeline.explain.explanation import Explanation

if TYPE_CHECKING:
    import jinja2

    from pipeline.evidence.pack import Evidence

Role = Literal["system", "user", "assistant"]
LONGEST_SOURCE: Final = 6_000  # characters of a function
LONGEST_PIECE: Final = 1_500  # characters of anything else
_FENCE: Final = re.compile(r"`{3,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """A reviewed explanation that shows what is wanted."""

    error_class: str
    message: str
    explanation: Explanation


@dataclass(frozen=True, kw_only=True)
class Question:
    """One request to a model. evidence: its hash. parameters: what is sent beside the messages and the schema."""

    model: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    parameters: Mapping[str, Any]
    evidence: str
    most_output: int

    @cached_property
    def body(self) -> dict[str, Any]:
        """The request as the endpoint gets it."""
        return {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in self.messages],
            "max_completion_tokens": self.most_output,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "explanation", "strict": True, "schema": self.schema},
            },
            **self.parameters,
        }

    @cached_property
    def text(self) -> str:
        """The request as JSON."""
        return json.dumps(self.body, ensure_ascii=False, sort_keys=True)

    @cached_property
    def key(self) -> str:
        """`sha256:` and the digest of prompt, model, parameters, schema and evidence."""
        return _sha256(f"{self.text}\0{self.evidence}")

    @cached_property
    def guessed(self) -> int:
        """Input tokens by the length of the request."""
        return guess(self.text)

    def again(self, answer: str, complaint: str) -> "Question":
        """The question that goes on after an answer with what is wrong with it."""
        more = (Message(role="assistant", content=answer), Message(role="user", content=complaint))
        return Question(
            model=self.model,
            messages=self.messages + more,
            schema=self.schema,
            parameters=self.parameters,
            evidence=self.evidence,
            most_output=self.most_output,
        )


@dataclass(frozen=True)
class Prompt:
    """The files of `prompts/`, with examples. schema: of the answer."""

    system: str
    user: str
    schema: Mapping[str, Any]
    examples: tuple[Example, ...] = ()

    @cached_property
    def hash(self) -> str:
        """`sha256:` and the digest of everything that is the same for all errors."""
        opening = [(m.role, m.content) for m in self.opening]
        return _sha256(json.dumps([opening, self.user, self.schema], ensure_ascii=False))

    @cached_property
    def opening(self) -> tuple[Message, ...]:
        """The messages that come first, the same for all."""
        said = [Message(role="system", content=self.system)]
        for example in self.examples:
            shown = f"errorClass: {example.error_class}\nmessage:\n{fenced(example.message)}"
            answer = example.explanation.model_dump_json()
            said += [Message(role="user", content=shown), Message(role="assistant", content=answer)]
        return tuple(said)

    @cached_property
    def own_words(self) -> tuple[str, ...]:
        """Texts that no answer may repeat: the instructions, and the explanations of other errors."""
        return (self.system, *(example.explanation.model_dump_json() for example in self.examples))

    @cached_property
    def _template(self) -> "jinja2.Template":
        import jinja2

        environment = jinja2.Environment(  # noqa: S701  # it makes plain text, in which nothing is markup
            undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
        )
        environment.filters |= {"fenced": fenced, "clipped": clipped}
        return environment.from_string(self.user)

    def question(
        self, evidence: "Evidence", *, model: str, parameters: Mapping[str, Any], most_output: int
    ) -> Question:
        """What a model is asked about the error with this evidence."""
        said = self._template.render(evidence=evidence, longest_source=LONGEST_SOURCE, longest_piece=LONGEST_PIECE)
        return Question(
            model=model,
            messages=(*self.opening, Message(role="user", content=said)),
            schema=self.schema,
            parameters=parameters,
            evidence=evidence.hash,
            most_output=most_output,
        )


def read_prompt(schema: Mapping[str, Any], examples: Sequence[Example] = ()) -> Prompt:
    """The prompt in `prompts/`."""
    return Prompt(
        system=resources.read("prompts", "system.md"),
        user=resources.read("prompts", "user.md.j2"),
        schema=schema,
        examples=tuple(examples),
    )


def fenced(text: str, language: str = "text") -> str:
    """The text in a fence that nothing inside of it can close."""
    longest = max(map(len, _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def clipped(text: str, longest: int) -> str:
    """The beginning and the end of a text that is too long, at line ends, and how much is left out."""
    if len(text) <= longest:
        return text
    head = text[: longest // 3].rpartition("\n")[0]
    tail = text[-(longest - longest // 3) :].partition("\n")[2]
    return f"{head}\n[{len(text) - len(head) - len(tail)} characters left out]\n{tail}"


def _sha256(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
