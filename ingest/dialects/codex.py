"""Codex's telemetry: its events, each kept as the span of the operation that it tells.

A model turn is told by the end of its stream, with tokens, and by nothing where its request failed:
then the failed request is the turn. Source: the configuration page of Codex.
"""

from typing import Final

from ingest.dialects.claim import Claim
from ingest.dialects.names import Dialect, Names, read_by_table
from ingest.dialects.permission import permission
from ingest.dialects.values import text
from ingest.dialects.verdict import STATUS_ERROR, written_flag
from ingest.dialects.view import SpanView
from pipeline.vocabulary import GuardDecision, Role

NAMES: Final = Names(
    "codex",
    span_prefix="codex.",
    roles={
        "codex.sse_event": Role.MODEL,
        "codex.api_request": Role.MODEL,
        "codex.tool_result": Role.TOOL,
        "codex.tool_decision": Role.GUARD,
    },
    fields={
        "session_id": ("conversation.id",),
        "user_id": ("user.account_id",),
        "request_model": ("model",),
        "error_type": ("http.response.status_code",),
        "input_tokens": ("input_token_count",),
        "output_tokens": ("output_token_count",),
        "cached_input_tokens": ("cached_token_count",),
    },
    tool_name=("tool_name",),
    tool_call_id=("call_id",),
    arguments=("arguments",),
    result=("output",),
)
_STREAM_END: Final = "response.completed"
_DECISIONS: Final = {
    "approved": GuardDecision.ALLOW,
    "approved_for_session": GuardDecision.ALLOW,
    "approved_execpolicy_amendment": GuardDecision.ALLOW,
    "denied": GuardDecision.BLOCK,
    "abort": GuardDecision.BLOCK,
}


def role_of(view: SpanView) -> Role | None:
    """The role that the name of the event gives; None for a part of a model turn."""
    span = view.span
    role = NAMES.roles.get(span.name)
    if role is not Role.MODEL or span.status_code == STATUS_ERROR:
        return role
    is_whole = text(view.attributes.get("event.kind")) == _STREAM_END
    return role if is_whole else Role.OTHER


def read(view: SpanView, role: Role) -> Claim:
    """The claim of Codex."""
    claim = read_by_table(view, role, NAMES)
    if claim.tool is not None:
        claim.tool.flag = written_flag(view.attributes.get("success"))
    elif role is Role.GUARD:
        claim.guards = permission(view, NAMES, _DECISIONS, ("source",))
    return claim


DIALECT: Final = Dialect(NAMES, role_of, read)
