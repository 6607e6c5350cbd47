"""The command line: parse, call, print. Everything heavy is imported by the command that needs it."""

import os
import re
import sys
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.errors import ErrcatError, SourceError

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue
    from pipeline.manifest import Run, Selection
    from pipeline.progress import ProgressBar
    from pipeline.record import Record
    from pipeline.source.tree import SourceTree

JAX = "jax-ml/jax"
INTERRUPTED = 130

app = typer.Typer(
    name="errcat",
    help="The error catalogue of a Python code base, from its source.",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Out = Annotated[Path, typer.Option(help="Folder of all datasets.")]


def main() -> None:
    """Entry point of the console script."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; its exit code. An error is one line on stderr, below its traceback with --debug."""
    try:
        code = app(arguments or ["--help"], prog_name="errcat", standalone_mode=False) or 0
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        return _fail(
            f"{error.format_message().rstrip('.')}. Try {context.command_path if context else 'errcat'} --help"
        )
    except Exception as error:  # noqa: BLE001  # the outermost edge: a fault of ours is told like any other
        if "--debug" in arguments:
            traceback.print_exc()
        if isinstance(error, ErrcatError):
            return _fail(str(error), error.exit_code)
        return _fail(f"{type(error).__name__}: {error}. This is a fault of errcat; errcat --debug … shows where")
    return _fail("interrupted", INTERRUPTED) if code == INTERRUPTED else code  # typer turns Ctrl-C into its code


def _fail(text: str, code: int = ErrcatError.exit_code) -> int:
    line = " ".join(f"errcat: error: {text}".split())
    sys.stderr.write(line + "\n")
    return code


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"errcat {_tool_version()}")
        raise typer.Exit


