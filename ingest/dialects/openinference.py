"""OpenInference: span kinds, index-flattened messages, `input.value` and `output.value`."""

import re
from collections.abc import Mapping
from typing import Any, Final

from ingest.dialects.claim import Claim, GuardSign, Offer, ToolSign
from ingest.dialects.genai import read_offers
from ingest.dialects.messages import Message, joined_text, read_message
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
    "agent_name": ("agent.name", "graph.node.id"),
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
_MESSAGE_KEYS: Final = ("role", "content", "tool_call_id", "name")
_HANDOFF: Final = re.compile(r"^handoff\b", re.IGNORECASE)
_TRIPWIRE: Final = re.compile(r"^Guardrail tripwire triggered: .*?'guardrail': '(?P<rule>[^']*)'")


def read(view: SpanView) -> Claim | None:
    """The claim of OpenInference; None for spans without one of its keys."""
    kind = text(view.first(("openinference.span.kind",)))
    if kind is None and view.first(("tool.name",)) is None:
        return None
    claim = Claim(NAME, ROLES.get(kind.upper(), Role.OTHER) if kind else Role.TOOL)
    for field, keys in FIELDS.items():
        setattr(claim, field, text(view.first(keys)))
    if claim.role is Role.MODEL:
        _read_model(view, claim)
    elif claim.role is Role.TOOL:
        claim.tool = _tool(view)
        claim.is_pseudo = _HANDOFF.match(claim.tool.tool_name or "") is not None or None
    claim.guards = _guards(view, claim.role)
    return claim


def _read_model(view: SpanView, claim: Claim) -> None:
    for field, keys in TOKENS.items():
        setattr(claim, field, number(view.first(keys)))
    inputs = _messages(view, "llm.input_messages")
    outputs = _messages(view, "llm.output_messages")
    claim.requests = [call for message in outputs for call in message.calls]
    claim.answers = [answer for message in inputs for answer in message.answers]
    claim.is_output_visible = bool(outputs)
    claim.output_text = joined_text(outputs)
    claim.offers = _offers(view)


def _offers(view: SpanView) -> tuple[Offer, ...] | None:
    if not view.has("llm.tools."):
        return None
    schemas = [item.get("tool", {}) for item in unflatten(view.attributes, "llm.tools")]
    return tuple(read_offers([tool.get("json_schema") for tool in schemas])) or None


def _messages(view: SpanView, prefix: str) -> list[Message]:
    if not view.has(prefix):
        return []
    flat = unflatten(view.attributes, prefix)
    return [read_message(_openai(item.get("message", {}))) for item in flat]


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
    sign = ToolSign(
        text(view.first(("tool.name",))) or view.span.name,
        text(view.first(("tool.id", "tool_call.id"))),
        view.attributes.get("input.value"),
        view.attributes.get("output.value"),
    )
    message = _tool_message(sign.result)
    if message is not None:
        sign.tool_call_id = sign.tool_call_id or text(message.get("tool_call_id"))
        sign.result = message.get("content")
        if message.get("status") == "error":
            sign.flag = CallStatus.ERROR
    return sign


def _tool_message(result: Any) -> dict[str, Any] | None:
    """The inside of a serialised LangChain tool message; None for any other result."""
    value = parsed(result) if isinstance(result, str) and result.startswith("{") else result
    if not isinstance(value, dict):
        return None
    inner = value.get("data") if value.get("type") == "tool" else value.get("kwargs")
    if value.get("lc") is None and value.get("type") != "tool":
        return None
    return inner if isinstance(inner, dict) else value


def _guards(view: SpanView, role: Role | None) -> list[GuardSign]:
    tripped = _TRIPWIRE.match(view.span.status_message or "")
    if tripped is not None:
        return [GuardSign(GuardDecision.BLOCK, "status_message", rule=tripped["rule"])]
    if role is Role.GUARD:
        # No attribute of the dialect carries a verdict.
        return [GuardSign(GuardDecision.UNKNOWN, "openinference.span.kind", rule=view.span.name)]
    return []
