"""Logfire's own spans of the OpenAI SDKs: known by their message template, their data unprefixed."""

from collections.abc import Mapping
from typing import Final

from ingest.dialects.claim import Claim, GuardSign
from ingest.dialects.names import Dialect, Names, read_by_table
from ingest.dialects.values import parsed, text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, GuardDecision, Role

NAMES: Final = Names(
    "logfire",
    marks=("logfire.msg_template",),
    kind=("logfire.msg_template",),
    fields={
        "agent_name": ("agent_name",),
        "session_id": ("group_id",),
        "request_model": ("gen_ai.request.model",),
    },
    usage=("usage",),
    inputs=("input", "request_data"),
    outputs=("output", "response_data", "response"),
    offers=("request_data",),
    tool_name=("name",),
    arguments=("input",),
    result=("output",),
)
_TEMPLATES: Final[Mapping[str, Role]] = {
    "OpenAI Agents trace:": Role.CHAIN,
    "Task:": Role.CHAIN,
    "Turn ": Role.CHAIN,
    "Agent run:": Role.AGENT,
    "Chat completion with ": Role.MODEL,
    "Chat Completion with ": Role.MODEL,
    "Responses API with ": Role.MODEL,
    "Message with ": Role.MODEL,
    "Function:": Role.TOOL,
    "MCP: list tools": Role.OTHER,
    "Handoff:": Role.CHAIN,
    "Guardrail ": Role.GUARD,
}
"""How templates begin, and the role of the spans they name."""


def role_of(view: SpanView) -> Role | None:
    """The role of a template; None for the templates of other integrations."""
    template = text(view.first(NAMES.kind)) or ""
    return next((role for start, role in _TEMPLATES.items() if template.startswith(start)), None)


def read(view: SpanView, role: Role) -> Claim:
    """The claim of Logfire: a tool's error and a guard's verdict stand in attributes of their own."""
    if role_of(view) is None:
        return Claim(NAMES.dialect)
    claim = read_by_table(view, role, NAMES)
    if role is Role.AGENT:
        claim.agent_name = text(view.first(("name",)))
    elif claim.tool is not None and parsed(view.first(("error",))) is not None:
        claim.tool.flag = CallStatus.ERROR
    elif role is Role.GUARD:
        claim.guards = [_guard(view)]
    return claim


def _guard(view: SpanView) -> GuardSign:
    triggered = view.attributes.get("triggered")
    verdict = GuardDecision.BLOCK if triggered else GuardDecision.ALLOW
    verdict = verdict if isinstance(triggered, bool) else GuardDecision.UNKNOWN
    return GuardSign(verdict, "triggered", rule=text(view.first(("name",))))


DIALECT: Final = Dialect(NAMES, role_of, read)
