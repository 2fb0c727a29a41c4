"""What Pydantic AI adds to GenAI: announced retries, deferred calls, wrappers, events as one list."""

import re
from typing import Final

from ingest.dialects.claim import Claim, GuardSign, ToolSign
from ingest.dialects.genai import read_event
from ingest.dialects.names import Dialect, Names, tell
from ingest.dialects.values import items, number, text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, GuardDecision, Role

NAME = "pydantic_ai"
_SCOPE: Final = "pydantic-ai"
_WRAPPER: Final = re.compile(r"^running (\d+ )?tools$")
_AGENT: Final = ("agent_name",)
_RUN: Final = re.compile(r"\brun$")
"""How the spans of agents end in releases that name no operation."""


def role_of(view: SpanView) -> Role | None:
    """A wrapper around parallel calls, the run of an agent; the conventions name the others."""
    if _WRAPPER.match(view.span.name):
        return Role.CHAIN
    is_run = _RUN.search(view.span.name) is not None and view.first(_AGENT) is not None
    return Role.AGENT if is_run else None


def read(view: SpanView, role: Role) -> Claim:
    """The claim of Pydantic AI."""
    claim = Claim(NAME)
    if role is Role.AGENT:
        claim.agent_name = text(view.first(_AGENT))
    elif role is Role.MODEL:
        _read_events(view, claim)
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


def _read_events(view: SpanView, claim: Claim) -> None:
    """Old releases write the events of the conventions as one list, in an attribute."""
    if view.first(("events",)) is None:
        return
    conversation = [
        read_event({"time_ns": None, "name": str(event.get("event.name")), "attributes": event})
        for event in items(view.first(("events",)))
        if isinstance(event, dict)
    ]
    shown = [message for inputs, _ in conversation for message in inputs]
    tell(claim, shown, [message for _, outputs in conversation for message in outputs])


DIALECT: Final = Dialect(Names(NAME, scopes=(_SCOPE,)), role_of, read)
