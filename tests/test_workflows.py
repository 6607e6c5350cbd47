"""The workflows: valid, safe by the rules of zizmor, and their steps run as they stand."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkout import ROOT, clean_environment, export
from upstream import Upstream, new_upstream, release_files

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
BIN = Path(sys.executable).parent
PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40}")


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text())


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in loaded(name)["jobs"].values() for step in job["steps"]]


def ran(*command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, env=environment or None, capture_output=True, text=True, check=False)


def test_workflows_are_workflows() -> None:
    checked = ran(str(BIN / "check-jsonschema"), "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS))
    assert checked.returncode == 0, checked.stdout
    action = ran(str(BIN / "check-jsonschema"), "--builtin-schema", "vendor.github-actions", str(ROOT / "action.yml"))
    assert action.returncode == 0, action.stdout
    cited = ran(
        str(BIN / "check-jsonschema"), "--builtin-schema", "vendor.citation-file-format", str(ROOT / "CITATION.cff")
    )
    assert cited.returncode == 0, cited.stdout


def test_zizmor_finds_nothing() -> None:
    found = ran(str(BIN / "zizmor"), "--offline", "--persona", "pedantic", "--format", "json", *map(str, WORKFLOWS))
    assert json.loads(found.stdout) == [], found.stdout
    assert found.returncode == 0


def test_zizmor_would_find_something(tmp_path: Path) -> None:
    text = (ROOT / ".github" / "workflows" / "refresh.yml").read_text()
    worse = tmp_path / "refresh.yml"
    worse.write_text(text.replace('${SHA:+--sha "$SHA"}', "--sha ${{ inputs.sha }}"))
    found = ran(str(BIN / "zizmor"), "--offline", "--format", "json", str(worse))
    assert "template-injection" in {one["ident"] for one in json.loads(found.stdout)}


@pytest.mark.parametrize("name", [path.name for path in WORKFLOWS])
def test_least_permissions_and_pinned_actions(name: str) -> None:
    workflow = loaded(name)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 360
        assert len([scope for scope, right in job["permissions"].items() if right == "write"]) <= (
            2 if "id-token" in job["permissions"] else 1
        )
    text = (ROOT / ".github" / "workflows" / name).read_text()
    for step in steps(name):
        assert "uses" not in step or PINNED.fullmatch(step["uses"])
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    assert len(re.findall(r"uses: \S+ # v\d+\.\d+\.\d+$", text, re.MULTILINE)) == sum("uses" in s for s in steps(name))


def test_no_secret_can_be_reached_from_a_pull_request() -> None:
    for path in WORKFLOWS:
        triggers = loaded(path.name)[True]  # YAML 1.1 reads `on` so
        text = path.read_text()
        if {"pull_request", "pull_request_target", "workflow_run", "issue_comment"} & set(triggers):
            assert "secrets." not in text
            assert "pull_request_target" not in text
            assert ": write" not in text


def test_ci_calls_what_a_developer_calls() -> None:
    assert [step["run"] for step in steps("ci.yml") if "run" in step] == ["make lint", "make test"]


# The steps of refresh.yml, as they stand

GH = """\
#!/usr/bin/env python3
import json, os, pathlib, shutil, sys
store, arguments = pathlib.Path(os.environ["GH_STORE"]), sys.argv[1:]
assert os.environ["GH_TOKEN"] == "the-token-of-the-run"
(store / "calls").open("a").write(json.dumps(arguments) + "\\n")
def value(name): return arguments[arguments.index(name) + 1]
match arguments[:2]:
    case ["release", "list"]:
        tags = sorted((p.name for p in store.glob("dataset-*")), reverse=True)
        print(tags[0] if tags else "")
    case ["release", "download"]:
        for name in ("dataset.tar.gz", "SHA256SUMS"):
            shutil.copy(store / arguments[2] / name, value("--dir"))
        shutil.copy(store / arguments[2] / "records.parquet", value("--dir"))
    case ["release", "create"]:
        (store / arguments[2]).mkdir()
        for name in arguments[3:6]:
            shutil.copy(name, store / arguments[2])
        assert pathlib.Path(value("--notes-file")).read_text()
    case ["label", "create"]:
        pass
    case ["issue", "list"]:
        print("7" if (store / "issue").exists() else "")
    case ["issue", "create"] | ["issue", "comment"]:
        (store / "issue").open("a").write(pathlib.Path(value("--body-file")).read_text())
    case ["issue", "edit"]:
        assert value("--title")
    case other:
        sys.exit(f"gh {other}: not here")
