"""Streamlit's static files out of memory, compressed once: what a new browser waits for.

Streamlit serves them as they are, each through threads and all of its middlewares, and leaves the
compressing to a proxy that `toolsight serve` has not. Its pages are some 130 scripts of 5 MB.
"""

import asyncio
import gzip
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dashboard.serving.visits import Visits

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["StaticCopies", "accepts_gzip"]

_FOREVER: Final = b"public, immutable, max-age=31536000"
_ASK_ANEW: Final = b"no-cache"
_NAME: Final = re.compile(r"[\w-][\w.-]*\.[\w-]{8}\.(js|css|woff2)")
"""With a hash in it: another content has another name."""
_TYPES: Final = {
    "js": b"application/javascript",
    "css": b"text/css; charset=utf-8",
    "woff2": b"font/woff2",
}
_PAGE_TYPE: Final = b"text/html; charset=utf-8"
_KNOWN: Final = "known:"
"""Before the address of a page for a browser that was here."""
_PACKED: Final = "woff2"
"""Of this kind are files that are compressed in themselves."""
_LEVEL: Final = 6
"""Of 9; a higher one takes thrice the time for a hundredth of the bytes."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """One answer, whole: as a file lies there, or in gzip."""

    body: bytes
    etag: bytes
    media_type: bytes
    cache: bytes
    is_gzip: bool


class StaticCopies:
    """Answers for Streamlit's hashed files, and for the pages that are given; an ASGI middleware.

    A copy is made in a thread when it is first asked for, and kept: some 2 MB for all that the pages
    use. What asks for a part of a file, or for a script without gzip, is passed on to Streamlit. It
    stands behind the gate and the login.

    Args:
        app: Streamlit.
        static: Its folder of static files.
        pages: Makes the HTML of an address, for each that has one of its own.
        known_pages: The same for a browser that keeps the scripts compiled; none where nobody is counted.
        visits: Tells which browser that is.
    """

    def __init__(
        self,
        app: "ASGIApp",
        static: Path,
        pages: Mapping[str, Callable[[], bytes]],
        known_pages: Mapping[str, Callable[[], bytes]] | None = None,
        visits: Visits | None = None,
    ) -> None:
        """Look which files there are; nothing is read yet."""
        self._app = app
        self._pages = dict(pages)
        self._visits = visits
        known = known_pages or {}
        self._made = self._pages | {f"{_KNOWN}{path}": page for path, page in known.items()}
        self._files = {
            f"/static/{path.parent.name}/{path.name}": path
            for path in (static / "static").glob("*/*")
            if _NAME.fullmatch(path.name)
        }
        self._copies: dict[tuple[str, bool], asyncio.Future[_Copy]] = {}

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer, or pass on."""
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        path, is_gzip = scope["path"], accepts_gzip(headers.get(b"accept-encoding", b""))
        if path in self._pages:
            await self._page(scope, send, path, is_gzip=is_gzip)
            return
        file = self._files.get(path)
        if file is None:
            await self._app(scope, receive, send)
        elif b"range" in headers or not (is_gzip or path.endswith(_PACKED)):
            await self._app(scope, receive, _varying(send))
        else:
            is_gzip = not path.endswith(_PACKED)
            await _answer(scope, send, await self._copy(path, is_gzip=is_gzip))

    async def _page(self, scope: "Scope", send: "Send", path: str, *, is_gzip: bool) -> None:
        """The page for a new browser, or the one for a browser that was here."""
        if self._visits is None:
            await _answer(scope, send, await self._copy(path, is_gzip=is_gzip))
            return
        n = self._visits.of(scope["headers"])
        known = f"{_KNOWN}{path}"
        name = known if self._visits.is_known(n) and known in self._made else path
        copy = await self._copy(name, is_gzip=is_gzip)
        await _answer(scope, send, copy, self._visits.counted(n), vary=b"Accept-Encoding, Cookie")

    async def _copy(self, path: str, *, is_gzip: bool) -> _Copy:
        """The copy, made by whoever asks first; who asks meanwhile waits for the same one."""
        key = (path, is_gzip)
        made = self._copies.get(key)
        if made is None:
            made = asyncio.ensure_future(asyncio.to_thread(self._make, path, is_gzip=is_gzip))
            self._copies[key] = made
        try:
            return await asyncio.shield(made)
        except OSError:
            self._copies.pop(key, None)
            raise

    def _make(self, path: str, *, is_gzip: bool) -> _Copy:
        if path in self._made:
            whole, media_type, cache = self._made[path](), _PAGE_TYPE, _ASK_ANEW
        else:
            whole, cache = self._files[path].read_bytes(), _FOREVER
            media_type = _TYPES[path.rpartition(".")[2]]
        body = gzip.compress(whole, _LEVEL, mtime=0) if is_gzip else whole
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode()
        return _Copy(body, etag, media_type, cache, is_gzip)


async def _answer(
    scope: "Scope",
    send: "Send",
    copy: _Copy,
    more: Iterable[tuple[bytes, bytes]] = (),
    vary: bytes = b"Accept-Encoding",
) -> None:
    """200 with the copy, its headers alone for HEAD, or 304 for who has it."""
    headers = [(b"etag", copy.etag), (b"cache-control", copy.cache), (b"vary", vary), *more]
    if _has(scope, copy.etag):
        await send({"type": "http.response.start", "status": 304, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return
    headers.append((b"content-type", copy.media_type))
    headers.append((b"content-length", str(len(copy.body)).encode()))
    if copy.is_gzip:
        headers.append((b"content-encoding", b"gzip"))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    body = b"" if scope["method"] == "HEAD" else copy.body
    await send({"type": "http.response.body", "body": body})


def _has(scope: "Scope", etag: bytes) -> bool:
    """Whether who asks names this copy as one that it has."""
    named = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
    return etag in {each.strip().removeprefix(b"W/") for each in named.split(b",")}


def _varying(send: "Send") -> "Send":
    """Streamlit's answer, marked as one of two by what the browser accepts."""

    async def marked(message: "Message") -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"vary", b"Accept-Encoding")]
        await send(message)

    return marked


def accepts_gzip(header: bytes) -> bool:
    """Whether an Accept-Encoding allows gzip: by its name, or by `*`, and not with `q=0`."""
    allowed: dict[bytes, bool] = {}
    for part in header.lower().split(b","):
        name, _, weight = part.replace(b" ", b"").partition(b";q=")
        allowed[name] = weight.strip(b"0.") != b"" or not weight
    return allowed.get(b"gzip", allowed.get(b"*", False))
