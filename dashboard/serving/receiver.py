"""OTLP over HTTP as an ASGI app: bodies read under a limit and a deadline, answers by the handler.

CORS is off: no header allows a foreign page, and the content types that are read make a browser ask
first.
"""

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ingest import Signal
from ingest.receiver import Answer, Door, Handler, Request
from ingest.receiver.media import answer_encoding, too_large
from ingest.receiver.refusal import Refusal, busy, overfull

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from ingest.receiver.admission import Share

__all__ = ["OtlpHttp", "Text"]

SIGNALS: Final[Mapping[str, Signal]] = {f"/v1/{signal}": signal for signal in Signal}
OPEN_PATH: Final = "/healthz"
"""Says only whether all is well, so anybody may ask."""
_MAX_DISCARDED_BYTES: Final = 256 * 1024**2
"""How much of a body that is refused is read to its end, so that the sender hears the answer."""
_PLACES: Final = "POST /v1/traces, /v1/logs or /v1/metrics"


@dataclass(frozen=True, slots=True)
class Text:
    """A plain answer to a GET."""

    status: int
    body: bytes
    content_type: bytes = b"application/json"


Texts = Mapping[str, Callable[[], Awaitable[Text]]]


class OtlpHttp:
    """The receiver's side of port 4318.

    Args:
        handler: Reads, commits and answers.
        texts: What other paths answer to a GET, such as `/healthz`.
        token: What senders must show as a bearer token; None where only this machine can send.
        is_host_known: Whether a Host header is ours; senders elsewhere have the token instead.
    """

    def __init__(
        self,
        handler: Handler,
        texts: Texts,
        *,
        token: str | None = None,
        is_host_known: Callable[[str], bool],
    ) -> None:
        self._handler = handler
        self._texts = texts
        self._token = token
        self._is_host_known = is_host_known

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        text = self._texts.get(scope["path"])
        body = _Body(receive)
        try:
            if text is not None and scope["method"] in ("GET", "HEAD"):
                self._check_sender(scope, headers)
                await _send_text(send, await text())
                return
            self._check(scope, headers)
            answer = await self._answer(SIGNALS[scope["path"]], headers, body)
        except Refusal as refusal:
            await body.discard()
            answer = self._handler.refuse(refusal, answer_encoding(headers.get(b"content-type")))
        await _send_answer(send, answer, is_body_left=not body.is_complete)

    def _check(self, scope: "Scope", headers: Mapping[bytes, str]) -> None:
        if scope["path"] not in SIGNALS:
            raise Refusal(404, f"{scope['path'][:80]}: nothing is here: expected {_PLACES}")
        if scope["method"] != "POST":
            raise Refusal(405, f"{scope['method'][:20]}: expected POST with an OTLP export")
        self._check_sender(scope, headers)

    def _check_sender(self, scope: "Scope", headers: Mapping[bytes, str]) -> None:
        if scope["path"] == OPEN_PATH:
            return
        if not self._is_host_known(headers.get(b"host", "")):
            raise Refusal(421, "another host name than this server's: expected localhost")
        given = headers.get(b"authorization", "")
        if self._token is not None and not _is_bearer(given, self._token):
            raise Refusal(
                401,
                "no valid token: expected the header `authorization: Bearer TOKEN`; "
                "set OTEL_EXPORTER_OTLP_HEADERS",
            )

    async def _answer(self, signal: Signal, headers: Mapping[bytes, str], body: "_Body") -> Answer:
        with self._handler.admission.enter() as share:
            if share is None:
                raise busy()
            limits = self._handler.limits
            length = headers.get(b"content-length", "")
            if length.isdigit() and int(length) > limits.request_bytes:
                raise too_large(limits.request_bytes)
            data = await body.read(share, limits.request_bytes, limits.body_seconds)
            request = Request(
                door=Door.HTTP,
                signal=signal,
                body=data,
                received_time_ns=time.time_ns(),
                content_type=headers.get(b"content-type", ""),
                content_encoding=headers.get(b"content-encoding"),
            )
            return await self._handler.handle(request, share)


class _Body:
    """The body of one request."""

    def __init__(self, receive: "Receive") -> None:
        self._receive = receive
        self.is_complete = False

    async def read(self, share: "Share", max_bytes: int, seconds: float) -> bytes:
        """All of it.

        Raises:
            Refusal: 413 over the limit, 503 over the budget, 408 when it does not come in time.
        """
        parts: list[bytes] = []
        n_bytes = 0
        try:
            async with asyncio.timeout(seconds):
                while not self.is_complete:
                    part = await self._next()
                    n_bytes += len(part)
                    if n_bytes > max_bytes:
                        raise too_large(max_bytes)
                    if not share.grow(len(part)):
                        raise overfull()
                    parts.append(part)
        except TimeoutError as error:
            raise Refusal(
                408, f"the body did not come within {seconds:g} s: send it again"
            ) from error
        return b"".join(parts)

    async def discard(self) -> None:
        """Read on without keeping anything, for a while."""
        n_bytes = 0
        try:
            async with asyncio.timeout(_DISCARD_SECONDS):
                while not self.is_complete and n_bytes <= _MAX_DISCARDED_BYTES:
                    n_bytes += len(await self._next())
        except (TimeoutError, Refusal):
            return

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.is_complete = True
            raise Refusal(400, "the connection ended inside the body", reason=None)
        self.is_complete = not message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part


_DISCARD_SECONDS: Final = 5.0


def _headers(scope: "Scope") -> dict[bytes, str]:
    return {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _is_bearer(given: str, token: str) -> bool:
    scheme, _, value = given.partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(
        value.strip().encode(), token.encode()
    )


async def _send_answer(send: "Send", answer: Answer, *, is_body_left: bool) -> None:
    headers = [
        (b"content-type", answer.encoding.encode()),
        (b"content-length", str(len(answer.body)).encode()),
    ]
    if answer.retry_seconds is not None:
        headers.append((b"retry-after", str(answer.retry_seconds).encode()))
    if answer.status == 405:
        headers.append((b"allow", b"POST"))
    if answer.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if is_body_left:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})


async def _send_text(send: "Send", text: Text) -> None:
    headers = [
        (b"content-type", text.content_type),
        (b"content-length", str(len(text.body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": text.status, "headers": headers})
    await send({"type": "http.response.body", "body": text.body})
