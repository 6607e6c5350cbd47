"""What was mined, kept in the user's cache under the name of its unit, so that a run that was stopped goes on."""

import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LIMIT: Final = 1 << 30  # bytes; a release of jax takes 2.7 million
_DIGEST: Final = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Store:
    """A folder of results. One that cannot be read or written costs time, never a result."""

    folder: Path
    limit: int = LIMIT

    def get(self, name: str) -> bytes | None:
        """The result kept under a name; None where there is none, or it is not whole."""
        path = self.folder / name
        try:
            data = path.read_bytes()
            os.utime(path)  # what is used last is dropped last
        except OSError:
            return None
        digest, result = data[:_DIGEST], data[_DIGEST:]
        return result if hashlib.sha256(result).hexdigest().encode() == digest else None

    def put(self, name: str, result: bytes) -> None:
        """Keep a result, whole or not at all, and drop what was not used for longest where it becomes too much."""
        digest = hashlib.sha256(result).hexdigest().encode()
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".new-", delete=False) as file:
                fresh = Path(file.name)
                try:
                    file.write(digest + result)
                    file.close()
                    fresh.replace(self.folder / name)
                finally:
                    fresh.unlink(missing_ok=True)
            self._sweep(name)

    def _sweep(self, newest: str) -> None:
        kept = [(path.stat(), path) for path in self.folder.iterdir()]
        total = sum(found.st_size for found, _ in kept)
        for found, path in sorted(kept, key=lambda one: one[0].st_mtime_ns):
            if total <= self.limit:
                return
            if path.name != newest:
                path.unlink(missing_ok=True)
                total -= found.st_size
