"""OTLP over gRPC: the three Export methods as raw bytes to the same handler."""

import hmac
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from dashboard.errors import PortInUseError
from ingest import Signal
from ingest.receiver import Door, Handler, Request

if TYPE_CHECKING:
    import grpc

__all__ = ["grpc_server"]

_SERVICES: Final = {
    Signal.TRACES: "opentelemetry.proto.collector.trace.v1.TraceService",
    Signal.LOGS: "opentelemetry.proto.collector.logs.v1.LogsService",
    Signal.METRICS: "opentelemetry.proto.collector.metrics.v1.MetricsService",
}
_Export = Callable[[bytes, "grpc.aio.ServicerContext[bytes, bytes]"], Awaitable[bytes]]


def grpc_server(
    handler: Handler, host: str, port: int, *, token: str | None
) -> "tuple[grpc.aio.Server, int]":
    """A server, not started, and the port it has; call it in the loop that it will run in.

    Args:
        handler: Reads, commits and answers.
        host: Where to listen.
        port: 0 takes any free one.
        token: What senders must show as `authorization: Bearer TOKEN` metadata; None without.

    Raises:
        PortInUseError: Something else listens on the port.
    """
    import grpc

    limit = handler.limits.request_bytes
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", limit),
            ("grpc.so_reuseport", 0),
            ("grpc.max_concurrent_streams", handler.limits.waiting_requests),
        ],
        compression=grpc.Compression.NoCompression,
    )
    server.add_generic_rpc_handlers(tuple(_rpc(handler, signal, token) for signal in _SERVICES))
    bare = host.strip("[]")
    address = f"[{bare}]:{port}" if ":" in bare else f"{bare}:{port}"
    try:
        bound = server.add_insecure_port(address)
    except RuntimeError as error:
        raise _taken(host, port) from error
    if not bound:
        raise _taken(host, port)
    return server, bound


def _rpc(handler: Handler, signal: Signal, token: str | None) -> Any:
    import grpc

    method: Any = grpc.unary_unary_rpc_method_handler(_export(handler, signal, token))
    return grpc.method_handlers_generic_handler(_SERVICES[signal], {"Export": method})


def _export(handler: Handler, signal: Signal, token: str | None) -> _Export:
    import grpc

    codes = {code.value[0]: code for code in grpc.StatusCode}

    async def export(body: bytes, context: "grpc.aio.ServicerContext[bytes, bytes]") -> bytes:
        if token is not None and not _is_authorized(context, token):
            await context.abort(codes[16], "no valid token: expected authorization: Bearer TOKEN")
        answer = await handler.handle_whole(Request(Door.GRPC, signal, body, time.time_ns()))
        if answer.grpc_code:
            await context.abort(codes[answer.grpc_code], answer.detail)
        return answer.body

    return export


def _is_authorized(context: "grpc.aio.ServicerContext[bytes, bytes]", token: str) -> bool:
    for name, value in context.invocation_metadata() or ():
        if name == "authorization":
            text = value.decode("latin-1") if isinstance(value, bytes) else value
            scheme, _, given = text.partition(" ")
            return scheme.lower() == "bearer" and hmac.compare_digest(
                given.strip().encode(), token.encode()
            )
    return False


def _taken(host: str, port: int) -> PortInUseError:
    return PortInUseError(
        f"--grpc-port {port}: cannot listen on {host}:{port}: expected a free port; stop what uses "
        "it, or choose another with --grpc-port (0 takes any free one)"
    )
