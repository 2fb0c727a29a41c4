"""Which records go with a trace: what is removed, moved out of the store and shipped goes by these."""

from typing import Final

from replay_store.records import (
    Attempt,
    CallEvidence,
    CallRetry,
    Decision,
    Fact,
    GuardEvaluation,
    GuardEvent,
    LlmCall,
    ModelCall,
    NoiseLog,
    Observation,
    Observed,
    ObservedNoise,
    Prompt,
    RawOccurrence,
    Snapshot,
    Span,
    SpanLog,
    SpanRole,
    ToolCall,
)

__all__ = ["DERIVED_OF_TRACES", "READ_OF_TRACES"]

READ_OF_TRACES: Final = (
    Span,
    SpanLog,
    NoiseLog,
    SpanRole,
    LlmCall,
    CallEvidence,
    GuardEvent,
    Observation,
    Snapshot,
    Fact,
    Prompt,
    ObservedNoise,
    RawOccurrence,
)
"""What was received and what is read in one span or log record: by this record, it never changes."""
DERIVED_OF_TRACES: Final = (
    *(ToolCall, Attempt, Decision, GuardEvaluation, ModelCall, CallRetry, Observed),
)
"""What is derived from them, beside the `Trace` itself: made anew as a whole."""
