"""Mapped rows of what the model saw. Rebuilt from the spans of observations."""

from collections.abc import Sequence

from replay_store.records.record import record


@record
class Observation:
    """One observation: tool outputs read, aligned and put into words for the model."""

    trace_id: str
    span_id: str
    record_hash: int
    time_ns: int | None
    hour: int | None
    query_time_ns: int | None
    """From when ages count back."""
    intent: str | None
    primary_entity: str | None
    """`type:id`."""
    tool_names: Sequence[str]
    rule_version: str | None
    rule_sha256: str | None
    snapshot_hash: str
    noisy_snapshot_hash: str | None
    """None when no noise was injected."""
    n_outputs: int
    n_fragments: int
    n_cells: int
    """Cells are (entity, fact type) pairs; of the variant the model was given."""
    n_multi_source_cells: int
    """Denominator of the conflict share."""
    n_conflicts: int
    n_unknown: int
    n_unparsed: int
    n_failed: int
    n_empty: int
    n_degraded: int
    mean_confidence: float | None
    signals: Sequence[str]
    parse_ms: float | None
    align_ms: float | None
    inject_ms: float | None
    render_ms: float | None
    noise_profile: str | None
    noise_seed: int | None
    noise_intensity: float | None
    n_noise_eligible: int | None
    n_noise_hit: int | None


@record
class Snapshot:
    """The evidence of one variant as it was emitted; reads back to an equal snapshot."""

    trace_id: str
    span_id: str
    record_hash: int
    variant: str
    """clean or noisy."""
    snapshot_hash: str
    facts: str
    """JSON text of `pipeline.observation.wire`."""


@record
class Fact:
    """One piece of evidence of one variant."""

    trace_id: str
    span_id: str
    record_hash: int
    variant: str
    fact_id: str
    entity_type: str
    entity_id: str
    fact_type: str
    kind: str
    """FACT, UNKNOWN, UNPARSED, EMPTY, FAILED, DEGRADED or DERIVED."""
    value: str | None
    confidence: float
    confidence_origin: str
    source: str
    """`tool.field`."""
    tool_name: str
    raw: str | None
    reason: str | None
    observed_time_ns: int | None
    valid_time_ns: int | None
    contract_version: str | None
    parser_version: str | None
    """`rules@1`, or the name and version of a parser in code."""
    rule_version: str | None


@record
class Prompt:
    """One text as it was given to the model, or could have been."""

    trace_id: str
    span_id: str
    record_hash: int
    variant: str
    template: str
    language: str
    text: str
    n_tokens: int | None
    token_counter: str | None
    """`estimate`, or the vocabulary that counted exactly."""


@record
class ObservedNoise:
    """One injection of noise as the span of its observation tells; columns of `noise_log`."""

    trace_id: str
    span_id: str
    record_hash: int
    noise_id: str
    time_ns: int | None
    """The observation's start, when the pipeline states no time of its own."""
    profile: str | None
    profile_version: str | None
    seed: int | None
    intensity: float | None
    fact_id: str | None
    entity_ref: str | None
    fact_type: str | None
    kind: str
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
    received_time_ns: int
    """Of the span version; bounds where derive looks."""


@record
class RawOutput:
    """One distinct raw output of a tool, kept once."""

    raw_id: str
    """First 32 hex digits of the SHA-256 of tool, contract version and body."""
    tool_name: str
    contract_version: str | None
    body: str
    n_bytes: int


@record
class RawOccurrence:
    """Where a raw output occurred."""

    trace_id: str
    span_id: str
    record_hash: int
    position: int
    raw_id: str
    source: str
    """observation: the pipeline was given it; execution: the span of a run shows it."""
    time_ns: int | None
    received_time_text: str | None
    """When the tool answered, ISO 8601 as emitted."""
    error_class: str | None
    degradation: str | None
