"""Our own agent's attributes: what OpenTelemetry has no name for (`pipeline.attributes`)."""

from typing import Final

from ingest.dialects.claim import Claim, GuardSign, ToolSign
from ingest.dialects.names import Dialect, Names
from ingest.dialects.values import number, text
from ingest.dialects.view import SpanView
from pipeline import attributes as names
from pipeline.observation.attributes import SCOPE as OBSERVATION_SCOPE
from pipeline.vocabulary import GuardDecision, Role

NAME = "toolsight"
_OBSERVATION = "toolsight.observation."


def role_of(view: SpanView) -> Role | None:
    """A guard by its rule, a stage by its scope, a try by its number; None for other spans."""
    if view.first((names.GUARD_RULE, names.GUARD_DECISION)) is not None:
        return Role.GUARD
    if view.span.scope_name == OBSERVATION_SCOPE or view.has(_OBSERVATION):
        return Role.OBSERVATION
    return None if number(view.first((names.ATTEMPT,))) is None else Role.ATTEMPT


def read(view: SpanView, role: Role) -> Claim:
    """The claim of our own dialect."""
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
    if role is Role.GUARD:
        claim.guards = [_guard(view)]
    elif role is Role.ATTEMPT:
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


DIALECT: Final = Dialect(
    Names(NAME, marks=("toolsight.",), scopes=(OBSERVATION_SCOPE,)), role_of, read
)
