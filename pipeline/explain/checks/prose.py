"""Whether the prose speaks of this error, in its own words, and of nothing that is made up."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pipeline.explain.checks.code import Program, doubt
from pipeline.explain.checks.finding import Finding
from pipeline.explain.checks.names import PublicNames
from pipeline.explain.explanation import CODE_FIELDS, PROSE_FIELDS, Explanation, texts

if TYPE_CHECKING:
    from pipeline.evidence.pack import Evidence

COPIED = 9  # words in a row
ALIKE = 0.8  # of the letters of a name that is nearly one of the evidence
_URL: Final = re.compile(r"https?://[^\s\"'`<>()\[\]{}]+[^\s\"'`<>()\[\]{}.,;:!?]")
_SETTING: Final = re.compile(
    r"(?<![\w/.-])(?:--[a-z][\w-]+|(?:jax|xla|tpu|libtpu)_[a-z0-9_]+|[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])(?!\w)"
)
_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_VERSION: Final = re.compile(
    r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w.]*\w)|"
    r"\b(?:jax|jaxlib|python|numpy|cuda|cudnn|version|release)\s+v?(\d+\.\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_CODE_SPAN: Final = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_PROPER: Final = re.compile(r"(?<=[a-z,;)] )[A-Z][a-z]{3,}(?![\w-])")
_KNOWN_NAMES_LISTED: Final = """
python numpy scipy pallas mosaic triton hopper blackwell ampere ada cuda jacobian hessian cholesky fourier
hermitian toeplitz vandermonde gaussian poisson bernoulli dirichlet gumbel laplace cauchy pareto weibull
rademacher threefry flax optax haiku equinox orbax pytorch tensorflow keras colab jupyter kubernetes slurm
linux windows docker github google nvidia apple metal einstein boolean unicode ascii mersenne euler newton
krylov householder givens schur kronecker hadamard chebyshev legendre bessel gamma beta zeta nesterov adam
tracer array jaxpr pytree true false none ellipsis markdown
"""
_KNOWN_NAMES: Final = frozenset(_KNOWN_NAMES_LISTED.split())


def evidence_text(evidence: "Evidence") -> str:
    """Everything that the evidence says, in lower case."""
    parts = [
        evidence.error_class, *evidence.messages, *evidence.placeholders, evidence.condition, evidence.qualname,
        evidence.file_path, evidence.signature, evidence.docstring, *evidence.decorators, evidence.class_docstring,
        evidence.source, *evidence.callers, *evidence.public_api, *evidence.siblings,
        *(test.code for test in evidence.tests),
        *(f"{quote.text} {quote.url or ''}" for quote in evidence.quotes),
    ]  # fmt: skip
    return "\n".join(part for part in parts if part).lower()


def inventions(explanation: Explanation, known: str, names: PublicNames) -> Iterator[Finding]:
    """Addresses, settings and releases that are not in the evidence. known: its text."""
    for field, text in texts(explanation, PROSE_FIELDS + CODE_FIELDS):
        for url in _URL.findall(text):
            if url.lower() not in known:
                yield _made_up(field, f"the address {url}")
        for setting in dict.fromkeys(_SETTING.findall(text) if field in PROSE_FIELDS else _OPTION.findall(text)):
            yield from _setting(field, setting, known, names)
    for field, text in texts(explanation, PROSE_FIELDS):
        for found in _VERSION.finditer(_CODE_SPAN.sub(" ", text)):
            if (found[1] or found[0]).lower().lstrip("v") not in known:
                yield _made_up(field, f"the version {found[0]}")


def settings_in_code(program: Program, known: str, names: PublicNames) -> Iterator[Finding]:
    """Environment variables and options that code sets or reads. Code meant to fail may name one that is none."""
    failing = program.part == "before" or program.field == "tryCatchPattern"
    for node in ast.walk(program.tree):
        match node:
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))):
                pass
            case ast.Call(
                func=ast.Attribute(attr="getenv" | "setdefault" | "get", value=owner),
                args=[ast.Constant(value=str(name)), *_],
            ) if ast.unparse(owner) in {"os", "os.environ"}:
                pass
            case ast.Call(func=ast.Attribute(attr="update"), args=[ast.Constant(value=str(name)), _]):
                pass
            case _:
                continue
        for found in _setting(program.field, name, known, names):
            yield doubt("inventions", program.field, found.detail) if failing else found


def _setting(field: str, setting: str, known: str, names: PublicNames) -> Iterator[Finding]:
    plain = setting.lstrip("-").lower()
    if plain in known:
        return
    if names.mentions(plain):
        yield doubt("inventions", field, f"`{setting}` is in the library, but not in what it says about this error")
    else:
        yield _made_up(field, f"the setting {setting}")


def _made_up(field: str, what: str) -> Finding:
    return Finding(check="inventions", field=field, detail=f"{what} is not in the evidence")


def copied(explanation: Explanation, own_words: tuple[str, ...], known: str) -> Iterator[Finding]:
    """Runs of words that come from the prompt and not from the evidence."""
    prompt = _runs_of(own_words)
    for field, text in texts(explanation, PROSE_FIELDS):
        taken = [run for run in _runs(text.lower()) if run in prompt]
        if taken and (own := set(taken) - set(_runs(known))):
            said = next(run for run in taken if run in own)
            yield Finding(check="copied", field=field, detail=f"“{' '.join(said)}” is copied from the prompt")


@lru_cache(maxsize=4)  # one prompt, for thousands of answers
def _runs_of(texts: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(run for text in texts for run in _runs(text.lower()))


def _runs(text: str) -> list[tuple[str, ...]]:
    words = _WORD.findall(text)
    return [tuple(words[at : at + COPIED]) for at in range(len(words) - COPIED + 1)]


def subject(explanation: Explanation, evidence: "Evidence") -> Iterator[Finding]:
    """Prose that names neither the class, nor the API, nor a hole of this error."""
    said = "\n".join(text for _, text in texts(explanation, ("documentation", "triggerScenarios", "solutions")))
    if said and not any(_names(said, word) for word in _subjects(evidence)):
        yield Finding(
            check="subject",
            field="documentation",
            detail="the prose names neither its class, nor an API, nor a value of it",
        )


def _subjects(evidence: "Evidence") -> Iterator[str]:
    yield from filter(None, [evidence.error_class])
    for name in (
        *evidence.public_api,
        *filter(None, [evidence.qualname]),
        *evidence.parameters,
        *evidence.placeholders,
    ):
        yield from (part for part in _WORD.findall(name)[-2:] if len(part) > 1 and not part.isdigit())


def _names(said: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) is not None


def misnamed(explanation: Explanation, known: str) -> Iterator[Finding]:
    """Proper names that nobody knows, and that are nearly one of the evidence: Pascal for Pallas."""
    words = set(_WORD.findall(known.replace("_", " ")))
    for field, text in texts(explanation, PROSE_FIELDS):
        for name in dict.fromkeys(_PROPER.findall(_CODE_SPAN.sub(" ", text))):
            low = name.lower()
            if low in words or low in _KNOWN_NAMES or low.rstrip("s") in words:
                continue
            meant = next((w for w in sorted(words) if w[:2] == low[:2] and len(w) == len(low) and _alike(w, low)), None)
            if meant:
                yield Finding(check="names", field=field, detail=f"“{name}” is unknown; is {meant.capitalize()} meant?")


def _alike(one: str, other: str) -> bool:
    """Whether most letters are the same: those who confuse names keep the sound, not the order."""
    return (Counter(one) & Counter(other)).total() >= ALIKE * len(one)
