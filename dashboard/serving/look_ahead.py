"""A trace's page asks the store while the browser still loads its scripts.

Between the request for a page and the first run of its script a browser needs half a second and
more; what the page will ask first is asked meanwhile, and the answers are kept for it.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["LookAhead"]

_LOG: Final = logging.getLogger(__name__)
_PAGE: Final = "/trace"
_LONGEST: Final = 4_096
"""Bytes of a query that are looked at; a pasted line of a log may be long."""


class LookAhead:
    """Begins what the page of a trace will ask when it is requested; an ASGI middleware.

    One trace at a time: while one is looked at, another is left to its page. It stands behind the
    gate and the login, so that nobody makes the store work who may not look.
    """

    def __init__(self, app: "ASGIApp", ask: "Callable[[str], None]") -> None:
        """Look ahead with `ask`, which is given what the address calls the trace."""
        self._app = app
        self._ask = ask
        self._looking: asyncio.Future[None] | None = None

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass everything on; nothing waits for what is asked."""
        wanted = _wanted(scope)
        if wanted and (self._looking is None or self._looking.done()):
            self._looking = asyncio.get_running_loop().run_in_executor(None, self._look, wanted)
        await self._app(scope, receive, send)

    def _look(self, wanted: str) -> None:
        try:
            self._ask(wanted)
        except Exception:  # noqa: BLE001 - a look ahead may never harm what it looks for
            # The page meets the same and says it; here nobody would read it.
            _LOG.debug("looking ahead failed", exc_info=True)


def _wanted(scope: "Scope") -> str:
    """What a request for a trace's page calls the trace; empty for every other request."""
    if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] != _PAGE:
        return ""
    query: bytes = scope["query_string"]
    if len(query) > _LONGEST:
        return ""
    return parse_qs(query.decode("latin-1")).get("trace_id", [""])[0].strip()
