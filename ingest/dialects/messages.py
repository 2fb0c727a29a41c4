"""Model messages of every shape as one: text, the calls it asks for, the answers it carries.

Shapes told apart by their keys: OpenTelemetry parts (`parts[].type`), Anthropic blocks
(`tool_use`, `tool_result`), Bedrock blocks (`toolUse`, `toolResult`), Gemini parts
(`function_call`, `function_response`), AI SDK parts (`tool-call`, `tool-result`), OpenAI messages
(`tool_calls`, role `tool`), OpenAI response items (`function_call`, `function_call_output`),
LangChain messages (`lc`, `data`, type `ai`) and LlamaIndex blocks (`block_type`).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ingest.dialects.claim import Message, ToolSign
from ingest.dialects.values import first, items, parsed, text
from pipeline.vocabulary import CallStatus

__all__ = [
    "Message",
    "joined_text",
    "plain",
    "read_blocks",
    "read_conversation",
    "read_message",
    "read_messages",
    "status_flag",
]

_ERROR_STATUS: Final = frozenset({"error", "failed", "failure"})
_OK_STATUS: Final = frozenset({"success", "ok", "completed"})
_ENVELOPES: Final = (
    "messages",
    "choices",
    "generations",
    "candidates",
    "contents",
    "output",
    "message",
    "replies",
    "update",
)
"""Keys under which requests and responses hold their messages, in order of trust."""
_LANGCHAIN_ROLES: Final = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "tool": "tool",
    "system": "system",
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "ToolMessage": "tool",
    "SystemMessage": "system",
}
_ROLES: Final = {"model": "assistant", "ai": "assistant", "human": "user", "developer": "system"}
_CALLS: Final = frozenset(
    {
        "tool_call",
        "tool_use",
        "tool-call",
        "function_call",
        "custom_tool_call",
        "server_tool_use",
        "server_tool_call",
        "mcp_tool_use",
        "mcp_call",
    }
)
_ANSWERS: Final = frozenset(
    {
        "tool_call_response",
        "tool_result",
        "tool-result",
        "function_call_output",
        "custom_tool_call_output",
        "mcp_tool_result",
    }
)
_CALL_KEYS: Final = frozenset(
    {"tool_calls", "invalid_tool_calls", "additional_kwargs", "function_call"}
)
"""A message without any of these asks for no call outside its content."""
_NESTED_CALLS: Final = ("toolUse", "function_call", "functionCall", "tool_call")
"""Keys whose object is the call: Bedrock, Gemini, Haystack."""
_NESTED_ANSWERS: Final = ("toolResult", "function_response", "functionResponse", "tool_call_result")
_NESTED: Final = frozenset(_NESTED_CALLS + _NESTED_ANSWERS)
_HIDDEN: Final = frozenset({"reasoning", "thinking", "redacted_thinking"})
_IDS: Final = ("call_id", "toolCallId", "toolUseId", "tool_call_id", "tool_use_id", "id")
_NAMES: Final = ("name", "toolName", "tool_name")
_ARGUMENTS: Final = ("arguments", "input", "args", "tool_kwargs")
_RESULTS: Final = ("response", "result", "content", "output")


def read_messages(value: Any) -> list[Message]:
    """The messages of a list (or its JSON text); anything that is no message is passed over."""
    return [read_message(item) for item in items(value) if isinstance(item, dict)]


def read_conversation(value: Any) -> list[Message]:
    """The messages within a request or a response, however it wraps them; text is one message."""
    return [read_message(item) for item in _raw_messages(parsed(value))]


def read_message(raw: Mapping[str, Any]) -> Message:
    """One message of any shape."""
    raw = _unpacked(raw)
    role = str(raw.get("role") or "")
    message = Message(_ROLES.get(role, role))
    if raw.get("type") in _CALLS or raw.get("type") in _ANSWERS:
        _read_block(raw, message)
        return message
    _read_calls(raw, message)
    _read_answer(raw, message)
    content = raw.get("parts", raw.get("content", raw.get("blocks")))
    if isinstance(content, str) and not message.answers:
        message.texts.append(content)
    elif isinstance(content, (list, dict)) and not message.answers:
        read_blocks(content, message)
    return message


def read_blocks(blocks: Any, message: Message) -> None:
    """Add the parts or content blocks of a message to it; a call named twice is one."""
    n_known = len(message.calls)
    for block in items(blocks):
        if isinstance(block, str):
            message.texts.append(block)
        elif isinstance(block, dict):
            _read_block(block, message)
    if n_known:
        known = {call.tool_call_id for call in message.calls[:n_known]}
        message.calls[n_known:] = [
            call for call in message.calls[n_known:] if call.tool_call_id not in known
        ]


def joined_text(messages: Iterable[Message]) -> str:
    """The text of the messages, one line a part."""
    return "\n".join(part for message in messages for part in message.texts if part)


def plain(value: Any) -> Any:
    """Content blocks that hold nothing but text as that text; anything else as it is."""
    blocks = items(value) if isinstance(value, (list, dict)) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    if texts and len(texts) == len(blocks) and all(isinstance(part, str) for part in texts):
        return "\n".join(str(part) for part in texts)
    return value


def status_flag(status: Any) -> CallStatus | None:
    """The verdict of a status word; None for words that are none."""
    if not isinstance(status, str):
        return None
    if status.lower() in _ERROR_STATUS:
        return CallStatus.ERROR
    return CallStatus.OK if status.lower() in _OK_STATUS else None


def _raw_messages(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _raw_messages(parsed(item) if isinstance(item, str) else item)
    elif isinstance(value, dict):
        inner = None if _is_message(value) else first(value, _ENVELOPES)
        if isinstance(inner, (list, dict)):
            yield from _raw_messages(inner)
        elif _is_message(value) or "content" in value:
            yield value
    elif isinstance(value, str) and value:
        yield {"role": "", "content": value}


def _is_message(value: Mapping[str, Any]) -> bool:
    return "role" in value or "lc" in value or "type" in value or "parts" in value


def _unpacked(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A LangChain or Gemini message in the shape of the others; any other as it is."""
    if "lc" in raw or raw.get("type") in _LANGCHAIN_ROLES:
        inner = raw.get("kwargs") or raw.get("data")
        content: Mapping[str, Any] = inner if isinstance(inner, dict) else raw
        kind = content.get("type") or raw.get("type")
        if kind not in _LANGCHAIN_ROLES and isinstance(raw.get("id"), list) and raw["id"]:
            kind = raw["id"][-1]
        known = {key: item for key, item in content.items() if key != "type"}
        return {**known, "role": content.get("role") or _LANGCHAIN_ROLES.get(str(kind), "")}
    nested = raw.get("content")
    if "role" not in raw and isinstance(nested, dict) and "parts" in nested:
        return nested
    return raw