@app.callback()
def errcat(
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show a Python traceback when something fails.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """The error catalogue of a Python code base, from its source."""


@app.command()
def dataset(
    *,
    repo: Annotated[str | None, typer.Option(help=f"OWNER/NAME; {JAX} by default, local/<folder> for --tree.")] = None,
    sha: Annotated[str | None, typer.Option(help="Mine a commit: a full or short SHA, a tag or a branch.")] = None,
    release: Annotated[str | None, typer.Option(help="Mine a release from the package registry.")] = None,
    tree: Annotated[Path | None, typer.Option(help="Mine a folder.")] = None,
    git: Annotated[str | None, typer.Option(help="With --sha: URL or path to fetch from.")] = None,
    under: Annotated[str | None, typer.Option(help="Mine only what is under this path of the repository.")] = None,
    package: Annotated[str | None, typer.Option(help="With --release: name in the package registry.")] = None,
    out: Out = Path("output"),
    only: Annotated[str | None, typer.Option(help="Mine only files whose path fits this pattern.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Keep only so many records.")] = None,
    previous: Annotated[
        Path | None, typer.Option(help="Dataset whose explanations to keep; by default the newest of the repo.")
    ] = None,
    writer: Annotated[str, typer.Option(help="Who explains: auto, derived, openai or local.")] = "auto",
    model: Annotated[str | None, typer.Option(help="Model to ask; with --writer local a GGUF file.")] = None,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Spend at most so many dollars.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Use at most so many tokens.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what it would take, and stop.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Take the model's answers from the store only.")] = False,
    batch: Annotated[bool, typer.Option("--batch", help="Ask the model through the Batch API.")] = False,
    rewrite: Annotated[bool, typer.Option("--rewrite", help="Explain anew what did not change, too.")] = False,
) -> None:
    """Write the catalogue of one revision of a repository."""
    _one_source(sha=sha, release=release, tree=tree)
    _goes_with("--git", git, "--sha", sha)
    _goes_with("--package", package, "--release", release)
    _shape_of(repo)
    now = _now()
    from pipeline import catalogue, dataset
    from pipeline.evidence import pack
    from pipeline.explain import command as explain
    from pipeline.explain.write import estimate, make_plan, write
    from pipeline.manifest import Selection
    from pipeline.progress import ProgressBar

    options = {"offline": offline, "batch": batch, "rewrite": rewrite}
    plan = make_plan(writer, model=model, max_usd=max_usd, max_tokens=max_tokens, dry=dry_run, **options)

    with ProgressBar() as progress:
        started = time.perf_counter()
        source = _source(
            repo=repo, sha=sha, release=release, tree=tree, git=git, under=under, package=package, progress=progress
        )
        seconds = {"source": time.perf_counter() - started}
        mined = catalogue.build(source, analyzed_at=now, only=only, limit=limit, progress=progress)
        started = time.perf_counter()
        evidence = pack.collect(source, mined.records, facts=mined.facts, progress=progress)
        records = [pack.with_evidence(record, its) for record, its in zip(mined.records, evidence, strict=True)]
        collected = time.perf_counter()
        before = explain.previous_records(out, source.repo, previous)
        if plan.asks and (dry_run or not plan.offline):
            told = explain.estimate_text(estimate(records, evidence, source, plan=plan, previous=before), plan)
            typer.echo(told, err=not dry_run)
        if dry_run:
            return
        written = write(records, evidence, source, plan=plan, previous=before, progress=progress)
        seconds |= {"evidence": collected - started, "explain": time.perf_counter() - collected}
        selection = Selection(only=only, limit=limit) if only or limit else None
        run = explain.with_writing(_run(source, mined, now, seconds, selection), plan, written)
        folder = dataset.write(out, written.records, run)
    for note in explain.notes(plan, written, chosen=writer != "auto"):
        typer.echo(f"errcat: {note}", err=True)
    typer.echo(folder)
    typer.echo(_summary(mined))
    typer.echo(explain.summary(written))


def _one_source(**sources: object) -> None:
    given = [name for name, value in sources.items() if value is not None]
    if len(given) != 1:
        told = f"not {' and '.join(f'--{name}' for name in given)}" if given else "none is given"
        raise SourceError(f"give one of --sha, --release and --tree: {told}", hint="For example --release 0.9.2")


def _goes_with(option: str, value: object, other: str, needed: object) -> None:
    if value is not None and needed is None:
        raise SourceError(f"{option} goes with {other} only", hint=f"Leave it out, or give {other}")


def _shape_of(repo: str | None) -> None:
    if repo is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+", repo):
        raise SourceError(f"--repo {repo} is not of the form OWNER/NAME", hint=f"For example {JAX}")


def _source(
    *,
    repo: str | None,
    sha: str | None,
    release: str | None,
    tree: Path | None,
    git: str | None,
    under: str | None,
    package: str | None,
    progress: "ProgressBar",
) -> "SourceTree":
    """The source tree that the options name."""
    if tree is not None:
        from pipeline.source.folder import read_folder

        return read_folder(tree, repo=repo, under=under)
    from pipeline.source.cache import cache_folder

    repo = repo or JAX
    if sha is not None:
        from pipeline.source.git import read_commit

        return read_commit(repo=repo, url=git, name=sha, under=under, cache=cache_folder(), progress=progress)
    from pipeline.source.release import read_release

    assert release is not None
    project = package or repo.partition("/")[2]
    return read_release(project, release, repo=repo, under=under, cache=cache_folder(), progress=progress)


def _run(
    source: "SourceTree", mined: "Catalogue", now: str, seconds: dict[str, float], selection: "Selection | None"
) -> "Run":
    from pipeline.manifest import Run

    return Run(
        datasetVersion=now,
        repo=source.repo,
        revision=source.revision,
        revisionTime=source.revision_time,
        analyzedSha=source.analyzed_sha,
        selection=selection,
        coverage=mined.coverage,
        toolVersion=_tool_version(),
        seconds={stage: round(taken, 3) for stage, taken in {**mined.seconds, **seconds}.items()},
    )


def _summary(mined: "Catalogue") -> str:
    coverage = mined.coverage
    parts = [
        f"records {len(mined.records):,}",
        f"raise statements {coverage.raiseStatements:,} (re-raises {coverage.reRaises:,})",
        f"asserts with a message {coverage.assertsWithMessage:,}",
        f"files {coverage.files:,}",
    ]
    named = {
        "excluded statements": len(coverage.excluded),
        "skipped files": len(coverage.skippedFiles),
        "damaged files": len(coverage.damagedFiles),
    }
    return ", ".join([*parts, *(f"{what} {number:,}" for what, number in named.items() if number)])


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="ID", help="Id, alias or slug of a record, or the beginning of one.")],
    *,
    dataset: Annotated[Path | None, typer.Option(help="Look in this dataset; by default in all, newest first.")] = None,
    out: Out = Path("output"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as JSON.")] = False,
) -> None:
    """Show one record."""
    from pipeline.card import card
    from pipeline.dataset import datasets, find, read
    from pipeline.dataset.lookup import look_up

    wanted = [read(dataset)] if dataset else datasets(out) or [find(out)]
    _, record = look_up(wanted, name)
    _print(record.model_dump_json(indent=2) + "\n" if as_json else card(record))


@app.command()
def match(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE…|-]", help="Messages or tracebacks; standard input by default.")
    ] = None,
    *,
    dataset: Annotated[
        Path | None, typer.Option(help="Look in this dataset; by default in that of the release of jax, or the newest.")
    ] = None,
    out: Out = Path("output"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON for each input.")] = False,
    top: Annotated[int, typer.Option(min=1, help="So many records at most for each error.")] = 3,
) -> None:
    """Find the record of a message or a traceback. Exit code 1 when none of the inputs has one."""
    from pipeline.match.command import answer_inputs

    raise typer.Exit(answer_inputs(files or (), dataset=dataset, out=out, as_lines=as_json, top=top))


