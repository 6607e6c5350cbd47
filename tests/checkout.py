"""A checkout as git has it, and environments that know nothing of this one."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def export(folder: Path) -> Path:
    """The files that git knows of, as they are in the work tree, in a folder of their own."""
    listed = ["git", "ls-files", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")[:-1]
    for name in names:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.symlink_to(source.readlink())
        elif source.is_file():
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
    return folder


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """Variables of somebody who has just logged in: an empty HOME, the network's settings, pip's cache, and no more.

    pip's cache spares the registry what this machine has already.
    """
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    kept |= {
        name: value for name, value in os.environ.items() if name.lower() in {"http_proxy", "https_proxy", "no_proxy"}
    }
    cache = os.environ.get("PIP_CACHE_DIR") or str(Path.home() / ".cache" / "pip")
    home.mkdir(parents=True, exist_ok=True)
    path = "/usr/local/bin:/usr/bin:/bin"
    return {**kept, "HOME": str(home), "PATH": path, "PIP_CACHE_DIR": cache, "LANG": "C.UTF-8", **more}
