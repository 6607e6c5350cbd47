"""`errcat refresh`."""

import os
import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Out, now, to_stdout, tool_version
from pipeline.errors import ErrcatError
from pipeline.source.named import JAX


@app.command()
def refresh(
    *,
    repo: Annotated[str, typer.Option(help="OWNER/NAME.")] = JAX,
    branch: Annotated[str | None, typer.Option(help="Follow this branch; the default branch by default.")] = None,
    sha: Annotated[str | None, typer.Option(help="Publish this commit: a full or short SHA, or a tag.")] = None,
    release: Annotated[
        str | None, typer.Option(metavar="VERSION|latest", help="Follow the releases, or publish one.")
    ] = None,
    pre: Annotated[bool, typer.Option("--pre", help="Pre-releases are releases too.")] = False,
    git: Annotated[str | None, typer.Option(help="URL or path to fetch commits from.")] = None,
    under: Annotated[str | None, typer.Option(help="Mine only what is under this path of the repository.")] = None,
    package: Annotated[str | None, typer.Option(help="With --release: name in the package registry.")] = None,
    out: Out = Path("output"),
    writer: Annotated[str, typer.Option(help="Who explains: auto, derived, openai or local.")] = "auto",
    model: Annotated[str | None, typer.Option(help="Model to ask; with --writer local a GGUF file.")] = None,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Spend at most so many dollars.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Use at most so many tokens.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Take the model's answers from the store only.")] = False,
    batch: Annotated[bool, typer.Option("--batch", help="Ask the model through the Batch API.")] = False,
    pages: Annotated[bool, typer.Option(help="Write the static site too.")] = True,
    base_url: Annotated[str | None, typer.Option(help="Address that the site will have.")] = None,
    keep: Annotated[int, typer.Option(min=1, help="How many published datasets stay.")] = 3,
    override: Annotated[
        list[str] | None, typer.Option(metavar="GATE=REASON", help="Publish although this gate is not passed.")
    ] = None,
    log: Annotated[str, typer.Option(metavar="text|json", help="Form of the log on stderr.")] = "text",
) -> None:
    """Publish the newest revision, if it is new and passes every gate.

    Exit code 1 when a gate refuses it, 3 when another refresh is at work.
    """
    from pipeline.explain.plan import make_plan
    from pipeline.progress import ProgressBar
    from pipeline.refresh.gates.names import read_overrides
    from pipeline.refresh.job import Job
    from pipeline.refresh.job import refresh as run
    from pipeline.refresh.log import Form, Log
    from pipeline.refresh.newest import Followed
    from pipeline.refresh.secrets import redacting
    from pipeline.refresh.standing import Options
    from pipeline.refresh.tool import identity

    if log not in set(Form):
        raise typer.BadParameter(f"{log} is neither text nor json", param_hint="--log")
    if base_url is not None and not base_url.startswith(("https://", "http://")):
        raise typer.BadParameter(f"{base_url} is no web address", param_hint="--base-url")
    redact = redacting(os.environ, [git] if git else [])
    plan = make_plan(writer, model=model, max_usd=max_usd, max_tokens=max_tokens, offline=offline, batch=batch)
    form = Form(log)
    with ProgressBar(wanted=form is Form.TEXT) as progress:
        job = Job(
            followed=Followed(
                repo=repo, branch=branch, sha=sha, release=release, pre=pre, git=git, under=under, package=package
            ),
            out=out,
            options=Options(
                under=under, package=package, writer=plan.writer, model=plan.model, pages=pages, baseUrl=base_url
            ),
            plan=plan,
            keep=keep,
            overrides=read_overrides(tuple(override or ())),
            clock=now(),
            tool=identity(tool_version()),
            log=Log(run=secrets.token_hex(4), form=form, write=_to_stderr, redact=redact),
            progress=progress,
        )
        try:
            outcome = run(job)
        except ErrcatError as error:
            error.what, error.hint = redact(error.what), error.hint and redact(error.hint)
            raise
    to_stdout(outcome.text)
    if outcome.ending.value:
        raise typer.Exit(outcome.ending.value)


def _to_stderr(line: str) -> None:
    sys.stderr.write(line)
    sys.stderr.flush()
