"""Model messages of every shape as one: text, the calls it asks for, the answers it carries.

Shapes told apart by their keys: OpenTelemetry parts (`parts[].type`), Anthropic blocks
(`tool_use`, `tool_result`), Bedrock blocks (`toolUse`, `toolResult`) and OpenAI messages
(`tool_calls`, role `tool`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingest.dialects.claim import ToolSign
from ingest.dialects.values import items, text
from pipeline.vocabulary import CallStatus

_ERROR_STATUS = frozenset({"error", "failed", "failure"})


@dataclass(slots=True)
class Message:
    """One message of a conversation."""

    role: str
    texts: list[str] = field(default_factory=list)
    calls: list[ToolSign] = field(default_factory=list)
    answers: list[ToolSign] = field(default_factory=list)


def read_messages(value: Any) -> list[Message]:
    """The messages of a list (or its JSON text); anything that is no message is passed over."""
    return [read_message(item) for item in items(value) if isinstance(item, dict)]


def read_message(raw: Mapping[str, Any]) -> Message:
    """One message of any shape."""
    message = Message(str(raw.get("role", "")))
    _read_openai(raw, message)
    content = raw.get("parts", raw.get("content"))
    if isinstance(content, str) and not message.answers:
        message.texts.append(content)
    elif isinstance(content, (list, dict)) and not message.answers:
        read_blocks(content, message)
    return message


def read_blocks(blocks: Any, message: Message) -> None:
    """Add the parts or content blocks of a message to it."""
    for block in items(blocks):
        if isinstance(block, str):
            message.texts.append(block)
        elif isinstance(block, dict):
            _read_block(block, message)


def joined_text(messages: Iterable[Message]) -> str:
    """The text of the messages, one line a part."""
    return "\n".join(part for message in messages for part in message.texts if part)


def _read_openai(raw: Mapping[str, Any], message: Message) -> None:
    for call in items(raw["tool_calls"]) if "tool_calls" in raw else ():
        if isinstance(call, dict):
            nested = call.get("function")
            function = nested if isinstance(nested, dict) else call
            arguments = function.get("arguments", function.get("args", ""))
            message.calls.append(ToolSign(function.get("name"), _id(call.get("id")), arguments))
    if message.role in ("tool", "function") and raw.get("parts") is None:
        call_id = _id(raw.get("tool_call_id") or raw.get("id"))
        if call_id is not None or raw.get("name"):
            message.answers.append(
                ToolSign(raw.get("name"), call_id, result=raw.get("content"), flag=_flag(raw))
            )


def _read_block(block: Mapping[str, Any], message: Message) -> None:
    kind = block.get("type")
    if "toolUse" in block:
        use = block["toolUse"]
        message.calls.append(ToolSign(use.get("name"), _id(use.get("toolUseId")), use.get("input")))
    elif "toolResult" in block:
        message.answers.append(_bedrock_answer(block["toolResult"]))
    elif kind in ("tool_call", "tool_use"):
        arguments = block.get("arguments", block.get("input"))
        message.calls.append(ToolSign(block.get("name"), _id(block.get("id")), arguments))
    elif kind in ("tool_call_response", "tool_result"):
        message.answers.append(_answer(block))
    elif isinstance(content := block.get("content", block.get("text")), str):
        message.texts.append(content)


def _answer(block: Mapping[str, Any]) -> ToolSign:
    call_id = _id(block.get("id") or block.get("tool_use_id"))
    keys = ("response", "result", "content")
    result = next((block[key] for key in keys if block.get(key) is not None), None)
    flag = CallStatus.ERROR if block.get("is_error") else _flag(block)
    return ToolSign(block.get("name"), call_id, result=result, flag=flag)


def _bedrock_answer(answer: Mapping[str, Any]) -> ToolSign:
    return ToolSign(
        None, _id(answer.get("toolUseId")), result=plain(answer.get("content")), flag=_flag(answer)
    )


def plain(value: Any) -> Any:
    """Content blocks that hold nothing but text as that text; anything else as it is."""
    blocks = items(value) if isinstance(value, (list, dict)) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    if texts and len(texts) == len(blocks) and all(isinstance(part, str) for part in texts):
        return "\n".join(str(part) for part in texts)
    return value


def _flag(raw: Mapping[str, Any]) -> CallStatus | None:
    status = raw.get("status")
    if not isinstance(status, str):
        return None
    if status.lower() in _ERROR_STATUS:
        return CallStatus.ERROR
    return CallStatus.OK if status.lower() in ("success", "ok", "completed") else None


def _id(value: Any) -> str | None:
    written = text(value)
    return written.strip() or None if written is not None else None
