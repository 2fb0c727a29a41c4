"""The receiver's own thread and event loop, so that a long page message holds up no sender."""

import asyncio
import logging
import socket
import threading
from typing import TYPE_CHECKING, Any, Final

from dashboard.serving.receiver import OtlpHttp
from dashboard.serving.receiver_grpc import grpc_server
from ingest.receiver import Handler

if TYPE_CHECKING:
    import grpc
    import uvicorn

__all__ = ["ReceiverThread"]

_GRACE_SECONDS: Final = 2
"""How long requests in hand may take to be answered after `stop`."""
_KEEP_ALIVE_SECONDS: Final = 75
"""Longer than exporters pause between two batches."""
_HEADER_SECONDS: Final = 10.0
"""How long a connection may take until its first request has arrived."""
_MAX_HEADER_BYTES: Final = 64 * 1024


class ReceiverThread:
    """Serves OTLP over HTTP, and over gRPC where a port is given.

    Args:
        app: Answers HTTP.
        listener: Bound and listening.
        handler: Answers gRPC.
        grpc_address: Host and port; None for no gRPC.
        token: What gRPC senders must show.
    """

    def __init__(
        self,
        app: OtlpHttp,
        listener: socket.socket,
        handler: Handler,
        grpc_address: tuple[str, int] | None,
        token: str | None,
    ) -> None:
        self._app = app
        self._listener = listener
        self._handler = handler
        self._grpc_address = grpc_address
        self._token = token
        self._thread = threading.Thread(target=self._run, name="receiver", daemon=True)
        self._is_up = threading.Event()
        self._failure: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self.grpc_port: int | None = None

    def start(self) -> None:
        """Listen; returns when requests are answered.

        Raises:
            PortInUseError: Something else listens on the gRPC port.
        """
        self._thread.start()
        self._is_up.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure

    def stop(self) -> None:
        """Take nothing more, answer what is in hand, end the thread. A second call does nothing."""
        if self._loop is not None and self._stopping is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._failure = error
            if self._is_up.is_set():
                raise
        finally:
            self._is_up.set()

    async def _serve(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        calls = await self._start_grpc()
        server = _http_server(self._app)
        serving = asyncio.create_task(server.serve(sockets=[self._listener]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        self._is_up.set()
        await self._stopping.wait()
        server.should_exit = True
        if calls is not None:
            await calls.stop(_GRACE_SECONDS)
        await serving

    async def _start_grpc(self) -> "grpc.aio.Server | None":
        if self._grpc_address is None:
            return None
        calls, self.grpc_port = grpc_server(self._handler, *self._grpc_address, token=self._token)
        await calls.start()
        return calls


def _http_server(app: OtlpHttp) -> "uvicorn.Server":
    import uvicorn

    config = uvicorn.Config(
        app,
        http=_protocol(),
        ws="none",
        lifespan="off",
        log_level=logging.ERROR,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(config)


def _protocol() -> Any:
    """HTTP/1.1 with a deadline for the headers, which uvicorn itself does not set."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Timed(H11Protocol):
        """Closes a connection whose first request does not arrive."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.loop.call_later(_HEADER_SECONDS, self._expect_request)

        def _expect_request(self) -> None:
            shown: object = self.scope  # set with the first request
            if shown is None and not self.transport.is_closing():
                self.transport.abort()

    return Timed
