"""Kept rows: what people decided. Never rebuilt."""

from dataclasses import dataclass
from uuid import UUID

from pipeline.vocabulary import AnnotatorKind, SelectionLabel


@dataclass(frozen=True, slots=True)
class Label:
    """One judgement of one decision."""

    label_id: str
    record_hash: int
    trace_id: str
    turn_index: int
    call_index: int | None
    """None judges a turn that asked for no call."""
    label: SelectionLabel
    sub: str | None
    expected_tool: str | None
    annotator: str
    annotator_kind: AnnotatorKind
    source: str
    """audit or replay; the two are never mixed in one figure."""
    batch_id: str | None
    inclusion_probability: float
    """Chance that the draw had of picking this decision, in (0, 1]; its weight is the inverse."""
    time_ns: int | None
    note: str | None
    file_id: UUID
    record_index: int
    received_time_ns: int
