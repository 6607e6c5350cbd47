"""Commands that look into datasets: show, why, validate, export."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import DatasetOrAll, Name, Out, to_stdout


@app.command()
def show(
    name: Name,
    *,
    dataset: DatasetOrAll = None,
    out: Out = Path("output"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as JSON.")] = False,
) -> None:
    """Show one record."""
    from pipeline.card import card
    from pipeline.dataset import datasets, find, read
    from pipeline.dataset.lookup import is_gone, look_up

    wanted = [read(dataset)] if dataset else datasets(out) or [find(out)]
    there, record = look_up(wanted, name)
    to_stdout(record.model_dump_json(indent=2) + "\n" if as_json else card(record, gone=is_gone(there, record)))


@app.command("why")
def why_record(
    name: Name,
    *,
    dataset: DatasetOrAll = None,
    out: Out = Path("output"),
    tree: Annotated[Path | None, typer.Option(help="The folder it was mined from, where that was a folder.")] = None,
    git: Annotated[str | None, typer.Option(help="URL or path to fetch its commit from.")] = None,
) -> None:
    """Show how the text of a record was resolved: each step with file and line."""
    from pipeline.dataset import datasets, find, read
    from pipeline.dataset.lookup import look_up
    from pipeline.progress import ProgressBar
    from pipeline.source.named import of_revision
    from pipeline.why import why

    wanted = [read(dataset)] if dataset else datasets(out) or [find(out)]
    _, record = look_up(wanted, name)
    with ProgressBar() as progress:
        source = of_revision(record.repo, record.revision, tree=tree, git=git).read(progress)
        lines = why(record, source)
    to_stdout("".join(f"{line}\n" for line in lines))


@app.command()
def validate(dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder of a dataset.")]) -> None:
    """Check a dataset: every line, every pattern, every sum. Exit code 1 when something is wrong."""
    from pipeline.dataset.validation import validate as problems_of
    from pipeline.progress import ProgressBar

    with ProgressBar() as progress:
        problems = problems_of(dataset, progress)
    to_stdout("".join(f"{problem}\n" for problem in problems) or "valid\n")
    if problems:
        raise typer.Exit(1)


@app.command()
def export(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder of a dataset.")],
    *,
    schema_version: Annotated[int, typer.Option(min=2, max=3, help="Shape of the records.")] = 3,
) -> None:
    """Print the records of a dataset as JSON lines, in the shape of a schema version."""
    import json

    from pipeline.dataset import read
    from pipeline.record import to_version_2

    for record in read(dataset).records():
        if schema_version == 2:
            to_stdout(json.dumps(to_version_2(record), ensure_ascii=False, separators=(",", ":")) + "\n")
        else:
            to_stdout(record.model_dump_json() + "\n")
