"""What Pydantic AI adds to GenAI: announced retries, deferred calls, wrapper spans."""

import re
from typing import Final

from ingest.dialects.claim import Claim, GuardSign, ToolSign
from ingest.dialects.names import Dialect, Names
from ingest.dialects.values import number, text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, GuardDecision, Role

NAME = "pydantic_ai"
_SCOPE: Final = "pydantic-ai"
_WRAPPER: Final = re.compile(r"^running (\d+ )?tools$")


def role_of(view: SpanView) -> Role | None:
    """A wrapper for the spans around parallel calls; the conventions name the others."""
    return Role.CHAIN if _WRAPPER.match(view.span.name) else None


def read(view: SpanView, _: Role) -> Claim:
    """The claim of Pydantic AI."""
    claim = Claim(NAME)
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


DIALECT: Final = Dialect(Names(NAME, scopes=(_SCOPE,)), role_of, read)
