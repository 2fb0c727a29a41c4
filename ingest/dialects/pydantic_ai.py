"""What Pydantic AI adds to GenAI: announced retries, deferred calls, wrapper spans."""

import re
from typing import Final

from ingest.dialects.claim import Claim, GuardSign, ToolSign
from ingest.dialects.values import number, text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, GuardDecision, Role

NAME = "pydantic_ai"
_SCOPE: Final = "pydantic-ai"
_WRAPPER: Final = re.compile(r"^running (\d+ )?tools$")


def read(view: SpanView) -> Claim | None:
    """The claim of Pydantic AI; None for spans of other scopes."""
    if view.span.scope_name != _SCOPE:
        return None
    claim = Claim(NAME)
    if _WRAPPER.match(view.span.name):
        claim.role = Role.CHAIN
    if view.first(("gen_ai.tool.name",)) is None:
        return claim
    claim.tool = ToolSign(
        arguments=view.first(("tool_arguments",)), result=view.first(("tool_response",))
    )
    claim.attempt = number(view.first(("pydantic_ai.tool.retry.attempt",)))
    claim.is_retry_announced = claim.attempt is not None or None
    deferral = text(view.first(("pydantic_ai.tool.deferral.name",)))
    if deferral is not None:
        claim.tool.flag = CallStatus.PENDING
        claim.guards = [
            GuardSign(GuardDecision.PENDING, "pydantic_ai.tool.deferral.name", rule=deferral)
        ]
    return claim
