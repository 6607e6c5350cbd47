"""The GitHub action and the pre-commit hook: valid, and their steps run as they stand on a real repository."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[1]
ACTION = ROOT / "action.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")

CORE = 'def check(x):\n    if x is None:\n        raise ValueError("x must be given")\n'
NEW_CORE = CORE.replace("must be given", "must not be None")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A user of their own: git as nobody has configured it, an empty cache, errcat on the path."""
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n[user]\n\tname = A\n\temail = a@b\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    return {
        **kept,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "ERRCAT_CACHE_DIR": str(tmp_path / "cache"),
        "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
    }


def run(folder: Path, env: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def git(folder: Path, env: dict[str, str], *arguments: str) -> str:
    done = run(folder, env, "git", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def origin(tmp_path: Path, env: dict[str, str]) -> Path:
    """A repository: `main` has one error, `topic` rewords it."""
    origin = tmp_path / "origin"
    (origin / "pkg").mkdir(parents=True)
    (origin / "pkg" / "core.py").write_text(CORE)
    git(origin, env, "init", "-q")
    git(origin, env, "add", ".")
    git(origin, env, "commit", "-q", "-m", "first")
    git(origin, env, "checkout", "-q", "-b", "topic")
    (origin / "pkg" / "core.py").write_text(NEW_CORE)
    git(origin, env, "commit", "-q", "-a", "-m", "second")
    return origin


@dataclass
class Job:
    """A job of GitHub Actions, as far as the action needs one. event: github.event of it."""

    workspace: Path
    temp: Path
    env: dict[str, str]
    event: dict[str, Any]

    def run(self, **inputs: str) -> tuple[int, str]:
        """Run the steps; the code of the first that fails, and what they printed."""
        action = yaml.safe_load(ACTION.read_text())
        given = {name: self.value(declared["default"], {}) for name, declared in action["inputs"].items()} | inputs
        printed = ""
        for step in action["runs"]["steps"]:
            variables = {name: self.value(text, given) for name, text in step["env"].items()}
            script = self.temp / "step.sh"
            script.write_text(step["run"])
            files = {"GITHUB_STEP_SUMMARY": str(self.temp / "summary"), "GITHUB_OUTPUT": str(self.temp / "output")}
            places = {"RUNNER_TEMP": str(self.temp), "GITHUB_WORKSPACE": str(self.workspace)}
            shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail", str(script))  # as the runner starts it
            done = run(self.workspace, self.env | files | places | variables, *shell)
            printed += done.stdout + done.stderr
            if done.returncode:
                return done.returncode, printed
        return 0, printed

    def value(self, text: str, inputs: dict[str, str]) -> str:
        """The text with its expressions evaluated: the first alternative that is not empty."""
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {"github.repository": "o/n", "github.action_path": str(ROOT), **self.event}
        return EXPRESSION.sub(lambda found: next(filter(None, map(known.get, found[1].split(" || "))), ""), text)

    @property
    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in (self.temp / "output").read_text().splitlines())

    @property
    def summary(self) -> str:
        return (self.temp / "summary").read_text()


@pytest.fixture
def job(tmp_path: Path, origin: Path, env: dict[str, str]) -> Job:
    """A pull request of `topic` into `main`, checked out as actions/checkout does: one commit, detached."""
    workspace, temp = tmp_path / "workspace", tmp_path / "temp"
    git(tmp_path, env, "clone", "-q", "--depth=1", "--no-tags", "--branch=topic", f"file://{origin}", str(workspace))
    git(workspace, env, "checkout", "-q", "--detach")
    (temp / "errcat" / "bin").mkdir(parents=True)
    (temp / "errcat" / "bin" / "errcat").symlink_to(BIN / "errcat")  # so that nothing is installed
    base = git(origin, env, "rev-parse", "main")
    return Job(workspace=workspace, temp=temp, env=env, event={"github.event.pull_request.base.sha": base})


@pytest.mark.parametrize("file", [ACTION, HOOKS], ids=["action", "hooks"])
def test_the_files_are_valid(file: Path) -> None:
    check = {
        ACTION: ["check-jsonschema", "--builtin-schema", "vendor.github-actions"],
        HOOKS: ["pre-commit", "validate-manifest"],
    }[file]
    command = [str(BIN / check[0]), *check[1:], str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_script_of_the_action_holds_an_expression() -> None:
    for step in yaml.safe_load(ACTION.read_text())["runs"]["steps"]:
        assert "${{" not in step["run"]  # what others write, a branch's name say, would be run


def test_a_pull_request_that_rewords_an_error(job: Job) -> None:
    code, printed = job.run()
    assert code == 1
    (line,) = printed.splitlines()
    assert line.startswith("::warning file=pkg/core.py,line=3,endLine=3,title=Error reworded::ValueError: x must")
    assert "| reworded | 1 |" in job.summary
    assert job.outputs["changed"] == "true"
    (change,) = json.loads(Path(job.outputs["json"]).read_text())["changes"]
    assert change["new"]["repo"] == "o/n"


@pytest.mark.parametrize(
    ("inputs", "code", "changed"),
    [
        ({"fail": "false"}, 0, "true"),
        ({"breaking": "true"}, 0, "false"),
        ({"kind": "added reworded"}, 1, "true"),
        ({"from": "topic"}, 0, "false"),
        ({"from": ".", "to": "main"}, 1, "true"),
        ({"under": "pkg", "repo": "other/name"}, 1, "true"),
    ],
)
def test_inputs(job: Job, inputs: dict[str, str], code: int, changed: str) -> None:
    assert job.run(**inputs)[0] == code
    assert job.outputs["changed"] == changed


def test_what_is_accepted_passes(job: Job) -> None:
    old = job.event["github.event.pull_request.base.sha"]
    git(job.workspace, job.env, "fetch", "-q", "--depth=1", "origin", old)
    options = ("--git", ".", "--repo", "o/n", "--accept", "errors.accepted", "--accept-all")
    assert run(job.workspace, job.env, "errcat", "diff", old, ".", *options).returncode == 0
    code, printed = job.run(accept="errors.accepted")
    assert (code, printed) == (0, "")
    assert "| accepted | 1 |" in job.summary


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"from": "nowhere"}, "::error title=errcat diff::no commit, tag, branch or folder 'nowhere'"),
        ({"accept": "missing"}, "errcat: error: no file missing."),
        ({"kind": "renamed"}, "errcat: error: Invalid value for '--kind'"),
    ],
)
def test_bad_input_fails_and_says_why(job: Job, inputs: dict[str, str], told: str) -> None:
    code, printed = job.run(fail="false", **inputs)
    assert code == 2
    assert told in printed


