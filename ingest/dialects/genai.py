"""OpenTelemetry GenAI semantic conventions, old names and new, attributes and events (1.27-1.41).

Source: the conventions' registry; the freeze at 1.36 keeps per-message events alive beside the
message attributes of 1.37.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from ingest.dialects.claim import Claim, GuardSign, Offer, ToolSign
from ingest.dialects.messages import Message, plain, read_blocks, read_conversation, read_message
from ingest.dialects.names import Dialect, Names, offers_of, tell
from ingest.dialects.results import read_result
from ingest.dialects.values import Keys, number, parsed, text
from ingest.dialects.verdict import written_flag
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, GuardDecision, Role
from replay_store.records import SpanEvent, SpanLog

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


def read(view: SpanView, role: Role) -> Claim:
    """The claim of the GenAI conventions on a span of this role."""
    claim = Claim(NAME)
    for field, keys in view.fields(NAME, FIELDS):
        setattr(claim, field, text(view.first(keys)))
    if role is Role.MODEL:
        _read_model(view, claim)
    elif role in (Role.TOOL, Role.ATTEMPT):
        claim.tool = _tool(view)
    elif role is Role.GUARD and (role_of(view) is role or view.first(_GUARD_VERDICT) is not None):
        claim.guards = [_guard(view)]
    return claim


def role_of(view: SpanView) -> Role | None:
    """The role that `gen_ai.operation.name` gives; operations we do not know are wrappers."""
    operation = text(view.first(("gen_ai.operation.name",)))
    if operation is None:
        return None
    role = ROLES.get(operation.lower(), Role.CHAIN)
    return Role.CHAIN if role is Role.TOOL and _is_merged(view) else role


def guess_role(view: SpanView) -> Role | None:
    """The role of a span that names none; None for anything else.

    A tool is known by its tool, a guard by its verdict, a model call by model and usage.
    """
    if view.first((*_TOOL_NAME, *_CALL_ID)) is not None:
        return Role.CHAIN if _is_merged(view) else Role.TOOL
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
    for field, keys in view.fields(f"{NAME}.tokens", TOKENS):
        setattr(claim, field, number(view.first(keys)))
    claim.offers = _offers(view)
    inputs, outputs = _conversation(view)
    tell(claim, inputs, outputs)
    claim.finish_reason = _finish_reason(view)


def _conversation(view: SpanView) -> tuple[list[Message], list[Message]]:
    inputs = read_conversation(view.first(("gen_ai.input.messages",)))
    outputs = read_conversation(view.first(("gen_ai.output.messages",)))
    for event in view.span.events:
        shown, said = read_event(event)
        inputs += shown
        outputs += said
    return inputs, outputs


def read_event(event: SpanEvent) -> tuple[list[Message], list[Message]]:
    """What one event of the conventions shows the model and what it lets it say.

    Both are empty for other events.
    """
    name, attributes = event["name"], event["attributes"]
    if name == "gen_ai.client.inference.operation.details":
        return (
            read_conversation(attributes.get("gen_ai.input.messages")),
            read_conversation(attributes.get("gen_ai.output.messages")),
        )
    if name == "gen_ai.choice":
        return [], _choice(event)
    if name == "gen_ai.tool.message":
        return [_tool_message(event)], []
    if name == "gen_ai.content.completion":
        return [], read_conversation(attributes.get("gen_ai.completion"))
    if name == "gen_ai.content.prompt":
        return read_conversation(attributes.get("gen_ai.prompt")), []
    return [], []


def read_log(log: SpanLog) -> tuple[list[Message], list[Message]]:
    """What a log record of the conventions shows the model and what it lets it say."""
    name = log.event_name
    if name is None or not name.startswith("gen_ai."):
        return [], []
    body = parsed(log.body)
    told = {**log.attributes, **(body if isinstance(body, dict) else {"content": body})}
    return read_event({"time_ns": log.time_ns, "name": name, "attributes": told})


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
    call_id = text(attributes.get("id") or attributes.get("tool_call_id"))
    if not message.answers and call_id is not None:
        message.answers.append(ToolSign(None, call_id, result=attributes.get("content")))
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
    return None if value is None else offers_of(value)


@lru_cache(maxsize=256)
def _written_offers(definitions: str) -> tuple[Offer, ...] | None:
    """One catalogue stands on every model span of an agent: it is read once."""
    return offers_of(definitions)


def _tool(view: SpanView) -> ToolSign:
    arguments, result = view.first(_ARGUMENTS), view.attributes.get(_RESULT[0], view.first(_RESULT))
    # On a tool span the tool message is what went in and the choice what came out.
    for event in view.events("gen_ai.tool.message"):
        arguments = event["attributes"].get("content") if arguments is None else arguments
    for event in view.events("gen_ai.choice"):
        message = event["attributes"].get("message")
        result = plain(parsed(message)) if result is None else result
    returned = read_result(result)
    flag = written_flag(view.first(("gen_ai.tool.status", "gen_ai.tool.execution.success")))
    return ToolSign(
        text(view.first(_TOOL_NAME)),
        _stripped(view.first(_CALL_ID)) or returned.tool_call_id,
        arguments,
        returned.result,
        flag or (None if returned.flag is CallStatus.OK else returned.flag),
    )


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


DIALECT: Final = Dialect(Names(NAME, marks=("gen_ai.",)), role_of, read)
