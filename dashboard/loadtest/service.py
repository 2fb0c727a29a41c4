"""A ticket service on loopback that is slow, busy, broken and down to order (S3 §5.3).

It runs in a process of its own: what it measures must not wait for those it measures.
"""

import asyncio
import multiprocessing
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dashboard.loadtest.faults import Draws, Faults, TicketBook

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["running", "ticket_app"]

KEY_HEADER = "idempotency-key"


@contextmanager
def running(faults: Faults) -> Iterator[str]:
    """The service's address while inside."""
    context = multiprocessing.get_context("spawn")
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
        port = listening.getsockname()[1]
        process = context.Process(target=_serve, args=(listening, faults), daemon=True)
        process.start()
        try:
            _await(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.join(5)


def ticket_app(faults: Faults) -> "Starlette":
    """`POST /tickets`, `GET /tickets/{number}`, and `GET /book`, which tells what was really done."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    service = _Service(faults)
    return Starlette(
        routes=[
            Route("/tickets", service.create, methods=["POST"]),
            Route("/tickets/{number}", service.query),
            Route("/book", service.book),
        ]
    )


class _Service:
    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._draws = Draws(faults)
        self._book = TicketBook(faults.is_deduplicating)
        self._start = time.monotonic()

    async def create(self, request: "Request") -> "Response":
        from starlette.requests import ClientDisconnect
        from starlette.responses import JSONResponse, Response

        self._arrived()
        fate = self._draws.fate()
        try:
            body = await request.json()
        except ClientDisconnect:  # the caller gave up while it was still sending
            return Response(status_code=408)
        number = ""
        if fate.kind != "busy" and not self._is_down():
            number = self._book.make(body["order_no"], request.headers.get(KEY_HEADER, ""))
        if not await self._waited(fate.seconds) or not number:
            return JSONResponse({"code": "BUSY"}, 503)
        if fate.kind == "broken":
            return JSONResponse({"code": "INTERNAL"}, 500)
        return JSONResponse({"ticket_no": number, "ticket_status": "open"}, 201)

    async def query(self, request: "Request") -> "Response":
        from starlette.responses import JSONResponse

        self._arrived()
        fate = self._draws.fate()
        if not await self._waited(min(fate.seconds, 1.0)) or fate.kind == "busy":
            return JSONResponse({"code": "BUSY"}, 503)
        number = request.path_params["number"]
        return JSONResponse({"ticket_no": number, "ticket_status": "processing"})

    async def book(self, _: "Request") -> "Response":
        from starlette.responses import JSONResponse

        return JSONResponse(self._book.told())

    def _arrived(self) -> None:
        self._book.arrivals.append(round(time.monotonic() - self._start, 4))

    def _seconds_to_outage(self) -> float:
        faults = self._faults
        if faults.outage_seconds <= 0:
            return float("inf")
        passed = (time.monotonic() - self._start) % faults.outage_every_seconds
        return faults.outage_every_seconds - faults.outage_seconds - passed

    def _is_down(self) -> bool:
        return self._seconds_to_outage() <= 0

    async def _waited(self, seconds: float) -> bool:
        """Whether the service was up all the while; when it goes down, who waits is told at once."""
        left = self._seconds_to_outage()
        if left <= 0:
            return False
        await asyncio.sleep(min(seconds, left))
        return seconds < left


def _serve(listening: socket.socket, faults: Faults) -> None:
    import uvicorn

    config = uvicorn.Config(ticket_app(faults), log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listening])


def _await(port: int, seconds: float = 20.0) -> None:
    """Wait until the service answers."""
    import urllib.request

    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/book", timeout=seconds):
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
