"""OpenTelemetry GenAI semantic conventions, old names and new, attributes and events (1.27-1.41).

Source: the conventions' registry; the freeze at 1.36 keeps per-message events alive beside the
message attributes of 1.37.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from ingest.dialects.claim import Claim, GuardSign, Offer, ToolSign
from ingest.dialects.messages import (
    Message,
    joined_text,
    plain,
    read_blocks,
    read_message,
    read_messages,
)
from ingest.dialects.values import Keys, items, number, parsed, text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, GuardDecision, Role
from replay_store.records import SpanEvent

NAME = "genai"

ROLES: Final[Mapping[str, Role]] = {
    "chat": Role.MODEL,
    "generate_content": Role.MODEL,
    "text_completion": Role.MODEL,
    "completion": Role.MODEL,
    "generate": Role.MODEL,
    "execute_tool": Role.TOOL,
    "invoke_agent": Role.AGENT,
    "create_agent": Role.AGENT,
    "invoke_workflow": Role.AGENT,
    "plan": Role.AGENT,
    "retrieval": Role.RETRIEVER,
    "apply_guardrail": Role.GUARD,
    "run_guardrail": Role.GUARD,
    "guardrail.run": Role.GUARD,
}
"""`gen_ai.operation.name` to role; other operations are wrappers."""

FIELDS: Final[Mapping[str, Keys]] = {
    "agent_name": ("gen_ai.agent.name",),
    "provider": ("gen_ai.provider.name", "gen_ai.system"),
    "request_model": ("gen_ai.request.model",),
    "response_model": ("gen_ai.response.model",),
    "response_id": ("gen_ai.response.id",),
}
TOKENS: Final[Mapping[str, Keys]] = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    "cached_input_tokens": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
    ),
}
_TOOL_NAME: Final = ("gen_ai.tool.name",)
_CALL_ID: Final = ("gen_ai.tool.call.id",)
_ARGUMENTS: Final = ("gen_ai.tool.call.arguments", "gen_ai.tool.input", "gen_ai.tool.args")
_RESULT: Final = ("gen_ai.tool.call.result", "gen_ai.tool.output", "gen_ai.tool.result")
_GUARD_VERDICT: Final = (
    "gen_ai.guardrail.verdict.type",
    "gen_ai.guardrail.result.value",
    "gen_ai.guardrail.status",
    "gen_ai.guardrail.triggered",
)
_GUARD_RULE: Final = (
    "gen_ai.guardrail.name",
    "gen_ai.guardrail.policy.id",
    "gen_ai.guardrail.component.name",
)
_HIT_WORDS: Final = frozenset(
    {"deny", "block", "blocked", "failed", "true", "guardrail_intervened", "match_found"}
)
_ALLOW_WORDS: Final = frozenset({"allow", "allowed", "passed", "false", "none", "no_match"})


def read(view: SpanView) -> Claim | None:
    """The claim of the GenAI conventions; None for spans without one of their attributes."""
    role = _role(view)
    if role is None and not view.has("gen_ai."):
        return None
    claim = Claim(NAME, role)
    for field, keys in FIELDS.items():
        setattr(claim, field, text(view.first(keys)))
    if role is Role.MODEL:
        _read_model(view, claim)
    elif role is Role.TOOL:
        claim.tool = _tool(view)
    elif role is Role.GUARD:
        claim.guards = [_guard(view)]
    return claim


def _role(view: SpanView) -> Role | None:
    operation = text(view.first(("gen_ai.operation.name",)))
    if operation is not None:
        role = ROLES.get(operation.lower(), Role.CHAIN)
        return Role.CHAIN if role is Role.TOOL and _is_merged(view) else role
    if view.first((*_TOOL_NAME, *_CALL_ID)) is not None:
        return Role.TOOL
    if view.first(_GUARD_VERDICT) is not None:
        return Role.GUARD
    if view.first(("gen_ai.request.model",)) is not None and _has_usage(view):
        return Role.MODEL
    return None


def _is_merged(view: SpanView) -> bool:
    """A span that stands for several parallel calls, each of which has its own."""
    return str(view.first(_TOOL_NAME) or "").startswith("(merged")


def _has_usage(view: SpanView) -> bool:
    return view.first((*TOKENS["input_tokens"], *TOKENS["output_tokens"])) is not None


def _read_model(view: SpanView, claim: Claim) -> None:
    for field, keys in TOKENS.items():
        setattr(claim, field, number(view.first(keys)))
    claim.offers = _offers(view)
    inputs, outputs = _conversation(view)
    claim.requests = [call for message in outputs for call in message.calls]
    claim.answers = [answer for message in inputs for answer in message.answers]
    claim.is_output_visible = bool(outputs)
    claim.output_text = joined_text(outputs)
    claim.finish_reason = _finish_reason(view)


def _conversation(view: SpanView) -> tuple[list[Message], list[Message]]:
    inputs = read_messages(view.first(("gen_ai.input.messages",)))
    outputs = read_messages(view.first(("gen_ai.output.messages",)))
    for event in view.span.events:
        attributes = event["attributes"]
        if event["name"] == "gen_ai.client.inference.operation.details":
            inputs += read_messages(attributes.get("gen_ai.input.messages"))
            outputs += read_messages(attributes.get("gen_ai.output.messages"))
        elif event["name"] == "gen_ai.choice":
            outputs += _choice(event)
        elif event["name"] == "gen_ai.tool.message":
            inputs.append(_tool_message(event))
    return inputs, outputs


def _choice(event: SpanEvent) -> list[Message]:
    message = parsed(event["attributes"].get("message"))
    if isinstance(message, dict):
        return [read_message({"role": "assistant", **message})]
    read = Message("assistant")
    if isinstance(message, str):
        read.texts.append(message)
    else:
        read_blocks(message, read)
    return [read]


def _tool_message(event: SpanEvent) -> Message:
    attributes = event["attributes"]
    content = parsed(attributes.get("content"))
    message = Message("tool")
    if isinstance(content, list):
        read_blocks(content, message)
    if not message.answers and attributes.get("id") is not None:
        message.answers.append(
            ToolSign(None, text(attributes["id"]), result=attributes.get("content"))
        )
    return message


def _finish_reason(view: SpanView) -> str | None:
    reasons = parsed(view.first(("gen_ai.response.finish_reasons",)))
    if isinstance(reasons, list) and reasons:
        return text(reasons[0])
    for event in view.events("gen_ai.choice"):
        return text(event["attributes"].get("finish_reason"))
    return text(reasons) if reasons else None


def _offers(view: SpanView) -> tuple[Offer, ...] | None:
    value = view.first(("gen_ai.tool.definitions",))
    if isinstance(value, str):
        return _written_offers(value)
    return None if value is None else tuple(read_offers(items(value)))


@lru_cache(maxsize=256)
def _written_offers(definitions: str) -> tuple[Offer, ...]:
    """One catalogue stands on every model span of an agent: it is read once."""
    return tuple(read_offers(items(definitions)))


def read_offers(definitions: list[Any]) -> Iterator[Offer]:
    """The tools of a catalogue, whether flat or nested under `function`."""
    for definition in definitions:
        definition = parsed(definition)
        if not isinstance(definition, dict):
            continue
        function = definition.get("function")
        tool = function if isinstance(function, dict) else definition
        name = text(tool.get("name"))
        if name:
            schema = tool.get("parameters", tool.get("input_schema"))
            yield Offer(name, text(tool.get("description")), text(schema))


def _tool(view: SpanView) -> ToolSign:
    arguments, result = view.first(_ARGUMENTS), view.attributes.get(_RESULT[0], view.first(_RESULT))
    # On a tool span the tool message is what went in and the choice what came out.
    for event in view.events("gen_ai.tool.message"):
        arguments = event["attributes"].get("content") if arguments is None else arguments
    for event in view.events("gen_ai.choice"):
        message = event["attributes"].get("message")
        result = plain(parsed(message)) if result is None else result
    return ToolSign(
        text(view.first(_TOOL_NAME)),
        _stripped(view.first(_CALL_ID)),
        arguments,
        result,
        _flag(view.first(("gen_ai.tool.status", "gen_ai.tool.execution.success"))),
    )


def _flag(value: Any) -> CallStatus | None:
    if value is None:
        return None
    written = str(value).lower()
    if written in ("error", "false", "failed"):
        return CallStatus.ERROR
    return CallStatus.OK if written in ("success", "true", "ok") else None


def _guard(view: SpanView) -> GuardSign:
    written = str(view.first(_GUARD_VERDICT) or "").lower()
    decision = GuardDecision.UNKNOWN
    if written in _HIT_WORDS:
        decision = GuardDecision.BLOCK
    elif written in _ALLOW_WORDS:
        decision = GuardDecision.ALLOW
    elif written in GuardDecision.__members__.values():
        decision = GuardDecision(written)
    return GuardSign(
        decision,
        next((key for key in _GUARD_VERDICT if key in view.attributes), "gen_ai.operation.name"),
        rule=text(view.first(_GUARD_RULE)) or view.span.name,
        reason=text(view.first(("gen_ai.guardrail.result.reason",))),
        tool_call_id=_stripped(view.first((*_CALL_ID, "gen_ai.guardrail.target.id"))),
        tool_name=text(view.first(_TOOL_NAME)),
    )


def _stripped(value: Any) -> str | None:
    written = text(value)
    return written.strip() or None if written is not None else None