@app.command("run")
def run_program(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="A program and its arguments.")],
    *,
    dataset: Annotated[Path | None, typer.Option(help="Look in this dataset.")] = None,
    out: Out = Path("output"),
) -> None:
    """Run a program; when it dies of an error, explain it on stderr. The exit code is the program's."""
    from pipeline.match.command import explain_run

    sys.exit(explain_run(command, dataset=dataset, out=out))  # 130 too is the program's, with nothing said about it


@app.command("why")
def why_record(
    name: Annotated[str, typer.Argument(metavar="ID", help="Id, alias or slug of a record, or the beginning of one.")],
    *,
    dataset: Annotated[Path | None, typer.Option(help="Look in this dataset; by default in all, newest first.")] = None,
    out: Out = Path("output"),
    tree: Annotated[Path | None, typer.Option(help="The folder it was mined from, where that was a folder.")] = None,
    git: Annotated[str | None, typer.Option(help="URL or path to fetch its commit from.")] = None,
) -> None:
    """Show how the text of a record was resolved: each step with file and line."""
    from pipeline.dataset import datasets, find, read
    from pipeline.dataset.lookup import look_up
    from pipeline.progress import ProgressBar
    from pipeline.why import why

    wanted = [read(dataset)] if dataset else datasets(out) or [find(out)]
    _, record = look_up(wanted, name)
    with ProgressBar() as progress:
        lines = why(record, _source_of(record, tree=tree, git=git, progress=progress))
    _print("".join(f"{line}\n" for line in lines))


def _source_of(record: "Record", *, tree: Path | None, git: str | None, progress: "ProgressBar") -> "SourceTree":
    """The source tree that a record was mined from."""
    revision, repo = record.revision, record.repo
    if tree is None and revision.startswith("tree-"):
        raise SourceError(f"{record.id} was mined from a folder", hint="Say which, with --tree")
    sha = revision if tree is None and re.fullmatch("[0-9a-f]{40}", revision) else None
    release = None if tree is not None or sha else revision
    return _source(repo=repo, sha=sha, release=release, tree=tree, git=git, under=None, package=None, progress=progress)


@app.command()
def validate(dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder of a dataset.")]) -> None:
    """Check a dataset: every line, every pattern, every sum. Exit code 1 when something is wrong."""
    from pipeline.dataset.validation import validate as problems_of
    from pipeline.progress import ProgressBar

    with ProgressBar() as progress:
        problems = problems_of(dataset, progress)
    _print("".join(f"{problem}\n" for problem in problems) or "valid\n")
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
            _print(json.dumps(to_version_2(record), ensure_ascii=False, separators=(",", ":")) + "\n")
        else:
            _print(record.model_dump_json() + "\n")


explanations = typer.Typer(help="Reviewed explanations: begin one, see which are needed, check them.")
app.add_typer(explanations, name="explanations")


@explanations.command("new")
def new_explanation(
    name: Annotated[str, typer.Argument(metavar="ID", help="Id, alias or slug of a record, or the beginning of one.")],
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
        _print(
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
    _one_source(sha=sha, release=release, tree=tree)
    _shape_of(repo)
    from pipeline import catalogue
    from pipeline.evidence import pack
    from pipeline.explain.command import verdicts
    from pipeline.explain.write import check_reviewed
    from pipeline.progress import ProgressBar

    with ProgressBar() as progress:
        source = _source(
            repo=repo, sha=sha, release=release, tree=tree, git=None, under=None, package=None, progress=progress
        )
        mined = catalogue.build(source, analyzed_at=_now(), progress=progress)
        evidence = pack.collect(source, mined.records, facts=mined.facts, progress=progress)
        checked, unmatched = check_reviewed(mined.records, evidence, source)
    found = list(verdicts(checked))
    _print("".join(f"{line}\n" for _, line in found))
    _print("".join(f"{name}: matches no record of {source.repo} {source.revision}\n" for name in unmatched))
    failed = sum(verdict == "failed" for verdict, _ in found)
    _print(f"checked {len(checked)}, failed {failed}, matched no record {len(unmatched)}\n")
    if failed:
        raise typer.Exit(1)


@app.command("local-model")
def local_model() -> None:
    """Get a small model to try --writer local with, and print the path of its file."""
    from pipeline.explain.local import unpack_small_model
    from pipeline.explain.store import store_path

    typer.echo(unpack_small_model(store_path().parent / "models"))


def _print(text: str) -> None:
    """To stdout as UTF-8, whatever the locale; newlines stay what they are."""
    sys.stdout.buffer.write(text.encode())


def _now() -> str:
    """The run's clock, or SOURCE_DATE_EPOCH; RFC 3339 UTC with milliseconds."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise SourceError(f"SOURCE_DATE_EPOCH={epoch} is not a time in seconds", hint="Unset it") from None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _tool_version() -> str:
    from importlib.metadata import version

    return version("errcat")
