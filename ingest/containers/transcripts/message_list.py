"""Bare messages of OpenAI, Anthropic, Bedrock, Gemini, LangChain or OpenTelemetry: one conversation.

A list of messages or of Responses items, an object that holds one (`messages`, `input`, `contents`,
`items`), a request with its `response`, or one message a line. Tools on offer are read in each
provider's form.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import Desk, Draft, Format, Passed, Pieces
from ingest.containers.fields import arr, first, kept, obj, objects, txt
from ingest.containers.kinds_of_span import output_messages
from ingest.containers.messages import hear_all
from ingest.containers.parts import is_message
from ingest.kinds import Container

_LISTS: Final = ("messages", "contents", "items", "input", "conversation")
_PROBED: Final = 20


def sign(value: Any) -> str | None:
    """Messages, alone, in a list, or in an object."""
    if isinstance(value, list):
        probed = [item for item in value[:_PROBED] if item is not None]
        is_ours = bool(probed) and all(is_message(item) for item in probed)
        return f"it is a list of {_kind(probed)} messages" if is_ours else None
    found = obj(value)
    for name in _LISTS:
        inner = found.get(name)
        if isinstance(inner, list) and (reason := sign(inner)):
            return f"{name}: {reason}"
    if "role" in found and is_message(value):
        return f"a line is a message of {_kind([value])}"
    return None


def _kind(messages: Sequence[Any]) -> str:
    """Which provider's, as far as the keys tell."""
    text = {key for item in objects(messages) for key in _keys(item)}
    for name, marks in _KINDS.items():
        if text & marks:
            return name
    return "chat"


_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "Bedrock": frozenset({"toolUse", "toolResult"}),
    "Anthropic": frozenset({"type=tool_use", "type=tool_result"}),
    "OpenAI Responses": frozenset({"type=function_call", "type=function_call_output"}),
    "Gemini": frozenset(
        {"function_call.args", "functionCall", "function_response", "functionResponse"}
    ),
    "LangChain": frozenset({"lc", "type=human", "type=ai"}),
    "OpenTelemetry": frozenset({"type=tool_call", "type=tool_call_response"}),
    "OpenAI": frozenset({"tool_calls", "tool_call_id", "function_call"}),
}


def _keys(item: Mapping[str, Any]) -> Iterator[str]:
    yield from item
    yield f"type={item.get('type')}"
    if isinstance(item.get("function_call"), dict) and "args" in item["function_call"]:
        yield "function_call.args"
    for block in objects(first(item, "parts", "content")):
        yield from _keys(block)


def read_messages(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """Each document one trace; lines that are messages are one trace together."""
    loose: list[Any] = []
    n_traces = 0
    for piece in pieces:
        if isinstance(piece.value, dict) and "role" in piece.value:
            loose.append(piece.value)
            continue
        key = desk.stem if piece.place == "document" else f"{desk.stem}/{piece.place}"
        yield from _conversation(piece.value, key)
        n_traces += 1
    if loose:
        yield from _conversation(loose, f"{desk.stem}/lines" if n_traces else desk.stem)


def _conversation(value: Any, stem: str) -> Iterator[Draft]:
    found = obj(value)
    messages = value if isinstance(value, list) else _messages_in(found)
    key = txt(first(found, "id", "thread_id", "conversation_id", "session_id")) or stem
    conversation = Conversation(
        f"messages/{key}",
        session=txt(first(found, "thread_id", "conversation_id", "session_id", "conversation")),
        attributes=kept({"gen_ai.request.model": txt(found.get("model"))}),
    )
    n_passed = hear_all(conversation, messages, _tools(found))
    for answer in output_messages(found.get("response")):
        conversation.say(answer)
    if n_passed:
        yield Passed("values that are no messages", n_passed)
    yield from conversation.spans()


def _messages_in(found: Mapping[str, Any]) -> Sequence[Any]:
    system = first(found, "system", "instructions")
    before = [{"role": "system", "content": system}] if isinstance(system, (str, list)) else []
    for name in _LISTS:
        if arr(found.get(name)):
            return [*before, *found[name]]
    return before


def _tools(found: Mapping[str, Any]) -> list[Any]:
    """What is on offer, one definition a tool."""
    specs = [obj(tool).get("toolSpec") for tool in arr(obj(found.get("toolConfig")).get("tools"))]
    tools = [spec for spec in specs if isinstance(spec, dict)]
    for tool in [*arr(found.get("tools")), *arr(found.get("functions"))]:
        declared = arr(first(obj(tool), "function_declarations", "functionDeclarations"))
        tools.extend(declared or [tool])
    return tools


FORMAT: Final = Format(
    Container.MESSAGES, "a list of messages", sign, read_messages, takes_list=True
)
