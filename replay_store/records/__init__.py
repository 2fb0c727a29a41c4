"""Record classes: one frozen class a table, its fields the table's columns in order.

Ids are lower hex at this interface (32 digits a trace, 16 a span) and UUID / UBIGINT inside; JSON
columns are Python values here and text inside. Field names carry their unit.
"""

from replay_store.records.derived import Attempt, Decision, GuardEvaluation, ToolCall, Trace
from replay_store.records.kept import (
    AuditBatch,
    AuditItem,
    Label,
    Reread,
    RulePointer,
    RuleVersion,
)
from replay_store.records.mapped import CallEvidence, GuardEvent, LlmCall, OfferedTool, SpanRole
from replay_store.records.observation import (
    Fact,
    Observation,
    ObservedNoise,
    Prompt,
    RawOccurrence,
    RawOutput,
    Snapshot,
)
from replay_store.records.received import (
    IngestFile,
    IntakeMinute,
    JsonValue,
    NoiseLog,
    Reject,
    Span,
    SpanEvent,
    SpanLog,
)

RECORDS = (
    IngestFile,
    IntakeMinute,
    Reject,
    Span,
    SpanLog,
    NoiseLog,
    SpanRole,
    LlmCall,
    OfferedTool,
    CallEvidence,
    GuardEvent,
    Trace,
    Decision,
    ToolCall,
    Attempt,
    GuardEvaluation,
    Label,
    Observation,
    Snapshot,
    Fact,
    Prompt,
    ObservedNoise,
    RawOutput,
    RawOccurrence,
    RuleVersion,
    RulePointer,
    Reread,
    AuditBatch,
    AuditItem,
)
"""Every record class; the table of each is its name in snake_case."""

__all__ = [
    "RECORDS",
    "Attempt",
    "AuditBatch",
    "AuditItem",
    "CallEvidence",
    "Decision",
    "Fact",
    "GuardEvaluation",
    "GuardEvent",
    "IngestFile",
    "IntakeMinute",
    "JsonValue",
    "Label",
    "LlmCall",
    "NoiseLog",
    "Observation",
    "ObservedNoise",
    "OfferedTool",
    "Prompt",
    "RawOccurrence",
    "RawOutput",
    "Reject",
    "Reread",
    "RulePointer",
    "RuleVersion",
    "Snapshot",
    "Span",
    "SpanEvent",
    "SpanLog",
    "SpanRole",
    "ToolCall",
    "Trace",
]
