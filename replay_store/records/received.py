"""Received rows: what came in, as it came in (after repair of what no text column can hold)."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypedDict
from uuid import UUID

from replay_store.records.record import record

JsonValue: TypeAlias = (
    "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
)


class SpanEvent(TypedDict):
    """One event of a span."""

    time_ns: int | None
    name: str
    attributes: Mapping[str, JsonValue]


@record
class IngestFile:
    """One ledger line: `n_records = n_stored + n_merged + n_rejected`, always."""

    file_id: UUID
    path: str
    sha256: str | None
    """None when the bytes could not be read at all."""
    n_bytes: int | None
    container: str | None
    """What the bytes turned out to be; None when unknown."""
    started_time_ns: int
    finished_time_ns: int
    n_records: int
    n_stored: int
    n_merged: int
    """Records already known, byte for byte in canonical form."""
    n_rejected: int
    n_repaired: int
    """Stored records in which some text had to be escaped (invalid UTF-8, NUL, lone surrogates)."""
    message: str | None
    """Why nothing, or not everything, could be read, and what to do."""
    n_redacted: int | None = None
    """Values in which something was taken out before it was stored; None before there was a count."""
    container_reason: str | None = None
    """By what in the bytes the container was known; None where nothing was, or before it was kept."""


@record
class IntakeMinute:
    """What one sender sent in one minute, or a part of it: rows of equal keys are summed.

    `n_received = n_stored + n_merged + n_rejected`, always.
    """

    minute: int
    """Minutes since the epoch, by the clock of the receiver."""
    door: str
    """`otlp-http` or `otlp-grpc`."""
    source: str
    """The service name of the sender; `(unnamed)` without one, `(several)` for a relay."""
    signal: str
    """`traces`, `logs` or `metrics`."""
    n_requests: int
    n_bytes: int
    """Of the bodies, unpacked."""
    n_received: int
    n_stored: int
    n_merged: int
    n_rejected: int
    n_repaired: int
    n_redacted: int
    n_ignored: int
    """Metrics: accepted and left out, so no part of `n_received`."""
    max_age_ms: int | None
    """Receipt minus end of the oldest span among each request's newest; None without ended spans."""
    max_wait_ms: int | None
    """From receipt to the commit, the longest."""


@record
class Reject:
    """One refused record, with its place, reason and (bounded) bytes."""

    file_id: UUID
    path: str
    place: str
    """Where: `line 17`, `resource 0, scope 1, span 4`, `byte 1032`."""
    reason: str
    """A short, closed key to count by, such as `trace_id`, `json`, `truncated`."""
    detail: str
    """The sentence a person reads: what was wrong, what was expected, what to do."""
    raw: str | None
    """The refused bytes as escaped text, at most 64 KiB of them."""
    n_raw_bytes: int | None
    received_time_ns: int
    source: str | None = None
    """The service name of the sender, as `IntakeMinute` has it; None for files."""


@record
class Span:
    """One version of one span."""

    trace_id: str
    span_id: str
    parent_span_id: str | None
    """None for a root."""
    record_hash: int
    """64-bit hash of the canonical record; equal for JSON and protobuf of one export."""
    name: str
    otel_kind: int
    """0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer."""
    start_time_ns: int | None
    """None when the span carries none (0 on the wire)."""
    end_time_ns: int | None
    """None while unfinished (0 on the wire)."""
    duration_ns: int | None
    """None when unfinished, or when the end lies before the start."""
    hour: int | None
    """Hours since the epoch of the start."""
    lat_bucket: int | None
    """Log bucket of the duration, 1 % wide."""
    status_code: int
    """0 unset, 1 ok, 2 error."""
    status_message: str | None
    service_name: str | None
    scope_name: str | None
    scope_version: str | None
    resource: Mapping[str, JsonValue]
    attributes: Mapping[str, JsonValue]
    events: Sequence[SpanEvent]
    links: Sequence[JsonValue]
    trace_state: str | None
    flags: int | None
    n_dropped: int
    """Attributes, events and links the exporter says it dropped."""
    file_id: UUID
    record_index: int
    """Zero-based position in its file."""
    received_time_ns: int


@record
class SpanLog:
    """One OpenTelemetry log record."""

    trace_id: str | None
    span_id: str | None
    record_hash: int
    time_ns: int | None
    observed_time_ns: int | None
    hour: int | None
    severity_number: int | None
    severity_text: str | None
    event_name: str | None
    body: JsonValue
    attributes: Mapping[str, JsonValue]
    service_name: str | None
    scope_name: str | None
    resource: Mapping[str, JsonValue]
    file_id: UUID
    record_index: int
    received_time_ns: int


@record
class NoiseLog:
    """One injection of controlled noise into one fact (S0 §3.3)."""

    noise_id: str
    record_hash: int
    trace_id: str | None
    """None for noise of a replay case that has no trace."""
    span_id: str | None
    time_ns: int | None
    profile: str | None
    profile_version: str | None
    seed: int | None
    intensity: float | None
    fact_id: str | None
    entity_ref: str | None
    fact_type: str | None
    kind: str
    """DROP, TRUNCATE, JITTER_NUM, JITTER_DATE or LABEL_UNKNOWN."""
    original_value: str | None
    injected_value: str | None
    confidence_before: float | None
    confidence_after: float | None
    reason: str | None
    gate_u: float | None
    mag_u: float | None
    is_whitelisted: bool | None
    snapshot_hash_before: str | None
    snapshot_hash_after: str | None
    file_id: UUID
    record_index: int
    received_time_ns: int