"""


class Runner:
    """A runner of workflows: a folder, an empty HOME, and local stand-ins for GitHub and for the repository followed.

    Actions that move files between jobs and runs are done here; `run` steps are run by bash as the runner does it.
    """

    def __init__(self, folder: Path, upstream: Upstream) -> None:
        self.folder = folder
        self.store = folder / "store"
        self.cache = folder / "cache-of-actions"
        self.artifacts = folder / "artifacts"
        self.upstream = upstream
        for path in (self.store, folder / "bin", folder / "home"):
            path.mkdir(parents=True)
        (folder / "bin" / "gh").write_text(GH)
        (folder / "bin" / "gh").chmod(0o755)
        (folder / "bin" / "python").symlink_to(sys.executable)
        address = "https://github.com/jax-ml/jax"
        (folder / "home" / ".gitconfig").write_text(f'[url "{upstream.folder}"]\n\tinsteadOf = {address}\n')

    def run(self, number: int, **inputs: str) -> dict[str, str]:
        """One run of the workflow; how its jobs ended: success, failure or skipped."""
        workflow = loaded("refresh.yml")
        self.contexts = {
            "github.workspace": "",
            "github.run_id": str(number),
            "github.run_attempt": "1",
            "github.token": "the-token-of-the-run",
            "github.repository": "me/errcat",
            "secrets.OPENAI_API_KEY": "",
            "inputs.sha": inputs.get("sha", ""),
            "inputs.override": inputs.get("override", ""),
            **{f"vars.{name}": "" for name in ("OPENAI_BASE_URL", "ERRCAT_MODEL", "ERRCAT_MAX_USD")},
        }
        self.artifacts.mkdir(exist_ok=True)
        ended: dict[str, str] = {}
        for name, job in workflow["jobs"].items():
            work = self.folder / f"run-{number}" / name
            work.mkdir(parents=True)
            needed = job.get("needs")
            if needed and not self.holds(job["if"], ended[needed]):
                ended[name] = "skipped"
                continue
            ended[name] = self.job(job, work, workflow["env"])
            for output, expression in job.get("outputs", {}).items():
                self.contexts[f"needs.{name}.outputs.{output}"] = self.filled(expression)
        shutil.rmtree(self.artifacts)
        return ended

    def job(self, job: dict[str, Any], work: Path, environment: dict[str, str]) -> str:
        self.contexts["github.workspace"] = str(work)
        self.contexts |= {f"env.{name}": value for name, value in environment.items()}
        environment = environment | {name: self.filled(value) for name, value in job.get("env", {}).items()}
        state = "success"
        for step in job["steps"]:
            if not self.holds(step.get("if", "success()"), state):
                continue
            if "run" in step:
                done = self.step(step, work, environment)
            else:
                self.action(step, work)
                done = True
            state = state if done else "failure"
        return state

    def step(self, step: dict[str, Any], work: Path, environment: dict[str, str]) -> bool:
        outputs, summary = work / "outputs", work / "step-summary"
        outputs.write_text("")
        more = {
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_REPOSITORY": "me/errcat",
            "GITHUB_REPOSITORY_OWNER": "me",
            "GH_STORE": str(self.store),
            **environment,
            **{name: self.filled(value) for name, value in step.get("env", {}).items()},
        }
        clean = clean_environment(self.folder / "home", **more)
        clean["PATH"] = f"{self.folder / 'bin'}:{clean['PATH']}"
        script = work / "step.sh"
        script.write_text(step["run"])
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(command, cwd=work, env=clean, capture_output=True, text=True, check=False)
        self.said = done.stdout + done.stderr
        for line in outputs.read_text().splitlines():
            name, _, value = line.partition("=")
            self.contexts[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode == 0

    def action(self, step: dict[str, Any], work: Path) -> None:
        name, given = step["uses"].partition("@")[0], {k: self.filled(str(v)) for k, v in step.get("with", {}).items()}
        match name:
            case "actions/checkout":
                export(work)
            case "actions/setup-python" | "actions/deploy-pages":
                pass
            case "actions/cache/restore":
                if self.cache.exists():
                    shutil.copytree(self.cache, work / given["path"])
            case "actions/cache/save":
                shutil.rmtree(self.cache, ignore_errors=True)
                shutil.copytree(work / given["path"], self.cache)
            case "actions/upload-artifact":
                self.put(work / given["path"], given["name"])
            case "actions/upload-pages-artifact":
                assert (work / given["path"] / "index.html").is_file()
            case "actions/download-artifact":
                wanted = re.sub(r"[{}]", "", given.get("pattern") or given["name"]).split(",")
                for artifact in wanted:
                    shutil.copytree(self.artifacts / artifact, work, dirs_exist_ok=True)
            case _:
                pytest.fail(f"{name} is not known here")

    def put(self, path: Path, name: str) -> None:
        target = self.artifacts / name
        shutil.rmtree(target, ignore_errors=True)
        if path.is_dir():
            shutil.copytree(path, target, symlinks=True)
        else:
            target.mkdir()
            shutil.copy(path, target)

    def filled(self, text: str) -> str:
        """The text with its expressions replaced; an unknown name fails."""
        return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: self.contexts.get(found[1], "") or "", text)

    def holds(self, condition: str, state: str) -> bool:
        """The little of the expression language that the workflow uses."""
        always = "always()" in condition
        text = re.sub(r"\b(?:steps|needs)\.[\w.]+", lambda found: repr(self.contexts.get(found[0], "")), condition)
        text = (
            text.replace("always()", "True").replace("success()", "True").replace("&&", " and ").replace("||", " or ")
        )
        assert re.fullmatch(r"[\w '.()=!-]*", text), text
        return bool(eval(text)) and (always or state == "success")  # a condition of ours, looked at just above


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    made = new_upstream(tmp_path_factory.mktemp("upstream") / "jax")
    made.commit(release_files("0.10.1"), when=1_700_000_000)
    return made


def test_the_steps_of_a_refresh_run_as_they_stand(tmp_path: Path, upstream: Upstream) -> None:
    runner = Runner(tmp_path, upstream)
    first = runner.run(1)
    assert first == dict.fromkeys(("refresh", "pages", "release", "report"), "success"), runner.said
    [release] = runner.store.glob("dataset-*")
    assert {path.name for path in release.iterdir()} == {"dataset.tar.gz", "records.parquet", "SHA256SUMS"}
    assert (runner.store / "issue").read_text().startswith("# jax-ml/jax ")

    second = runner.run(2)
    assert second == {"refresh": "success", "pages": "skipped", "release": "skipped", "report": "skipped"}, runner.said

    broken = {path: data for path, data in release_files("0.10.1").items() if "/export/" not in path}
    bad = upstream.commit(broken, when=1_700_001_000)
    refused = runner.run(3, sha=bad)
    assert refused == {"refresh": "failure", "pages": "skipped", "release": "skipped", "report": "success"}, runner.said
    assert "not published" in (runner.store / "issue").read_text()
    assert len(list(runner.store.glob("dataset-*"))) == 1

    forced = runner.run(4, sha=bad, override="records=half of it is elsewhere")
    assert forced == dict.fromkeys(("refresh", "pages", "release", "report"), "success"), runner.said
    assert len(list(runner.store.glob("dataset-*"))) == 2
    calls = [json.loads(line)[:2] for line in (runner.store / "calls").read_text().splitlines()]
    assert calls.count(["issue", "create"]) == 1
    assert calls.count(["issue", "comment"]) == 2
    assert not any("the-token" in path.read_text(errors="replace") for path in (tmp_path / "run-4").rglob("*.md"))


# The units and the line of the documentation


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", (ROOT / "docs" / "unattended.md").read_text(), re.DOTALL)


def test_the_units_are_units(tmp_path: Path) -> None:
    service, timer = blocks("ini")
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not there")
    (tmp_path / "errcat-refresh.service").write_text(service.replace("/opt/errcat/bin/errcat", str(BIN / "errcat")))
    (tmp_path / "errcat-refresh.timer").write_text(timer)
    checked = ran(
        "systemd-analyze", "verify", str(tmp_path / "errcat-refresh.service"), str(tmp_path / "errcat-refresh.timer")
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_unit_and_cron_line_call_what_there_is(tmp_path: Path) -> None:
    [unit] = re.findall("^ExecStart=/opt/errcat/bin/errcat (.*)$", blocks("ini")[0], re.MULTILINE)
    [minute, hour, day, month, weekday, line] = blocks("cron")[0].strip().split(" ", 5)
    assert [minute, hour, day, month, weekday] == ["17", "3", "*", "*", "*"]
    [cron] = re.findall("^/opt/errcat/bin/errcat (.*?) 2>>", line)
    assert unit == cron
    nowhere = unit.replace("/var/lib/errcat", str(tmp_path / "out"))
    environment = {
        **os.environ,
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_RETRIES": "0",
        "PIP_EXTRA_INDEX_URL": "",
    }
    ended = ran(str(BIN / "errcat"), *nowhere.split(), **environment)
    assert ended.returncode == 2
    assert [json.loads(row)["event"] for row in ended.stderr.splitlines()[:2]] == ["start", "failed"]
    assert ended.stderr.splitlines()[-1].startswith("errcat: error: pip cannot reach the package index for jax")
