"""Which public names the code and the prose of an explanation use, and whether they exist."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.explain.checks.code import Program, doubt
from pipeline.explain.checks.finding import Finding
from pipeline.explain.checks.names import Presence, PublicNames

ALIASES: Final[Mapping[str, str]] = {
    "jnp": "jax.numpy",
    "lax": "jax.lax",
    "pl": "jax.experimental.pallas",
    "pltpu": "jax.experimental.pallas.tpu",
    "plgpu": "jax.experimental.pallas.mosaic_gpu",
    "jsp": "jax.scipy",
}
"""Short names that everybody uses."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """A dotted name where it is used. keywords: those of a call."""

    dotted: str
    line: int
    keywords: tuple[str, ...] = ()


def uses(tree: ast.Module, roots: frozenset[str]) -> Iterator[Use]:
    """The names that code takes from packages with these first names."""
    known = dict(_imports(tree, roots))
    keywords = dict(_calls(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] in roots:
            yield from (Use(dotted=f"{node.module}.{a.name}", line=node.lineno) for a in node.names if a.name != "*")
        if isinstance(node, ast.Name | ast.Attribute) and (dotted := _dotted(node, known)):
            yield Use(dotted=dotted, line=node.lineno, keywords=keywords.get(id(node), ()))


def _imports(tree: ast.Module, roots: frozenset[str]) -> Iterator[tuple[str, str]]:
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    stored |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    yield from (
        (short, full)
        for short, full in ALIASES.items()
        if full.partition(".")[0] in roots - stored and short not in stored
    )
    yield from ((root, root) for root in roots - stored)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in roots and alias.asname:
                    yield alias.asname, alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] in roots:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _calls(tree: ast.Module) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Keywords by the node that is called; `partial(f, k=…)` gives them to f."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            keywords = tuple(keyword.arg for keyword in node.keywords if keyword.arg)
            is_partial = isinstance(node.func, ast.Name | ast.Attribute) and ast.unparse(node.func).endswith("partial")
            yield id(node.args[0] if is_partial and node.args else node.func), keywords


def _dotted(node: ast.Name | ast.Attribute, known: Mapping[str, str]) -> str | None:
    parts: list[str] = []
    at: ast.expr = node
    while isinstance(at, ast.Attribute):
        parts.append(at.attr)
        at = at.value
    if not isinstance(at, ast.Name) or at.id not in known:
        return None
    return ".".join([known[at.id], *reversed(parts)])


def check_code(program: Program, names: PublicNames) -> Iterator[Finding]:
    """Names and keywords in code that do not exist."""
    found = list(uses(program.tree, names.roots))
    for use in found:
        yield from _check(use, program.field, names)


def _check(use: Use, field: str, names: PublicNames) -> Iterator[Finding]:
    seen = names.look(use.dotted)
    if seen.presence is Presence.MISSING:
        yield Finding(check="names", field=field, detail=f"`{use.dotted}` does not exist")
    elif seen.presence is Presence.UNKNOWN:
        yield doubt("names", field, f"whether `{use.dotted}` exists cannot be told from the source")
    elif seen.keywords is not None:
        for keyword in use.keywords:
            if keyword not in seen.keywords:
                yield Finding(check="names", field=field, detail=f"`{use.dotted}` has no argument `{keyword}`")


def check_prose(field: str, text: str, names: PublicNames) -> Iterator[Finding]:
    """Dotted names in prose that do not exist."""
    short = [alias for alias, full in ALIASES.items() if full.partition(".")[0] in names.roots]
    if not names.roots:
        return
    roots = "|".join(map(re.escape, sorted({*names.roots, *short}, key=len, reverse=True)))
    for found in re.finditer(rf"(?<![\w./@-])(?:{roots})(?:\.[A-Za-z_]\w*)+", text):
        first, _, rest = found[0].partition(".")
        if rest not in {"py", "md", "toml"}:
            yield from _check(
                Use(dotted=f"{ALIASES.get(first, first) if first in short else first}.{rest}", line=0), field, names
            )