def _read_calls(raw: Mapping[str, Any], message: Message) -> None:
    if _CALL_KEYS.isdisjoint(raw):
        return
    more = raw.get("additional_kwargs")
    sources = [raw.get("tool_calls"), raw.get("invalid_tool_calls")]
    if not any(sources) and isinstance(more, dict):
        sources = [more.get("tool_calls")]
    for call in (item for source in sources if source for item in items(source)):
        if isinstance(call, dict):
            message.calls.append(_call(call))
    legacy = raw.get("function_call")
    if isinstance(legacy, dict) and legacy.get("name"):
        message.calls.append(_call(legacy))


def _read_answer(raw: Mapping[str, Any], message: Message) -> None:
    if message.role not in ("tool", "function") or raw.get("parts") is not None:
        return
    call_id = _id(first(raw, _IDS))
    content = raw.get("content")
    blocks = content if isinstance(content, list) else []
    if any(isinstance(block, dict) and _is_answer(block) for block in blocks):
        return
    if call_id is not None or raw.get("name"):
        flag = CallStatus.ERROR if raw.get("is_error") is True else status_flag(raw.get("status"))
        message.answers.append(
            ToolSign(text(raw.get("name")), call_id, result=plain(content), flag=flag)
        )


def _read_block(block: Mapping[str, Any], message: Message) -> None:
    kind = block.get("type") or block.get("block_type")
    if not _NESTED.isdisjoint(block) and isinstance(use := first(block, _NESTED_CALLS), dict):
        message.calls.append(_call(use))
    elif kind in _CALLS:
        message.calls.append(_call(block))
    elif _is_answer(block):
        nested = first(block, _NESTED_ANSWERS)
        message.answers.append(_answer(nested if isinstance(nested, dict) else block))
    elif kind not in _HIDDEN and isinstance(
        content := block.get("content", block.get("text")), str
    ):
        message.texts.append(content)


def _is_answer(block: Mapping[str, Any]) -> bool:
    if block.get("type") in _ANSWERS:
        return True
    return not _NESTED.isdisjoint(block) and isinstance(first(block, _NESTED_ANSWERS), dict)


def _call(raw: Mapping[str, Any]) -> ToolSign:
    nested = raw.get("function")
    function = nested if isinstance(nested, dict) else raw
    arguments = next((function[key] for key in _ARGUMENTS if key in function), "")
    return ToolSign(text(first(function, _NAMES)), _id(first(raw, _IDS)), arguments)


def _answer(raw: Mapping[str, Any]) -> ToolSign:
    result = next((raw[key] for key in _RESULTS if raw.get(key) is not None), None)
    flag = status_flag(raw.get("status"))
    if (
        isinstance(result, dict)
        and isinstance(kind := result.get("type"), str)
        and "value" in result
    ):
        flag = CallStatus.ERROR if kind.startswith("error") else flag
        result = result["value"]
    if any(raw.get(key) is True for key in ("is_error", "isError", "error")):
        flag = CallStatus.ERROR
    origin = raw.get("origin")
    named = origin if isinstance(origin, dict) else raw
    return ToolSign(
        text(first(named, _NAMES)), _id(first(named, _IDS)), result=plain(result), flag=flag
    )


def _id(value: Any) -> str | None:
    written = text(value)
    return written.strip() or None if written is not None else None
