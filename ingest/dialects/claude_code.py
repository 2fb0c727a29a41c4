"""Claude Code's own spans (beta): an interaction, its model requests and its tools.

Where no spans are sent its events are read, each kept as the span of the operation that it tells.
The run of a tool is a child of its span and carries the verdict; so does the wait for the person.
"""

from typing import Any, Final

from ingest.dialects.claim import Claim
from ingest.dialects.names import Dialect, Names, read_by_table
from ingest.dialects.permission import permission
from ingest.dialects.values import number
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, GuardDecision, Role

NAMES: Final = Names(
    "claude_code",
    span_prefix="claude_code.",
    roles={
        "claude_code.interaction": Role.AGENT,
        "claude_code.llm_request": Role.MODEL,
        "claude_code.tool": Role.TOOL,
        "claude_code.tool.execution": Role.TOOL,
        "claude_code.tool.blocked_on_user": Role.GUARD,
        "claude_code.hook": Role.GUARD,
        "claude_code.api_request": Role.MODEL,
        "claude_code.api_error": Role.MODEL,
        "claude_code.tool_result": Role.TOOL,
        "claude_code.tool_decision": Role.GUARD,
    },
    fields={
        "session_id": ("session.id",),
        "user_id": ("user.account_uuid", "user.id"),
        "request_model": ("model", "gen_ai.request.model"),
        "response_model": ("gen_ai.response.model", "model"),
        "response_id": ("gen_ai.response.id", "request_id"),
        "finish_reason": ("stop_reason",),
        "error_type": ("error_type", "status_code"),
        "output_tokens": ("gen_ai.usage.output_tokens", "output_tokens"),
        "cached_input_tokens": (
            "gen_ai.usage.cache_read.input_tokens",
            "gen_ai.usage.cache_read_input_tokens",
            "cache_read_tokens",
        ),
    },
    tool_name=("tool_name", "gen_ai.tool.name"),
    tool_call_id=("tool_use_id", "gen_ai.tool.call.id"),
    arguments=("tool_input", "tool_parameters", "gen_ai.tool.call.arguments"),
    result=("tool_output", "gen_ai.tool.call.result"),
)
_INPUT: Final = ("gen_ai.usage.input_tokens",)
"""Cached tokens counted in; `input_tokens` leaves them out."""
_PARTS: Final = ("input_tokens", "cache_read_tokens", "cache_creation_tokens")
_DECISIONS: Final = {
    "accept": GuardDecision.ALLOW,
    "allow": GuardDecision.ALLOW,
    "reject": GuardDecision.BLOCK,
    "deny": GuardDecision.BLOCK,
}


def role_of(view: SpanView) -> Role | None:
    """The role that the name of the span gives."""
    return NAMES.roles.get(view.span.name)


def read(view: SpanView, role: Role) -> Claim:
    """The claim of Claude Code."""
    claim = read_by_table(view, role, NAMES)
    if role is Role.MODEL:
        claim.input_tokens = _input_tokens(view)
    elif claim.tool is not None:
        claim.tool.flag = _flag(view.attributes.get("success"))
    elif role is Role.GUARD:
        claim.guards = permission(view, NAMES, _DECISIONS, ("source", "hook_name"))
    return claim


def _input_tokens(view: SpanView) -> int | None:
    whole = number(view.first(_INPUT))
    if whole is not None or number(view.first(_PARTS[:1])) is None:
        return whole
    return sum(number(view.attributes.get(key)) or 0 for key in _PARTS)


def _flag(success: Any) -> CallStatus | None:
    return CallStatus.ERROR if str(success).lower() == "false" else None


DIALECT: Final = Dialect(NAMES, role_of, read)
