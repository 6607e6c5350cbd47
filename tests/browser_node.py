"""Node, which runs the modules of the pages without a browser."""

import shutil
import subprocess
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[1] / "pipeline" / "pages" / "static"


def node(*arguments: str, said: str = "") -> str:
    """What node prints. The tests skip where it is missing or too old for the modules."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("no node here (Debian: apt-get install nodejs)")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.removeprefix("v").partition(".")[0]) < 20:
        pytest.skip(f"node {version.strip()} is too old: the modules need 20")
    done = subprocess.run([program, *arguments], input=said.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return done.stdout.decode()
