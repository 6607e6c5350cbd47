"""`errcat dataset`."""

import time
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Out, now, tool_version
from pipeline.source.named import JAX, Named


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
        Path | None, typer.Option(help="Dataset whose ids and explanations to carry on; by default the nearest.")
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
    named = Named(repo=repo, sha=sha, release=release, tree=tree, git=git, under=under, package=package)
    named.check()
    moment = now()
    from pipeline import build
    from pipeline.explain import command as explain
    from pipeline.explain.plan import make_plan
    from pipeline.mine.cache import shared_cache
    from pipeline.progress import ProgressBar

    options = {"offline": offline, "batch": batch, "rewrite": rewrite}
    plan = make_plan(writer, model=model, max_usd=max_usd, max_tokens=max_tokens, dry=dry_run, **options)
    with ProgressBar() as progress:
        started = time.perf_counter()
        source = named.read(progress)
        taken = time.perf_counter() - started
        prepared = build.prepare(
            source,
            out=out,
            now=moment,
            tool_version=tool_version(),
            only=only,
            limit=limit,
            previous=previous,
            cache=shared_cache(),
            progress=progress,
        )
        if plan.asks and (dry_run or not plan.offline):
            typer.echo(explain.estimate_text(build.cost(prepared, plan), plan), err=not dry_run)
        if dry_run:
            return
        built = build.complete(prepared, plan, out=out, source_seconds=taken, progress=progress)
    for note in explain.notes(plan, built.written, chosen=writer != "auto"):
        typer.echo(f"errcat: {note}", err=True)
    typer.echo(built.folder)
    typer.echo(build.summary(prepared.mined))
    typer.echo(explain.summary(built.written))
