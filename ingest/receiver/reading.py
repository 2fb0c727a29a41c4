"""One request to one delivery: unpacked, decoded, mapped; whatever it holds."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final
from uuid import uuid4

from ingest.containers.json_text import loads
from ingest.containers.otlp_json import decode_documents
from ingest.containers.otlp_protobuf import decode_protobuf
from ingest.containers.wire_records import signal_of
from ingest.decoded import Ignored, Item, Origin
from ingest.errors import Reason, RecordError
from ingest.kinds import Signal
from ingest.mapping import map_batch
from ingest.receiver.admission import Share
from ingest.receiver.media import Encoding, encoding_of, unpacked
from ingest.receiver.refusal import Refusal, overfull
from ingest.receiver.request import Door, Limits, Request
from ingest.redaction import Redactor
from replay_store.commit import Delivery
from replay_store.records import NoiseLog, Reject, Span, SpanLog
from replay_store.writer import Batch

__all__ = ["Reading", "read_request", "refused_delivery"]

UNNAMED: Final = "(unnamed)"
SEVERAL: Final = "(several)"
_NS_PER_MS: Final = 1_000_000
_WHOLE: Final = frozenset(
    {Reason.JSON, Reason.PROTOBUF, Reason.TRUNCATED, Reason.SHAPE, Reason.DEPTH}
)
"""Reasons that may be about the request, not about a record in it."""
_TOP_KEYS: Final = {
    Signal.TRACES: ("resourceSpans", "resource_spans"),
    Signal.LOGS: ("resourceLogs", "resource_logs"),
    Signal.METRICS: ("resourceMetrics", "resource_metrics"),
}
_SHOWN_LENGTH: Final = 500


@dataclass(frozen=True, slots=True)
class Reading:
    """What one request turned out to be."""

    delivery: Delivery
    encoding: Encoding
    refusal: Refusal | None
    """Set when not one record was good, and the request itself is at fault."""
    n_rejected: int
    sentence: str
    """About the first reject; empty without."""


def read_request(
    request: Request, limits: Limits, share: Share, redactor: Redactor | None = None
) -> Reading:
    """Read a request; good records stay good beside bad ones.

    Args:
        request: The request.
        limits: How large it may be.
        share: What it holds of the budget; grows by what it unpacks to.
        redactor: Takes out what must not be kept.

    Raises:
        Refusal: Its form cannot be read at all (413, 415, damaged packing), or there is no room
            for what it unpacks to (503).
    """
    is_grpc = request.door is Door.GRPC
    encoding = Encoding.PROTOBUF if is_grpc else encoding_of(request.content_type)
    data = unpacked(request.body, request.content_encoding, limits.request_bytes)
    if not share.grow(max(len(data) - len(request.body), 0)):
        raise overfull()
    origin = Origin(uuid4(), request.door, request.received_time_ns, redactor)
    account = _Account(Batch())
    for item in _items(data, encoding, request.signal, origin):
        account.add(item)
    map_batch(account.batch)
    source = _source(account.batch)
    account.batch.rejects[:] = [replace(item, source=source) for item in account.batch.rejects]
    delivery = Delivery(
        file_id=origin.file_id,
        door=request.door,
        source=source,
        signal=request.signal,
        received_time_ns=request.received_time_ns,
        n_bytes=len(data),
        batch=account.batch,
        n_repaired=account.n_repaired,
        n_redacted=account.n_redacted,
        n_ignored=account.n_ignored,
        max_age_ms=_age_ms(account.batch, request.received_time_ns),
    )
    rejects = account.batch.rejects
    return Reading(
        delivery=delivery,
        encoding=encoding,
        refusal=_refusal(account.batch),
        n_rejected=len(rejects),
        sentence=f"{rejects[0].place}: {rejects[0].detail}"[:_SHOWN_LENGTH] if rejects else "",
    )


def refused_delivery(
    request: Request, refusal: Refusal, redactor: Redactor | None = None
) -> Delivery | None:
    """The ledger entry of a request that could not be read; None when it will come again."""
    if refusal.reason is None:
        return None
    origin = Origin(uuid4(), request.door, request.received_time_ns, redactor)
    reject = origin.reject("request", RecordError(refusal.reason, refusal.detail), request.body)
    return Delivery(
        file_id=origin.file_id,
        door=request.door,
        source=UNNAMED,
        signal=request.signal,
        received_time_ns=request.received_time_ns,
        n_bytes=len(request.body),
        batch=Batch(rejects=[replace(reject, source=UNNAMED)]),
    )


@dataclass(slots=True)
class _Account:
    batch: Batch
    n_repaired: int = 0
    n_redacted: int = 0
    n_ignored: int = 0

    def add(self, item: Item) -> None:
        if isinstance(item, Ignored):
            self.n_ignored += item.n
        elif isinstance(item, Reject):
            self.batch.rejects.append(item)
        else:
            self.n_repaired += item.is_repaired
            self.n_redacted += item.n_redacted
            self._keep(item.record)

    def _keep(self, record: object) -> None:
        if isinstance(record, Span):
            self.batch.spans.append(record)
        elif isinstance(record, SpanLog):
            self.batch.span_logs.append(record)
        elif isinstance(record, NoiseLog):
            self.batch.noise_logs.append(record)


def _items(data: bytes, encoding: Encoding, signal: Signal, origin: Origin) -> Iterator[Item]:
    if encoding is Encoding.JSON:
        return _json_items(data, signal, origin)
    return _protobuf_items(data, signal, origin)


def _json_items(data: bytes, signal: Signal, origin: Origin) -> Iterator[Item]:
    try:
        value = loads(data)
    except RecordError as error:
        yield origin.reject("request", error, data)
        return
    if value == {}:
        return
    sent = _signal_of_json(value)
    if sent is not None and sent is not signal:
        yield origin.reject("request", _misdirected(signal, sent), data)
        return
    yield from decode_documents(value, origin, "")


def _signal_of_json(value: Any) -> Signal | None:
    """What a document carries; None when it is no export, or of several kinds."""
    keys = value.keys() if isinstance(value, dict) else ()
    found = (
        [signal for signal, names in _TOP_KEYS.items() if not keys.isdisjoint(names)]
        if keys
        else []
    )
    return found[0] if len(found) == 1 else None


def _protobuf_items(data: bytes, signal: Signal, origin: Origin) -> Iterator[Item]:
    items = decode_protobuf(data, signal, origin)
    first = list(islice(items, 1))
    if first and isinstance(first[0], Reject):
        # Only a record that cannot be read raises the question; asking costs a walk of the bytes.
        sent = signal_of(data)
        if sent is not None and sent is not signal:
            yield origin.reject("request", _misdirected(signal, sent), data)
            return
    yield from first
    yield from items


def _misdirected(signal: Signal, sent: Signal) -> RecordError:
    return RecordError(
        Reason.OTHER_KIND,
        f"these are {sent}, sent to /v1/{signal}: expected {signal}; send them to /v1/{sent}",
    )


def _refusal(batch: Batch) -> Refusal | None:
    if batch.n_records or not batch.rejects:
        return None
    first = batch.rejects[0]
    is_whole = first.place in ("request", "document") or first.place.startswith("byte ")
    is_about_it = first.reason == Reason.OTHER_KIND or first.reason in _WHOLE
    return Refusal(400, first.detail) if is_whole and is_about_it else None


def _source(batch: Batch) -> str:
    names = {span.service_name for span in batch.spans}
    names |= {log.service_name for log in batch.span_logs}
    if len(names) > 1:
        return SEVERAL
    return (names.pop() if names else None) or UNNAMED


def _age_ms(batch: Batch, received_time_ns: int) -> int | None:
    newest = max((span.end_time_ns for span in batch.spans if span.end_time_ns), default=None)
    return None if newest is None else max(received_time_ns - newest, 0) // _NS_PER_MS
