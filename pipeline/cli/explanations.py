"""Commands on explanations: new, todo, check; and the small local model."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Name, Out, now, to_stdout
from pipeline.source.named import JAX, Named

explanations = typer.Typer(help="Reviewed explanations: begin one, see which are needed, check them.")
app.add_typer(explanations, name="explanations")


@explanations.command("new")
def new_explanation(
    name: Name,
    *,
    dataset: Annotated[Path | None, typer.Option(help="Look in this dataset.")] = None,
    out: Out = Path("output"),
) -> None:
    """Begin a reviewed explanation from a record, and print its path."""
    from pipeline.dataset import datasets, find, read
    from pipeline.dataset.lookup import look_up
    from pipeline.explain.command import new_file

    _, record = look_up([read(dataset)] if dataset else datasets(out) or [find(out)], name)
    typer.echo(new_file(record))


@explanations.command("todo")
def explanations_todo(
    *,
    dataset: Annotated[Path | None, typer.Option(help="Look in this dataset; by default in the newest.")] = None,
    out: Out = Path("output"),
    top: Annotated[int, typer.Option(min=1, help="So many lines at most.")] = 40,
) -> None:
    """List records that need a reviewed explanation, those that users meet most first."""
    from pipeline.dataset import find, read
    from pipeline.explain.command import todo

    rows = todo(tuple((read(dataset) if dataset else find(out)).records()))
    for weight, record, why in rows[:top]:
        place = f"{record.filePath}:{record.lineNumber}"
        to_stdout(
            f"{weight:4} {record.id} {record.errorClass or '?'} {place} ({why}) {record.title or ''}".split("\n")[0]
            + "\n"
        )


@explanations.command("check")
def check_explanations(
    *,
    sha: Annotated[str | None, typer.Option(help="Against the source of a commit.")] = None,
    release: Annotated[str | None, typer.Option(help="Against the source of a release.")] = None,
    tree: Annotated[Path | None, typer.Option(help="Against the source in a folder.")] = None,
    repo: Annotated[str | None, typer.Option(help=f"OWNER/NAME; {JAX} by default.")] = None,
) -> None:
    """Run the checks on all reviewed explanations. Exit code 1 when one of them fails."""
    named = Named(repo=repo, sha=sha, release=release, tree=tree)
    named.check()
    from pipeline import catalogue
    from pipeline.evidence import pack
    from pipeline.explain.command import verdicts
    from pipeline.explain.write import check_reviewed
    from pipeline.progress import ProgressBar

    with ProgressBar() as progress:
        source = named.read(progress)
        mined = catalogue.build(source, analyzed_at=now(), progress=progress)
        evidence = pack.collect(source, mined.records, facts=mined.facts, progress=progress)
        checked, unmatched = check_reviewed(mined.records, evidence, source)
    found = list(verdicts(checked))
    to_stdout("".join(f"{line}\n" for _, line in found))
    to_stdout("".join(f"{name}: matches no record of {source.repo} {source.revision}\n" for name in unmatched))
    failed = sum(verdict == "failed" for verdict, _ in found)
    to_stdout(f"checked {len(checked)}, failed {failed}, matched no record {len(unmatched)}\n")
    if failed:
        raise typer.Exit(1)


@app.command("local-model")
def local_model() -> None:
    """Get a small model to try --writer local with, and print the path of its file."""
    from pipeline.explain.local import unpack_small_model
    from pipeline.explain.store import store_path

    typer.echo(unpack_small_model(store_path().parent / "models"))
