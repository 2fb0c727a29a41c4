"""The way in of a running server: the writer thread, the handler, and the receiver before them."""

import asyncio
import socket
from typing import TYPE_CHECKING

from dashboard.serving.alert_watch import AlertWatch
from dashboard.serving.exposition import CONTENT_TYPE, Exposition
from dashboard.serving.receiver import OtlpHttp, Text
from dashboard.serving.receiver_thread import ReceiverThread
from dashboard.serving.redaction import redactor
from dashboard.serving.security import host_name, known_hosts
from dashboard.settings import Settings
from ingest.receiver import Handler
from replay_store.commit import Committer
from replay_store.errors import StoreError

if TYPE_CHECKING:
    from replay_store.database import Database

__all__ = ["IntakeService"]


class IntakeService:
    """Takes OTLP over HTTP and gRPC into one store.

    Args:
        database: The store.
        settings: Host, gRPC port and token.
        listener: Where HTTP is taken; bound and listening.
    """

    def __init__(self, database: "Database", settings: Settings, listener: socket.socket) -> None:
        self._committer = Committer(database)
        self.handler = Handler(self._committer, redactor(settings))
        self._watch = AlertWatch(database, settings)
        self._exposition = Exposition(
            database, self.handler, settings.thresholds, lambda: self._watch.newest
        )
        self.port: int = listener.getsockname()[1]
        self._hosts = known_hosts(settings)
        self._token = settings.token
        app = OtlpHttp(
            self.handler,
            {"/healthz": self._health, "/metrics": self.metrics},
            token=settings.token,
            is_host_known=self._is_host_known,
        )
        self._thread = ReceiverThread(
            app, listener, self.handler, (settings.host, settings.grpc_port), settings.token
        )

    @property
    def grpc_port(self) -> int | None:
        """The port of gRPC; None before `start`."""
        return self._thread.grpc_port

    @property
    def is_well(self) -> bool:
        """Whether what is sent is stored."""
        return self._committer.is_alive

    def start(self) -> None:
        """Begin to commit, then listen.

        Raises:
            PortInUseError: Something else listens on the gRPC port.
        """
        self._committer.start()
        self._thread.start()
        self._watch.start()

    def close(self) -> None:
        """Take nothing more, commit and answer what is in hand. A second call does nothing."""
        self._watch.close()
        self._thread.stop()
        self._committer.close()
        self.handler.close()

    async def metrics(self) -> Text:
        """What `/metrics` answers: 503 and why where the store has no answer."""
        try:
            return Text(200, await asyncio.to_thread(self._exposition.text), CONTENT_TYPE)
        except StoreError as error:
            return Text(503, f"{error}\n".encode(), b"text/plain; charset=utf-8")

    def _is_host_known(self, host: str) -> bool:
        return self._token is not None or host_name(host) in self._hosts

    async def _health(self) -> Text:
        if self.is_well:
            return Text(200, b'{"status":"ok"}')
        return Text(503, b'{"status":"the store is not written any more; restart"}')
