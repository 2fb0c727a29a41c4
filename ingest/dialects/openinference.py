"""OpenInference: span kinds, index-flattened messages, `input.value` and `output.value`."""

import re
from collections.abc import Mapping
from typing import Any, Final

from ingest.dialects import genai
from ingest.dialects.claim import Claim, GuardSign, Offer, ToolSign
from ingest.dialects.messages import Message, read_message
from ingest.dialects.names import Dialect, Names, tell
from ingest.dialects.offers import read_offers
from ingest.dialects.results import read_result
from ingest.dialects.values import Keys, number, numbered, parsed, text, unflatten
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, GuardDecision, Role

NAME = "openinference"

ROLES: Final[Mapping[str, Role]] = {
    "LLM": Role.MODEL,
    "TOOL": Role.TOOL,
    "AGENT": Role.AGENT,
    "CHAIN": Role.CHAIN,
    "RETRIEVER": Role.RETRIEVER,
    "GUARDRAIL": Role.GUARD,
}
FIELDS: Final[Mapping[str, Keys]] = {
    "agent_name": ("agent.name",),
    "provider": ("llm.provider", "llm.system"),
    "request_model": ("llm.request.model_name", "llm.model_name"),
    "response_model": ("llm.response.model_name", "llm.model_name"),
    "finish_reason": ("llm.finish_reason",),
}
TOKENS: Final[Mapping[str, Keys]] = {
    "input_tokens": ("llm.token_count.prompt",),
    "output_tokens": ("llm.token_count.completion",),
    "cached_input_tokens": ("llm.token_count.prompt_details.cache_read",),
}
_AGENT_NAME: Final = ("gen_ai.agent.name", "graph.node.id")
"""Names of an agent span that has none of its own; on other spans a node is no agent."""
_SCHEMA_KEYS: Final = frozenset({"properties", "type", "required", "$schema", "description"})
_MESSAGE_KEYS: Final = ("role", "content", "tool_call_id", "name")
_HANDOFF: Final = re.compile(r"^handoff\b", re.IGNORECASE)
_TRIPWIRE: Final = re.compile(r"^Guardrail tripwire triggered: .*?'guardrail': '(?P<rule>[^']*)'")


def role_of(view: SpanView) -> Role | None:
    """The role of the span kind; kinds that are no part of a run are other.

    An operation of an agent makes the span an agent's, though it be called a model's: one of our
    sources writes its model attributes onto the agent's span.
    """
    kind = text(view.first(("openinference.span.kind",)))
    if kind is None:
        return None
    role = ROLES.get(kind.upper(), Role.OTHER)
    is_agent = role is Role.MODEL and genai.role_of(view) is Role.AGENT
    return Role.AGENT if is_agent else role


def read(view: SpanView, role: Role) -> Claim:
    """The claim of OpenInference on a span of this role."""
    claim = Claim(NAME)
    for field, keys in view.fields(NAME, FIELDS):
        setattr(claim, field, text(view.first(keys)))
    if role is Role.AGENT:
        claim.agent_name = claim.agent_name or text(view.first(_AGENT_NAME))
    elif role is Role.MODEL:
        _read_model(view, claim)
    elif role in (Role.TOOL, Role.ATTEMPT):
        claim.tool = _tool(view)
        claim.is_pseudo = _HANDOFF.match(claim.tool.tool_name or "") is not None or None
    claim.guards = _guards(view, role)
    return claim


def _read_model(view: SpanView, claim: Claim) -> None:
    for field, keys in view.fields(f"{NAME}.tokens", TOKENS):
        setattr(claim, field, number(view.first(keys)))
    inputs = _messages(view, "llm.input_messages", is_whole=view.span.parent_span_id is None)
    outputs = _messages(view, "llm.output_messages")
    tell(claim, inputs, outputs)
    claim.offers = _offers(view)


def _offers(view: SpanView) -> tuple[Offer, ...] | None:
    if not view.has("llm.tools."):
        return None
    schemas = [item.get("tool", {}) for item in unflatten(view.attributes, "llm.tools")]
    return tuple(read_offers([tool.get("json_schema") for tool in schemas])) or None


def _messages(view: SpanView, prefix: str, *, is_whole: bool = True) -> list[Message]:
    """The messages under a prefix; only those that may carry an answer unless all are wanted.

    What else a model was shown links traces by their roots, and is the longest part of most spans.
    """
    if not view.has(prefix):
        return []
    flat = unflatten(view.attributes, prefix)
    if not is_whole:
        flat = [item for item in flat if _may_answer(item)]
    read = [read_message(_openai(item.get("message", {}))) for item in flat]
    for item, message in zip(flat, read, strict=True):
        for result in numbered(item.get("function")):
            # The results of several calls under one message, beside it instead of in it.
            message.answers += read_message({"role": "tool", **_object(result)}).answers
    return read


def _may_answer(item: dict[str, Any]) -> bool:
    message = item.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("content"), str):
        return True
    is_plain = "function" not in item and "contents" not in message
    return not is_plain or message.get("role") in ("tool", "function")


def _object(value: Any) -> dict[str, Any]:
    value = parsed(value)
    return value if isinstance(value, dict) else {}


def _openai(message: Any) -> dict[str, Any]:
    """A flattened message as an OpenAI one."""
    if not isinstance(message, dict):
        return {}
    known = {key: message[key] for key in _MESSAGE_KEYS if key in message}
    if known.get("role") == "tool" and "content" not in known:
        known["content"] = ""
    # A call to a tool without parameters carries no arguments key.
    if "tool_calls" in message:
        calls = numbered(message["tool_calls"])
        known["tool_calls"] = [item["tool_call"] for item in calls if "tool_call" in item]
    if "contents" in message and (contents := numbered(message["contents"])):
        known["parts"] = [_block(item) for item in contents]
    return known


def _block(item: Any) -> dict[str, Any]:
    content = item.get("message_content", {}) if isinstance(item, dict) else {}
    call = item.get("tool_call") if isinstance(item, dict) else None
    if isinstance(call, dict):
        function = call.get("function", {})
        return {
            "type": "tool_use",
            "id": call.get("id"),
            "name": function.get("name"),
            "input": function.get("arguments", ""),
        }
    return {"type": "text", "text": content.get("text")} if isinstance(content, dict) else {}


def _tool(view: SpanView) -> ToolSign:
    returned = read_result(view.attributes.get("output.value"))
    return ToolSign(
        text(view.first(("tool.name",))) or view.span.name,
        text(view.first(("tool.id", "tool_call.id"))) or returned.tool_call_id,
        view.attributes.get("input.value", _parameters(view)),
        returned.result,
        None if returned.flag is CallStatus.OK else returned.flag,
    )


def _parameters(view: SpanView) -> Any:
    """`tool.parameters` where they are what was passed; None where they are the schema."""
    value = parsed(view.first(("tool.parameters",)))
    is_schema = isinstance(value, dict) and "properties" in value and _SCHEMA_KEYS & value.keys()
    return value if isinstance(value, dict) and not is_schema else None


def _guards(view: SpanView, role: Role | None) -> list[GuardSign]:
    tripped = _TRIPWIRE.match(view.span.status_message or "")
    if tripped is not None:
        return [GuardSign(GuardDecision.BLOCK, "status_message", rule=tripped["rule"])]
    if role is Role.GUARD:
        # No attribute of the dialect carries a verdict.
        return [GuardSign(GuardDecision.UNKNOWN, "openinference.span.kind", rule=view.span.name)]
    return []


DIALECT: Final = Dialect(Names(NAME, marks=("openinference.span.kind", "tool.name")), role_of, read)
