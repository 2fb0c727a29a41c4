"""Our own agent's attributes: what OpenTelemetry has no name for (`pipeline.attributes`)."""

from ingest.dialects.claim import Claim, GuardSign, ToolSign
from ingest.dialects.values import number, text
from ingest.dialects.view import SpanView
from pipeline import attributes as names
from pipeline.observation.attributes import SCOPE as OBSERVATION_SCOPE
from pipeline.vocabulary import GuardDecision, Role

NAME = "toolsight"
_OBSERVATION = "toolsight.observation."


def read(view: SpanView) -> Claim | None:
    """The claim of our dialect; None for spans of other scopes without one of its attributes."""
    is_observing = view.span.scope_name == OBSERVATION_SCOPE
    if not is_observing and not view.has("toolsight."):
        return None
    claim = Claim(
        NAME,
        task_id=text(view.first((names.TASK_ID,))),
        step_index=number(view.first((names.STEP_INDEX,))),
        attempt=number(view.first((names.ATTEMPT,))),
        error_type=text(view.first((names.ERROR_CLASS,))),
        idempotency_key=text(view.first((names.IDEMPOTENCY_KEY,))),
        contract_version=text(view.first((names.CONTRACT_VERSION,))),
        caller=text(view.first((names.CALLER,))),
        degradation=text(view.first((names.DEGRADATION,))),
    )
    if view.first((names.GUARD_RULE, names.GUARD_DECISION)) is not None:
        claim.role = Role.GUARD
        claim.guards = [_guard(view)]
    elif is_observing or view.has(_OBSERVATION):
        claim.role = Role.OBSERVATION
    elif claim.attempt is not None:
        claim.role = Role.ATTEMPT
        claim.tool = ToolSign()
    return claim


def _guard(view: SpanView) -> GuardSign:
    written = text(view.first((names.GUARD_DECISION,)))
    decisions: dict[str | None, GuardDecision] = {item.value: item for item in GuardDecision}
    return GuardSign(
        decisions.get(written, GuardDecision.UNKNOWN),
        names.GUARD_DECISION,
        rule=text(view.first((names.GUARD_RULE,))),
        phase=text(view.first((names.GUARD_PHASE,))),
        reason=text(view.first((names.GUARD_REASON,))),
        is_synthetic=view.first((names.GUARD_SYNTHETIC,)) in (True, "true"),
    )
