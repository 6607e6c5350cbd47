"""Which errcat this is, to the byte: another one may find more in the same revision."""

import hashlib
import os
from pathlib import Path

_PASSED_OVER = {"__pycache__"}


def identity(version: str) -> str:
    """The version, and 12 hex of the content of the package: its code, prompts, explanations, templates."""
    import pipeline

    root = Path(pipeline.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(_files(root)):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{version}+{digest.hexdigest()[:12]}"


def _files(root: Path) -> list[Path]:
    found = []
    for folder, inside, names in os.walk(root, followlinks=True):  # prompts and explanations are links in a checkout
        inside[:] = [name for name in inside if name not in _PASSED_OVER and not name.startswith(".")]
        found += [Path(folder, name) for name in names if not name.startswith(".") and not name.endswith(".pyc")]
    return found
