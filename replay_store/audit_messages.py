"""The conversation in a model span's input attributes, as plain passages in order.

Reads the shapes that instrumentations write most: OpenTelemetry parts, OpenAI messages, Anthropic
and Bedrock blocks, one attribute a message. Whatever has another shape is shown as its JSON text:
nothing is dropped, and only input attributes are looked at.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

_INSTRUCTIONS: Final = "gen_ai.system_instructions"
_MESSAGES: Final = ("gen_ai.input.messages", "ai.prompt.messages", "input.messages")
_INDEXED: Final = re.compile(
    r"(?:llm\.input_messages|gen_ai\.prompt)\.(?P<index>\d+)\.(?:message\.)?(?P<field>.+)"
)
_WHOLE: Final = ("ai.prompt", "input.value", "mlflow.spanInputs", "lmnr.span.input")
_OUTPUT: Final = "gen_ai.output.messages"
_CALL_TYPES: Final = frozenset({"tool_call", "tool_use", "function_call"})
_ANSWER_TYPES: Final = frozenset({"tool_call_response", "tool_result"})


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of a conversation."""

    role: str
    """As written: system, user, assistant, tool, or whatever the agent calls it."""
    kind: str
    """text, call (an earlier call), answer (what an earlier call returned)."""
    text: str
    name: str | None = None
    """The tool of a call."""


def input_passages(attributes: Mapping[str, Any]) -> tuple[Passage, ...]:
    """What the model was given, oldest first; empty when the span does not show it."""
    instructions = tuple(_blocks("system", _decoded(attributes.get(_INSTRUCTIONS))))
    for key in _MESSAGES:
        if messages := tuple(_messages(_decoded(attributes.get(key)))):
            return instructions + messages
    if indexed := tuple(_indexed(attributes)):
        return instructions + indexed
    whole = (attributes[key] for key in _WHOLE if attributes.get(key) is not None)
    return instructions + tuple(Passage("input", "text", _text(value)) for value in whole)[:1]


def output_texts(attributes: Mapping[str, Any]) -> str | None:
    """What the model said in words; None when it said none or the span does not show it."""
    messages = _messages(_decoded(attributes.get(_OUTPUT)))
    return "\n".join(item.text for item in messages if item.kind == "text") or None


def _decoded(value: Any) -> Any:
    """JSON text as its value; any other text as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def _messages(value: Any) -> Iterator[Passage]:
    if value is None:
        return
    if not isinstance(value, list):
        value = value.get("messages", [value]) if isinstance(value, dict) else [value]
    for message in value if isinstance(value, list) else [value]:
        if isinstance(message, dict):
            yield from _message(message)
        else:
            yield Passage("input", "text", _text(message))


def _message(message: Mapping[str, Any]) -> Iterator[Passage]:
    role = str(message.get("role", "input"))
    content = message.get("parts", message.get("content"))
    if role in ("tool", "function") and not isinstance(message.get("parts"), list):
        if content is not None:
            yield Passage(role, "answer", _text(content), _name(message.get("name")))
        return
    yield from _blocks(role, content)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        yield _call(role, call)


def _blocks(role: str, value: Any) -> Iterator[Passage]:
    if value is None or value == "":
        return
    for block in value if isinstance(value, list) else [value]:
        yield _block(role, block)


def _block(role: str, block: Any) -> Passage:
    if not isinstance(block, dict):
        return Passage(role, "text", _text(block))
    kind = block.get("type")
    if kind in _CALL_TYPES or "toolUse" in block:
        return _call(role, block.get("toolUse", block))
    if kind in _ANSWER_TYPES or "toolResult" in block:
        nested = block.get("toolResult")
        answer = nested if isinstance(nested, dict) else block
        keys = ("response", "result", "content")
        value = next((answer[key] for key in keys if answer.get(key) is not None), "")
        return Passage(role, "answer", _text(value), _name(answer.get("name")))
    words = block.get("content", block.get("text"))
    return Passage(role, "text", _text(words if isinstance(words, str) else block))


def _call(role: str, call: Any) -> Passage:
    if not isinstance(call, dict):
        return Passage(role, "call", _text(call))
    inner = call.get("function")
    function = inner if isinstance(inner, dict) else call
    keys = ("arguments", "input", "args")
    arguments = next((function[key] for key in keys if function.get(key) is not None), "")
    return Passage(role, "call", _text(arguments), _name(function.get("name")))


def _indexed(attributes: Mapping[str, Any]) -> Iterator[Passage]:
    """Messages that came as attributes of their own: `llm.input_messages.0.message.content`."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if match := _INDEXED.fullmatch(key):
            found.setdefault(int(match["index"]), {})[match["field"]] = value
    for index in sorted(found):
        fields = found[index]
        role = str(fields.pop("role", "input"))
        kind = "answer" if role in ("tool", "function") else "text"
        if (content := fields.pop("content", None)) not in (None, ""):
            yield Passage(role, kind, _text(content))
        if fields:
            yield Passage(role, "call" if kind == "text" else kind, _text(fields))


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
