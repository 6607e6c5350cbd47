"""The oracle's own environment: the jax release that is mined, installed beside the project, never into it."""

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv-jax" / "0.9.2-oracle"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def ready(folder: Path = FOLDER) -> Path:
    """The environment's Python. Built when missing, half built or of other requirements; else nothing is installed."""
    python, stamp = folder / "bin" / "python", folder / "requirements.sha256"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted and python.exists():
        return python
    stamp.unlink(missing_ok=True)
    _run(sys.executable, "-m", "venv", "--clear", str(folder))
    _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:",
         "--no-deps", "--requirement", str(REQUIREMENTS))  # fmt: skip
    stamp.write_text(wanted)  # last: its presence says that all before it was done
    return python


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}"
        raise RuntimeError(message)
