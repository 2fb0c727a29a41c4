"""Attribute names of our own agent dialect, used only where OpenTelemetry has no convention.

Everything that GenAI semantic conventions name (`gen_ai.operation.name`, `gen_ai.tool.name`,
`gen_ai.tool.call.id`, ...) is emitted under that name; these are the rest. The agent side emits
them, `ingest` maps them, and this module is the one place where they are spelled.
"""

from typing import Final

TASK_ID: Final = "toolsight.task.id"
"""The task a span works on; one task may run over several traces."""
STEP_INDEX: Final = "toolsight.step.index"
"""Zero-based index of the planned step within its task."""
ATTEMPT: Final = "toolsight.attempt"
"""One-based number of the try; its span lies beneath the span of the call."""
IDEMPOTENCY_KEY: Final = "toolsight.idempotency_key"
CONTRACT_VERSION: Final = "toolsight.contract.version"
CALLER: Final = "toolsight.caller"
"""Who the agent acts for (rate limits count per caller)."""
ERROR_CLASS: Final = "toolsight.error.class"
"""One of `pipeline.vocabulary.ErrorClass`."""
GUARD_RULE: Final = "toolsight.guard.rule"
GUARD_DECISION: Final = "toolsight.guard.decision"
"""One of `pipeline.vocabulary.GuardDecision`; on the span of each evaluation."""
GUARD_REASON: Final = "toolsight.guard.reason"
GUARD_PHASE: Final = "toolsight.guard.phase"
GUARD_SYNTHETIC: Final = "toolsight.guard.synthetic"
"""True for a canary call that a rule must block; excluded from metrics."""
DEGRADATION: Final = "toolsight.degradation"
"""L1, L2 or L3 when a call was answered by a fallback (S4 §3.2)."""
