"""Mapped rows: what the dialects read out of one span. Rebuilt from received rows."""

from collections.abc import Sequence

from pipeline.vocabulary import CallStatus, ErrorSource, Evidence, GuardDecision, KeyKind, Role
from replay_store.records.record import record


@record
class SpanRole:
    """What one span is to the agent, and whom it belongs to."""

    trace_id: str
    span_id: str
    record_hash: int
    role: Role
    dialects: Sequence[str]
    """Every dialect that claimed the span, in order of precedence; empty for plain spans."""
    agent_name: str | None
    session_id: str | None
    user_id: str | None
    task_id: str | None
    step_index: int | None
    is_error: bool
    error_type: str | None
    error_message: str | None
    received_time_ns: int
    """Of the span version; bounds where derive looks."""


@record
class LlmCall:
    """One model call, answered or not."""

    trace_id: str
    span_id: str
    record_hash: int
    provider: str | None
    request_model: str | None
    response_model: str | None
    response_id: str | None
    input_tokens: int | None
    """Cached ones included; None when the span does not say."""
    output_tokens: int | None
    cached_input_tokens: int | None
    finish_reason: str | None
    n_requested_calls: int
    is_output_visible: bool
    """False when content capture was off: no request is then not the same as no call."""
    catalogue_hash: int | None
    """Names the set of tools on offer (`offered_tool`); None when the span does not show it."""
    output_preview: str | None
    received_time_ns: int
    """Of the span version; bounds where derive looks."""


@record
class OfferedTool:
    """One tool of one catalogue; catalogues are stored once, by hash."""

    catalogue_hash: int
    position: int
    tool_name: str
    description: str | None
    input_schema: str | None


@record
class CallEvidence:
    """One sign of one tool call in one span; derive joins the signs of one call."""

    trace_id: str
    span_id: str
    record_hash: int
    evidence: Evidence
    position: int
    """Order within the span."""
    tool_call_id: str | None
    tool_name: str | None
    """None on answers whose message names none."""
    namespace: str | None
    """Framework prefix taken off the name, such as `mcp:store`."""
    is_pseudo: bool
    """Hand-offs, final answers: shown, never counted."""
    arguments: str | None
    """As the model or the runtime wrote them."""
    arguments_hash: int | None
    """Hash of the canonical arguments; None when the span does not show them."""
    is_arguments_valid: bool | None
    """False when the model's text is not JSON."""
    result: str | None
    """Stored: its first 500 characters, but whole for a run that names no tool. What a run of a named
    tool answered is a `RawOutput`."""
    status: CallStatus
    error_type: str | None
    error_message: str | None
    error_source: ErrorSource | None
    attempt: int | None
    is_retry_announced: bool
    """The dialect says that this failure will be tried again."""
    idempotency_key: str | None
    contract_version: str | None
    caller: str | None
    degradation: str | None
    agent_name: str | None
    step_index: int | None
    received_time_ns: int
    """Of the span version; bounds where derive looks."""
    is_from_log: bool | None
    """Told by a log record beside the span, not by the span; None before there was a difference."""


@record
class GuardEvent:
    """One evaluation of one guard rule."""

    trace_id: str
    span_id: str
    record_hash: int
    position: int
    time_ns: int | None
    hour: int | None
    rule: str | None
    phase: str | None
    decision: GuardDecision
    is_hit: bool
    is_synthetic: bool
    tool_name: str | None
    tool_call_id: str | None
    reason: str | None
    evidence: str
    """The attribute or text the verdict was read from."""
    received_time_ns: int
    """Of the span version; bounds where derive looks."""


@record
class TraceKey:
    """One thing by which a trace without a root of its own can be linked to others."""

    trace_id: str
    span_id: str
    record_hash: int
    kind: KeyKind
    key_hash: int
    """Equal keys of one kind link their traces."""
    is_origin: bool
    """Whether the key begins here: a call asked for, an exchange ended; else it is taken up."""
    other_trace_id: str | None
    """The trace that a span link names."""
    time_ns: int | None
    end_time_ns: int | None
    received_time_ns: int