@pytest.fixture
def hooked(origin: Path, env: dict[str, str]) -> Path:
    """The repository with the hook as it stands, but run from this environment instead of one of its own."""
    (hook,) = yaml.safe_load(HOOKS.read_text())
    local = {**hook, "language": "system", "args": ["--accept", "errors.accepted"]}
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    (origin / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    (origin / "errors.accepted").touch()
    git(origin, env, "add", ".")
    git(origin, env, "commit", "-q", "-m", "hook")
    shutil.rmtree(origin / ".git" / "hooks", ignore_errors=True)
    assert run(origin, env, str(BIN / "pre-commit"), "install").returncode == 0
    return origin


def test_the_hook_stops_a_commit_until_its_change_is_accepted(hooked: Path, env: dict[str, str]) -> None:
    (hooked / "pkg" / "core.py").write_text(CORE)
    refused = run(hooked, env, "git", "commit", "-q", "-a", "-m", "third")
    assert refused.returncode == 1
    assert "~ reworded: ValueError at core.py:3 in check" in refused.stdout + refused.stderr
    accept = ("errcat", "diff", "--git", ".", "HEAD", ".", "--accept", "errors.accepted", "--accept-all")
    assert run(hooked, env, *accept).returncode == 0
    assert run(hooked, env, "git", "commit", "-q", "-a", "-m", "third").returncode == 0


def test_the_hook_lets_pass_what_changes_no_error(hooked: Path, env: dict[str, str]) -> None:
    (hooked / "pkg" / "core.py").write_text(f"# A comment.\n{NEW_CORE}")
    done = run(hooked, env, "git", "commit", "-q", "-a", "-m", "third")
    assert done.returncode == 0, done.stdout + done.stderr
