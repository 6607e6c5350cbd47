"""The summary of a run, in Markdown: what changed, what it cost, what fell short."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from pipeline.record import Text
from pipeline.refresh.gates.names import GATES, Gate
from pipeline.refresh.gates.verdict import Verdict
from pipeline.refresh.newest import shown
from pipeline.refresh.results import Compared, Made, Paged

NAMED: Final = 8  # files in a list
MOST: Final = 40_000  # characters of changes; a comment or an issue takes no more than 65,536


@dataclass(frozen=True, kw_only=True, slots=True)
class Story:
    """What there is to tell. What was not reached is None, or empty.

    left_at: folder of a candidate that was refused. published: folder of one that was not. pruned: folders that went.
    unneeded: gates that an override was given for and that were passed. changes: CHANGES.md.
    """

    repo: str
    revision: str
    said: str
    before: str | None
    verdicts: tuple[Verdict, ...]
    made: Made | None = None
    compared: Compared | None = None
    paged: Paged | None = None
    published: Text | None = None
    left_at: Text | None = None
    pruned: tuple[str, ...] = ()
    unneeded: tuple[Gate, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    changes: str = ""


def summary(story: Story) -> str:
    """The whole summary, with a newline at the end."""
    parts = [_head(story), *_changed(story), *_cost(story), *_short(story), *_gates(story), *_details(story)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _head(story: Story) -> str:
    refused = [verdict for verdict in story.verdicts if not verdict.lets_through]
    name = f"{story.repo} {shown(story.revision)}"
    if refused:
        gates = ", ".join(f"`{verdict.gate}`" for verdict in refused)
        return (
            f"# {name}: not published\n\nRefused by {gates}. What was published before still is. The candidate is left "
            f"in `{story.left_at}`; with `--override {refused[0].gate}=REASON` it is published all the same.\n"
        )
    was = f" after {shown(story.before)}" if story.before else ", the first"
    return f"# {name}: published\n\n{story.said.capitalize()}{was}, now in `{story.published}`.\n"


def _changed(story: Story) -> Iterator[str]:
    yield "## What changed\n"
    if story.compared is None:
        told = "Nothing was published before." if story.before is None else "Not compared."
        yield told + "\n"
        return
    counts = [f"{kind} {number:,}" for kind, number in story.compared.counts.items() if number]
    breaking = f", of these breaking {story.compared.breaking:,}" if story.compared.breaking else ""
    changed = ", ".join(counts) or "nothing"
    yield f"Since {story.compared.before}: {changed}{breaking}; unchanged {story.compared.unchanged:,}.\n"


def _cost(story: Story) -> Iterator[str]:
    yield "## What it cost\n"
    if made := story.made:
        explained = ", ".join(f"{writer} {number:,}" for writer, number in made.explained.items())
        yield f"- {made.records:,} records: {explained}; carried over {made.carried:,}"
        if made.model:
            tokens = f"{made.input:,} tokens in, {made.output:,} out"
            yield f"- {made.calls:,} answers of {made.model}: {tokens}, ${made.usd:.4f}"
        else:
            yield "- no model was asked"
    if story.paged:
        yield f"- {story.paged.files:,} files of pages"
    if story.pruned:
        yield f"- removed, as no more than so many are kept: {', '.join(story.pruned)}"
    total = sum(story.seconds.values())
    longest = ", ".join(f"{step} {taken:.1f}" for step, taken in story.seconds.items() if taken >= 0.05)
    yield f"- {total:.1f} s{': ' if longest else ''}{longest}\n"


def _short(story: Story) -> Iterator[str]:
    found = list(_shortcomings(story))
    if found:
        yield "## What fell short\n"
        yield from (f"- {line}" for line in found)
        yield ""


def _shortcomings(story: Story) -> Iterator[str]:
    for verdict in story.verdicts:
        if verdict.override is not None:
            yield f"published although `{verdict.gate}` was not passed, since: {verdict.override}"
    if story.unneeded:
        yield f"overrides that were not needed: {', '.join(f'`{gate}`' for gate in story.unneeded)}"
    if made := story.made:
        yield from (f"{number:,} records without an answer of the model: {why}" for why, number in made.left.items())
        if made.wanting:
            yield "running it again goes on with those; what was answered is kept"
        if made.unmatched:
            names = ", ".join(made.unmatched[:NAMED]) + (", …" if len(made.unmatched) > NAMED else "")
            yield f"reviewed explanations that match no record ({len(made.unmatched)}): {names}"


def _gates(story: Story) -> Iterator[str]:
    yield "## Gates\n"
    yield "| gate | | found | asked for |"
    yield "|---|---|---|---|"
    for verdict in story.verdicts:
        said = "passed" if verdict.passed else "**overridden**" if verdict.override else "**failed**"
        yield f"| {verdict.gate} | {said} | {_cell(verdict.figure)} | {_cell(verdict.bound)} |"
    yield ""
    for verdict in story.verdicts:
        if not verdict.passed and verdict.detail:
            yield f"`{verdict.gate}` ({GATES[verdict.gate]}):\n"
            yield from (f"- `{_code(line)}`" for line in verdict.detail)
            yield ""


def _details(story: Story) -> Iterator[str]:
    if not story.changes:
        return
    text = story.changes
    if len(text) > MOST:
        text = text[:MOST].rpartition("\n")[0] + "\n\n… the rest is in CHANGES.md.\n"
    yield text


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _code(text: str) -> str:
    return " ".join(text.replace("`", "'").split())
