"""The files of a site, made when first asked for and kept as long as there is room."""

import asyncio
import gzip
import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from mimetypes import MimeTypes
from typing import Final

from pipeline.pages.site import Site
from pipeline.serve.makers import Makers

_ROOM: Final = 96 << 20
"""Bytes of files that are kept."""
_SMALL: Final = 1_000
"""Bytes below which compressing saves nothing."""
_TYPES: Final = MimeTypes(filenames=())
for _suffix, _type in {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
    ".gz": "application/gzip",
}.items():
    _TYPES.add_type(_type, _suffix)
_TYPES.encodings_map = {}  # a compressed file is sent as what it is, and taken apart by the page


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A file of the site. compressed: with gzip, None where that is not smaller. tag: of its content."""

    content: bytes
    compressed: bytes | None
    media_type: str
    tag: str


class Pages:
    """The files of one site."""

    def __init__(self, site: Site, makers: Makers) -> None:
        self._site = site
        self._makers = makers
        self._kept: OrderedDict[str, File] = OrderedDict()
        self._size = 0
        self._making: dict[str, asyncio.Task[File]] = {}

    def has(self, path: str) -> bool:
        """Whether the site has a file at a path."""
        return path in self._site.routes

    async def file(self, path: str) -> File | None:
        """The file at a path; None where there is none. BusyError where too many are being made."""
        if kept := self._kept.get(path):
            self._kept.move_to_end(path)
            return kept
        if not self.has(path):
            return None
        if path not in self._making:
            task = asyncio.get_running_loop().create_task(self._make(path))
            self._making[path] = task
            task.add_done_callback(lambda _: self._making.pop(path))
        return await asyncio.shield(self._making[path])

    async def _make(self, path: str) -> File:
        made = await self._makers.make(self._file, path)
        self._kept[path] = made
        self._size += _size(made)
        while self._size > _ROOM and len(self._kept) > 1:
            self._size -= _size(self._kept.popitem(last=False)[1])
        return made

    def _file(self, path: str) -> File:
        content = self._site.render(path)
        assert content is not None  # it has a route
        media_type = media_type_of(path)
        compressed = None
        if len(content) >= _SMALL and "gzip" not in media_type and not media_type.startswith(("image/png", "font/")):
            compressed = gzip.compress(content, compresslevel=6, mtime=0)
        return File(
            content=content,
            compressed=compressed if compressed and len(compressed) < len(content) else None,
            media_type=media_type,
            tag=tag(content),
        )


def tag(content: bytes) -> str:
    """What tells a content from every other."""
    return hashlib.blake2b(content, digest_size=12).hexdigest()


def media_type_of(path: str) -> str:
    """The Content-Type of a file, by its name."""
    if path == "feed.xml":
        return "application/atom+xml; charset=utf-8"
    guessed = _TYPES.guess_type(path)[0] or "application/octet-stream"
    if guessed.startswith("text/") or guessed in {"application/json", "application/xml", "image/svg+xml"}:
        return f"{guessed}; charset=utf-8"
    return guessed


def _size(file: File) -> int:
    return len(file.content) + len(file.compressed or b"")
