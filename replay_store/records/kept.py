"""Kept rows: what people decided. Never rebuilt."""

from dataclasses import dataclass
from uuid import UUID

from pipeline.vocabulary import AnnotatorKind, Match, SelectionLabel


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


@dataclass(frozen=True, slots=True)
class Expectation:
    """One call that a test case expects, or the expectation that there is none."""

    record_hash: int
    trace_id: str | None
    """The one run it is for; None where it is for every run of the case."""
    case_id: str | None
    turn: int | None
    """Zero-based turn of the user; None when the case does not order turns."""
    call_index: int
    """Zero-based order within the case."""
    tool_name: str | None
    """None where no call, or any, is expected."""
    arguments: str | None
    """JSON; for `any_of` each argument holds a list of the values that are right."""
    arguments_hash: int | None
    """Hash of the canonical arguments, as calls have it; None where several values are right."""
    match: Match
    is_ordered: bool
    """Whether the calls must come in this order."""
    is_complete: bool
    """Whether calls that are not expected are wrong."""
    source: str
    """The container it came in."""
    file_id: UUID
    record_index: int
    received_time_ns: int


@dataclass(frozen=True, slots=True)
class Score:
    """One judgement that came with the data: of a trace, a step of it, or a span."""

    record_hash: int
    trace_id: str | None
    case_id: str | None
    """The test case whose runs are judged; None where only the trace is named."""
    span_id: str | None
    step: int | None
    """Position of the judged message, counted as the source counts."""
    name: str
    value: float | None
    label: str | None
    explanation: str | None
    annotator: str | None
    annotator_kind: AnnotatorKind
    source: str
    """The container it came in."""
    time_ns: int | None
    file_id: UUID
    record_index: int
    received_time_ns: int


@dataclass(frozen=True, slots=True)
class CaseRun:
    """Which test case a trace is a run of."""

    record_hash: int
    trace_id: str
    case_id: str
    trial: int | None
    source: str
    """The container it came in."""
    file_id: UUID
    record_index: int
    received_time_ns: int


@dataclass(frozen=True, slots=True)
class RuleVersion:
    """One immutable version of a dictionary."""

    version: str
    """SHA-256 of its body."""
    rule_set: str
    base_version: str
    """The version it was edited from; `v0` for the package's own files."""
    body: str
    """JSON object: file name to YAML text."""
    author: str
    reason: str
    created_time_ns: int


@dataclass(frozen=True, slots=True)
class RulePointer:
    """Which version was put in force when, by whom and why; the newest row counts."""

    rule_set: str
    version: str
    moved_by: str
    reason: str
    moved_time_ns: int


@dataclass(frozen=True, slots=True)
class Reread:
    """What a recorded observation amounts to when another version reads its raw outputs."""

    trace_id: str
    span_id: str
    time_ns: int | None
    hour: int | None
    rule_version: str
    snapshot_hash: str
    n_cells: int
    n_multi_source_cells: int
    n_conflicts: int
    n_unknown: int
    n_unparsed: int
    mean_confidence: float | None
    created_time_ns: int


@dataclass(frozen=True, slots=True)
class AuditBatch:
    """One random draw of decisions to judge, frozen once made."""

    batch_id: UUID
    name: str
    start_time_ns: int
    end_time_ns: int
    tool_name: str | None
    """None draws from every tool."""
    seed: int
    n_frame: int
    """Decisions there were to draw from."""
    n_drawn: int
    created_by: str
    created_time_ns: int
    n: int | None
    """How many were asked for. This and what follows is None for draws from before it was kept."""
    per_trace: int | None
    """The most of one trace; None draws decisions alone."""
    strata: list[str] | None
    """By what the frame was parted: any of tool, version, suspicion."""
    allocation: str | None
    """How the parts shared the draw: proportional, equal or neyman."""
    n_double: int | None
    """Items for two raters."""
    frame_query: str | None
    """The statement whose rows were the frame."""


@dataclass(frozen=True, slots=True)
class AuditStratum:
    """One part of the frame of a draw. A field is None where the parts are not told apart by it."""

    batch_id: UUID
    stratum: int
    tool_name: str | None
    contract_version: str | None
    """Empty for decisions that name no version."""
    is_suspicious: bool | None
    n_frame: int
    """Decisions it holds."""
    n_traces: int
    n_drawn: int


@dataclass(frozen=True, slots=True)
class AuditSkip:
    """An item that a rater passed over."""

    batch_id: UUID
    position: int
    annotator: str
    reason: str
    time_ns: int


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One decision of a draw."""

    batch_id: UUID
    position: int
    trace_id: str
    turn_index: int
    call_index: int | None
    inclusion_probability: float
    stratum: int | None
    """Which part of the frame it was drawn from; None for draws from before it was kept."""
    n_raters: int | None
    """How many people are to label it."""
