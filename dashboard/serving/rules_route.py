"""Published dictionaries for agents: the pointer of a rule set and its immutable versions, over HTTP.

The shape is the one that `pipeline.observation.published.HttpSource` reads. Code is never served: a
version is YAML texts, and what it needs of code it names by hash (`parser` in a rule file).
"""

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from pipeline.observation import published
from replay_store import rule_store
from replay_store.errors import StoreError
from replay_store.rule_shadows import running_shadow
from replay_store.rule_workers import WorkerLog

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from replay_store.database import Database

__all__ = ["RulesRoute"]

POINTER_PATH: Final = "/rules/{rule_set}/pointer.json"
VERSION_PATH: Final = "/rules/{rule_set}/versions/{version}.json"
_IMMUTABLE: Final = "private, max-age=31536000, immutable"


class RulesRoute:
    """Answers `GET /rules/<rule set>/pointer.json` and `.../versions/<sha256>.json`.

    An agent that says who it is and what it reads with is remembered for the Dictionaries page.

    Args:
        database: The store whose dictionaries are served.
        clock: The time now.
    """

    def __init__(self, database: "Database", clock: Callable[[], int] = time.time_ns) -> None:
        self._database = database
        self._workers = WorkerLog(database, clock)

    def routes(self) -> "list[Route]":
        """Both routes; each runs in a thread, reading waits for no page."""
        from starlette.routing import Route

        return [
            Route(POINTER_PATH, self.pointer, methods=["GET"]),
            Route(VERSION_PATH, self.version, methods=["GET"]),
        ]

    def pointer(self, request: "Request") -> "Response":
        """The version in force, and the one in its shadow where one runs; 404 for an unknown set.

        `{"version": "<64 hex digits, or v0>", "shadow": "<64 hex digits, or v0>"}`.
        """
        if not _is_known(request):
            return _nothing()
        self._note(request)
        moves = rule_store.history(self._database)
        version = moves[0].version if moves else rule_store.V0
        shadow = running_shadow(self._database)
        said = {"version": version} | ({} if shadow is None else {"shadow": shadow.version})
        return _json(json.dumps(said), "no-store")

    def _note(self, request: "Request") -> None:
        worker = _told(request, published.WORKER_HEADER)
        if worker is None:
            return
        refused = _told(request, published.REFUSED_HEADER)
        problem = _told(request, published.PROBLEM_HEADER)
        try:
            self._workers.note(worker, _told(request, published.RULES_HEADER), refused, problem)
        except StoreError:
            return  # a full disk is no reason to leave agents without their rules

    def version(self, request: "Request") -> "Response":
        """The bytes that hash to the name asked for; 404 for an unknown one, and for `v0`.

        `v0` is the files of the release that asks, not of this one.
        """
        version = request.path_params["version"]
        if not _is_known(request) or version == rule_store.V0:
            return _nothing()
        shadow = running_shadow(self._database)
        try:
            texts = (
                shadow.texts
                if shadow is not None and shadow.version == version
                else rule_store.texts_of(self._database, version)
            )
        except StoreError:
            return _nothing()
        return _json(rule_store.body_of(texts), _IMMUTABLE)


def _told(request: "Request", header: str) -> str | None:
    """What an agent said in a header, no longer than it may say; None for nothing."""
    text = unquote(request.headers.get(header, ""), errors="replace")[: published.MAX_TOLD]
    return text.strip() or None


def _is_known(request: "Request") -> bool:
    return bool(request.path_params["rule_set"] == rule_store.RULE_SET)


def _json(text: str, cache: str) -> "Response":
    from starlette.responses import Response

    headers = {"cache-control": cache}
    return Response(text.encode("utf-8"), media_type="application/json", headers=headers)


def _nothing() -> "Response":
    from starlette.responses import PlainTextResponse

    headers = {"cache-control": "no-store"}
    return PlainTextResponse("no such rules\n", status_code=404, headers=headers)
