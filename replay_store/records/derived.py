"""Derived rows: facts across spans, rebuilt by SQL over the traces that changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from pipeline.vocabulary import CallStatus, ErrorSource, GuardDecision, RetryKind


@dataclass(frozen=True, slots=True)
class Trace:
    """One trace and its counts. NULL means that the spans do not show it; 0 means none."""

    trace_id: str
    task_id: str
    """The trace id itself unless the data links traces into a task."""
    name: str | None
    service_name: str | None
    agent_name: str | None
    session_id: str | None
    user_id: str | None
    start_time_ns: int | None
    end_time_ns: int | None
    duration_ns: int | None
    hour: int | None
    status: str
    """ok, error (the run failed), unknown, or unfinished."""
    is_run_failed: bool | None
    is_finished: bool
    error_type: str | None
    error_message: str | None
    dialects: Sequence[str]
    models: Sequence[str]
    n_spans: int
    n_root_spans: int
    n_orphan_spans: int
    """Spans whose parent never came."""
    n_error_spans: int
    n_logs: int
    n_noise: int
    n_llm_calls: int | None
    """Model calls that were answered."""
    n_llm_errors: int
    n_tool_calls: int | None
    n_tool_errors: int | None
    n_retries: int | None
    n_steps: int | None
    n_guard_evaluations: int
    n_guard_hits: int
    input_tokens: int | None
    output_tokens: int | None
    cached_input_tokens: int | None
    longest_identical_run: int | None
    """Longest run of equal calls (tool and arguments) in a row; 0 when no call repeats."""
    last_received_time_ns: int
    first_received_time_ns: int
    """Between the two lies the arrival of every row the trace was derived from."""
    linked_by: str | None
    """By what it is linked to the other traces of its task (`call, session`); None for one alone."""
    tool_names: Sequence[str]
    """Of its calls, each once, sorted."""
    call_error_types: Sequence[str]
    """The classes of its failed calls, each once, sorted; `error_type` is that of the run."""
    fault_signs: Sequence[str]
    """The signs of a fault that it did not recover from, each once, sorted."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice of a model turn: one call it asked for, or none at all."""

    trace_id: str
    turn_index: int
    """Zero-based index of the answered model call within its trace."""
    call_index: int | None
    """Zero-based index of the call within its turn; None for a turn that asked for none."""
    decision_id: UUID
    llm_span_id: str | None
    time_ns: int | None
    hour: int | None
    tool_name: str
    """NO_CALL for a turn that asked for none."""
    tool_call_id: str | None
    is_pseudo: bool
    arguments_hash: int | None
    catalogue_hash: int | None
    is_offered: bool | None
    """Whether the catalogue held the tool; None when the catalogue is not visible."""
    contract_version: str | None
    model: str | None
    agent_name: str | None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One logical call: request, attempts and answer joined."""

    trace_id: str
    call_index: int
    """Zero-based order within the trace."""
    turn_index: int | None
    span_id: str | None
    """The span of the execution; None when it was asked for but never ran."""
    llm_span_id: str | None
    tool_call_id: str | None
    tool_name: str
    namespace: str | None
    is_pseudo: bool
    is_executed: bool
    agent_name: str | None
    caller: str | None
    contract_version: str | None
    step_index: int | None
    arguments_hash: int | None
    is_arguments_valid: bool | None
    arguments_preview: str | None
    result_preview: str | None
    start_time_ns: int | None
    end_time_ns: int | None
    duration_ns: int | None
    """First attempt's start to last attempt's end, waits included."""
    hour: int | None
    lat_bucket: int | None
    status: CallStatus
    error_type: str | None
    error_message: str | None
    error_source: ErrorSource | None
    n_attempts: int
    """0 when it never ran."""
    retry_of: int | None
    """call_index of the failed call that this one tries again."""
    retry_root: int
    """call_index of the first call of the chain; its own for a call that retries none."""
    retry_kind: RetryKind | None
    idempotency_key: str | None
    degradation: str | None
    head_trace_id: str
    """The trace that heads the task: linked traces number their calls together, others on their own."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of one call."""

    trace_id: str
    call_index: int
    attempt_index: int
    """Zero-based."""
    span_id: str
    tool_name: str
    caller: str | None
    start_time_ns: int | None
    end_time_ns: int | None
    duration_ns: int | None
    hour: int | None
    lat_bucket: int | None
    status: CallStatus
    error_type: str | None


@dataclass(frozen=True, slots=True)
class GuardEvaluation:
    """One evaluation of one guard rule, counted once however often the spans show it."""

    trace_id: str
    evaluation_index: int
    span_id: str | None
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


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model; of spans inside each other that tell of the same call the outermost."""

    trace_id: str
    span_id: str
    model: str | None
    """That answered, else that was asked."""
    start_time_ns: int | None
    end_time_ns: int | None
    duration_ns: int | None
    hour: int | None
    lat_bucket: int | None


@dataclass(frozen=True, slots=True)
class CallRetry:
    """What trying again made of one call; only calls of which that says something have one."""

    trace_id: str
    call_index: int
    n_tries: int | None
    """Tries of the chain that this call begins, its own attempts included; None for other calls."""
    is_explicit: bool | None
    """Whether a dialect says so: several attempts, or an announced retry."""
    last_status: CallStatus | None
    """How the last try of the chain ended; a blocked call is none."""
    n_futile: int
    """Tries of this call that could not help: same arguments after an error that no repeat mends."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What one observation adds to figures, as recorded: of several versions of its span that which counts."""

    trace_id: str
    span_id: str
    time_ns: int | None
    """Its start, or that of its trace; None where neither is known."""
    hour: int | None
    n_cells: int
    n_multi_source_cells: int
    n_conflicts: int
    n_unknown: int
    confidence_millionths: int
    """Of its cells together; a confidence has fewer decimals."""
    is_noisy: bool
    """Whether its noise hit."""
    parse_ns: int | None


@dataclass(frozen=True, slots=True)
class TraceLink:
    """A trace without a root of its own, and the trace that heads the task it belongs to."""

    trace_id: str
    head_id: str
    """The trace of the task that began first."""
    linked_by: str
    """The kinds of key that link it, such as `call, session`."""
