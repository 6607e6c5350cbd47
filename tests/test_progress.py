import os
import pty
import subprocess
import sys

import pytest

DRIVER = """
from pipeline import progress
progress.PATIENCE = {patience}
with progress.ProgressBar() as bar:
    bar("parse", 1, 2)
    bar("fetch", 1, 0)
"""


@pytest.mark.parametrize(("patience", "shown"), [(0, True), (60, False)])
def test_bar_on_a_terminal_after_some_patience(patience: int, shown: bool) -> None:
    ours, theirs = pty.openpty()
    driver = [sys.executable, "-c", DRIVER.format(patience=patience)]
    with os.fdopen(theirs, "wb") as terminal:
        ended = subprocess.run(driver, stderr=terminal, capture_output=False, stdout=subprocess.PIPE, check=True)
    said = b""
    with os.fdopen(ours, "rb", buffering=0) as screen:
        try:
            while more := screen.read(4096):
                said += more
        except OSError:  # how Linux says that the other end is closed
            pass
    assert (b"parse" in said, b"fetch" in said, bool(said)) == (shown, shown, shown)
    assert ended.stdout == b""


def test_silent_without_a_terminal() -> None:
    ended = subprocess.run([sys.executable, "-c", DRIVER.format(patience=0)], capture_output=True, check=True)
    assert (ended.stdout, ended.stderr) == (b"", b"")
