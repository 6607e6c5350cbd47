"""Environments with a released jax in them, for tests that need one that runs."""

import fcntl
import subprocess
import venv
from pathlib import Path

ENVS = Path(__file__).parent.parent / ".venv-jax"


def jax_env(release: str, purpose: str, *extra: str) -> Path:
    """The Python of `.venv-jax/<release>-<purpose>`, which is made first where it is missing.

    extra: other packages it needs. Callers wait for each other; a half-made one is made again. It needs the package
    registry: RuntimeError with pip's last lines where that cannot be reached.
    """
    folder = ENVS / f"{release}-{purpose}"
    python = folder / "bin" / "python"
    ENVS.mkdir(exist_ok=True)
    with (ENVS / f"{release}-{purpose}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = folder / ".ready"
        wanted = " ".join(sorted((f"jax=={release}", f"jaxlib=={release}", *extra)))
        if not ready.is_file() or ready.read_text() != wanted:
            venv.create(folder, clear=True, with_pip=True)
            command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted.split()]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"pip install {wanted}: {done.stderr[-400:]}")
            ready.write_text(wanted)
    return python
