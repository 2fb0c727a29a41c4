"""The noise log: one injection of controlled noise a row. JSON Lines, or log records."""

from typing import Literal

from ingest.containers.rows import Int64, Number, OptionalSpanId, OptionalTraceId, Row, Text, parsed
from ingest.decoded import Decoded, Origin
from replay_store.records import NoiseLog


class NoiseRow(Row):
    """One row; its fields are the columns of `NoiseLog`. Source: S0 §3.3."""

    noise_id: Text | None = None
    trace_id: OptionalTraceId = None
    span_id: OptionalSpanId = None
    profile: Text | None = None
    profile_version: Text | None = None
    seed: Int64 | None = None
    intensity: Number | None = None
    fact_id: Text | None = None
    entity_ref: Text | None = None
    fact_type: Text | None = None
    kind: Literal["DROP", "TRUNCATE", "JITTER_NUM", "JITTER_DATE", "LABEL_UNKNOWN"]
    original_value: Text | None = None
    injected_value: Text | None = None
    confidence_before: Number | None = None
    confidence_after: Number | None = None
    reason: Text | None = None
    gate_u: Number | None = None
    mag_u: Number | None = None
    is_whitelisted: bool | None = None
    snapshot_hash_before: Text | None = None
    snapshot_hash_after: Text | None = None


NOISE_FIELDS = frozenset(NoiseRow.model_fields)
"""What a line of a noise log may hold."""


def decoded_noise(row: object, origin: Origin, *, is_repaired: bool = False) -> Decoded:
    """The noise row; without `noise_id` its hash is its id.

    Raises:
        RecordError: No object, or a field is missing or impossible.
    """
    checked, is_escaped = parsed(NoiseRow, row, "noise row")
    fields = checked.columns()
    if fields["noise_id"] is None:
        del fields["noise_id"]
    return origin.decoded(
        NoiseLog, fields, is_repaired=is_repaired or is_escaped, id_field="noise_id"
    )
