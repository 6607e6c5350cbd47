"""An installed errcat brings its prompts and explanations along."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_a_wheel_holds_prompts_and_explanations(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wanted = [
        name for name in files.splitlines() if name.startswith(("pipeline", "prompts", "explanations", "pyproject"))
    ]
    for name in [*wanted, "README.md", "LICENSE"]:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / name
        if source.is_symlink():
            (checkout / name).symlink_to(source.readlink())
        elif source.is_file():
            (checkout / name).write_bytes(source.read_bytes())
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(tmp_path),
        str(checkout),
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode and "No matching distribution" in built.stderr:
        pytest.skip("setuptools cannot be downloaded")
    assert built.returncode == 0, built.stderr
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    expected = {f"pipeline/{name}" for name in wanted if name.startswith(("prompts/", "explanations/"))}
    assert expected <= names
    assert "pipeline/prompts/user.md.j2" in names
