"""Audit labels: one judgement of one decision a row. JSON Lines."""

from typing import Annotated, Literal

from pydantic import Field

from ingest.containers.rows import Index, Row, Text, TraceId, parsed
from ingest.decoded import Decoded, Origin
from pipeline.vocabulary import AnnotatorKind, SelectionLabel
from replay_store.records import Label


class LabelRow(Row):
    """One row; its fields are the columns of `Label`."""

    label_id: Text | None = None
    trace_id: TraceId
    turn_index: Index
    call_index: Index | None = None
    label: SelectionLabel
    sub: Text | None = None
    expected_tool: Text | None = None
    annotator: Annotated[str, Field(min_length=1)]
    annotator_kind: AnnotatorKind
    source: Literal["audit", "adjudication", "replay"] = "audit"
    batch_id: Text | None = None
    inclusion_probability: Annotated[float, Field(gt=0, le=1)] = 1.0
    note: Text | None = None


LABEL_FIELDS = frozenset(LabelRow.model_fields)
"""What a line of labels may hold."""


def decoded_label(row: object, origin: Origin) -> Decoded:
    """The label; without `label_id` its hash is its id.

    Raises:
        RecordError: No object, or a field is missing or impossible.
    """
    checked, is_escaped = parsed(LabelRow, row, "audit label")
    fields = checked.columns()
    if fields["label_id"] is None:
        del fields["label_id"]
    return origin.decoded(Label, fields, is_repaired=is_escaped, id_field="label_id")
