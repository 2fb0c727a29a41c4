"""Haystack's own spans: a step of an agent is a model call or a tool, told by its operation."""

from typing import Any, Final

from ingest.dialects.claim import Claim
from ingest.dialects.names import Dialect, Names, read_by_table
from ingest.dialects.usage import read_usage
from ingest.dialects.values import parsed
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, Role

NAMES: Final = Names(
    "haystack",
    marks=("haystack.",),
    roles={
        "haystack.agent.run": Role.AGENT,
        "haystack.agent.step.llm": Role.MODEL,
        "haystack.agent.step.tool": Role.TOOL,
        "haystack.agent.step": Role.CHAIN,
        "haystack.pipeline.run": Role.CHAIN,
        "haystack.async_pipeline.run": Role.CHAIN,
    },
    fields={"request_model": ("haystack.model", "haystack.agent.step.llm.model")},
    inputs=("haystack.agent.step.llm.input", "haystack.component.input"),
    outputs=("haystack.agent.step.llm.output", "haystack.component.output"),
    tool_name=("haystack.tool.name", "haystack.agent.step.tool.name"),
    tool_call_id=("haystack.tool.call_id", "haystack.tool.id"),
    arguments=("haystack.tool.arguments", "haystack.tool.input", "haystack.agent.step.tool.input"),
    result=("haystack.tool.result", "haystack.tool.output", "haystack.agent.step.tool.output"),
)
_ERROR: Final = ("haystack.tool.error",)
_MAX_DEPTH: Final = 6


def role_of(view: SpanView) -> Role | None:
    """The role of an operation; a generator outside of an agent is a model call by its type."""
    role = NAMES.roles.get(view.span.name)
    if role is None and str(view.first(("haystack.component.type",))).endswith("ChatGenerator"):
        return Role.MODEL
    return role


def read(view: SpanView, role: Role) -> Claim:
    """The claim of Haystack: usage lies within the replies, a tool's failure in an attribute."""
    claim = read_by_table(view, role, NAMES)
    if role is Role.MODEL:
        usage = read_usage(_usage(parsed(view.first(NAMES.outputs))))
        claim.input_tokens, claim.output_tokens, claim.cached_input_tokens = usage
    elif claim.tool is not None and str(view.first(_ERROR)).lower() == "true":
        claim.tool.flag = CallStatus.ERROR
    return claim


def _usage(value: Any, depth: int = 0) -> Any:
    """The first `usage` object within a value; None without one."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, dict):
        if isinstance(value.get("usage"), dict):
            return value["usage"]
        value = list(value.values())
    if isinstance(value, list):
        found = (_usage(item, depth + 1) for item in value)
        return next((usage for usage in found if usage is not None), None)
    return None


DIALECT: Final = Dialect(NAMES, role_of, read)
