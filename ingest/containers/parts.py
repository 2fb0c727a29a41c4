"""Messages of every provider as OpenTelemetry's: a role and parts of text, calls and answers.

Kinds of content, told apart by their keys: OpenAI chat (`tool_calls`, role `tool`), OpenAI Responses
items (`function_call`, `function_call_output`), Anthropic blocks (`tool_use`, `tool_result`),
Bedrock blocks (`toolUse`, `toolResult`), Gemini parts (`function_call`, `function_response`, either
case), LangChain messages (`type` human, ai, tool; `lc` constructors) and OpenTelemetry's own parts.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ingest.containers.fields import arr, first, obj, objects, txt

Part = dict[str, Any]
Message = dict[str, Any]

ROLES: Final = {
    "human": "user",
    "ai": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "function": "tool",
    "developer": "system",
    "exec": "tool",
}
"""Names of roles that have another one here."""
_FAILED: Final = frozenset({"error", "failed", "failure", "incomplete"})
_MAX_NESTING: Final = 4


def text_part(text: str) -> Part:
    """A part of plain text."""
    return {"type": "text", "content": text}


def call_part(call_id: str | None, name: str | None, arguments: Any) -> Part:
    """A call that a model asks for."""
    part: Part = {"type": "tool_call", "name": name, "arguments": arguments}
    return part if call_id is None else {**part, "id": call_id}


def answer_part(
    call_id: str | None, result: Any, *, name: str | None = None, is_error: bool | None = None
) -> Part:
    """What a call gave back, as the model was shown it.

    Args:
        call_id: The call.
        result: Text or any JSON value.
        name: The tool, where the message names it.
        is_error: What the source says; None when it says nothing.
    """
    part: Part = {"type": "tool_call_response", "response": result}
    if call_id is not None:
        part["id"] = call_id
    if name is not None:
        part["name"] = name
    if is_error is not None:
        part |= {"is_error": True} if is_error else {"status": "ok"}
    return part


def message(role: str, *parts: Part) -> Message:
    """A message of these parts."""
    return {"role": role, "parts": list(parts)}


def calls_of(found: Message) -> Iterator[Part]:
    """The calls a message asks for."""
    return (part for part in found["parts"] if part["type"] == "tool_call")


def answers_of(found: Message) -> Iterator[Part]:
    """The answers a message carries."""
    return (part for part in found["parts"] if part["type"] == "tool_call_response")


def read_message(value: Any) -> Message | None:
    """One message or Responses item of any provider; None for a value that is none."""
    if not isinstance(value, dict):
        return None
    # Asked of every message of a file: what most of them have not is looked for by its key alone.
    raw = _unwrapped(value) if "kwargs" in value or "data" in value else value
    kind = raw.get("type")
    if isinstance(kind, str) and kind in _ITEMS:
        return _ITEMS[kind](raw)
    role = _role(raw)
    if role is None:
        return None
    if role == "tool" and (answer := _tool_message(raw)) is not None:
        return message("tool", answer)
    parts = list(_content_parts(first(raw, "parts", "content")))
    if raw.get("tool_calls") or "function_call" in raw:
        parts.extend(_openai_calls(raw))
    if raw.get("invalid_tool_calls"):
        parts.extend(_malformed_calls(raw))
    return {"role": role, "parts": parts}


def is_message(value: Any) -> bool:
    """Whether a value reads as a message with something in it."""
    found = read_message(value)
    return found is not None and bool(found["parts"] or obj(value).keys() & {"content", "parts"})


def _unwrapped(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The inside of a serialised LangChain message."""
    if isinstance(raw.get("kwargs"), dict) and ("lc" in raw or isinstance(raw.get("id"), list)):
        kind = str((arr(raw.get("id")) or ("",))[-1]).removesuffix("Chunk").removesuffix("Message")
        return {"type": kind.lower() or "ai", **raw["kwargs"]}
    if isinstance(raw.get("data"), dict) and "type" in raw and "role" not in raw:
        return {**raw["data"], "type": raw["type"]}
    return raw


def _role(raw: Mapping[str, Any]) -> str | None:
    role = txt(raw.get("role"))
    if role is None:
        kind = txt(raw.get("type"))
        if kind is None or not raw.keys() & {"content", "parts", "tool_calls"}:
            return None
        role = kind.lower()
        if role not in ROLES and role not in ("user", "assistant", "system", "tool"):
            return None
    return ROLES.get(role.lower(), role)


def _tool_message(raw: Mapping[str, Any]) -> Part | None:
    """The answer of an OpenAI or LangChain tool message; None when its blocks carry answers."""
    content = first(raw, "content", "parts")
    if any(_answer_block(block) is not None for block in arr(content)):
        return None
    error = raw.get("error")
    status = txt(raw.get("status"))
    is_error = True if error else (status.lower() in _FAILED if status else None)
    result = plain(raw.get("content"))
    if not result and error:
        result = obj(error).get("message") or error
    call_id = txt(first(raw, "tool_call_id", "toolCallId", "id"))
    name = txt(first(raw, "name", "function"))
    return answer_part(call_id, result, name=name, is_error=is_error)


def _openai_calls(raw: Mapping[str, Any]) -> Iterator[Part]:
    for call in objects(raw.get("tool_calls")):
        function = call.get("function")
        inner = function if isinstance(function, dict) else call
        name = function if isinstance(function, str) else inner.get("name")
        arguments = first(inner, "arguments", "args", "input")
        yield call_part(txt(call.get("id")), txt(name), "" if arguments is None else arguments)
    legacy = raw.get("function_call")
    if isinstance(legacy, dict) and not raw.get("tool_calls"):
        yield call_part(None, txt(legacy.get("name")), legacy.get("arguments", ""))


def _malformed_calls(raw: Mapping[str, Any]) -> Iterator[Part]:
    """Calls whose arguments LangChain could not read: asked for, and failed before they ran."""
    for call in objects(raw.get("invalid_tool_calls")):
        call_id = txt(call.get("id"))
        yield call_part(call_id, txt(call.get("name")), call.get("args"))
        error = txt(call.get("error")) or "Error: the arguments are not JSON"
        yield answer_part(call_id, error, is_error=True)


def _content_parts(content: Any) -> Iterable[Part]:
    if isinstance(content, str):
        return (text_part(content),) if content else ()
    return _block_parts(content)


def _block_parts(content: Any) -> Iterator[Part]:
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            yield text_part(block)
        elif isinstance(block, dict) and (part := _block_part(block)) is not None:
            yield part


def _block_part(block: Mapping[str, Any]) -> Part | None:
    for read in (_call_block, _answer_block):
        part = read(block)
        if part is not None:
            return part
    text = first(block, "text", "content", "thinking", "reasoning")
    if isinstance(text, str):
        is_thought = txt(block.get("type")) in ("thinking", "reasoning")
        return {"type": "reasoning", "content": text} if is_thought else text_part(text)
    return None


def _call_block(block: Mapping[str, Any]) -> Part | None:
    kind = txt(block.get("type"))
    if isinstance(use := block.get("toolUse"), dict):
        return call_part(txt(use.get("toolUseId")), txt(use.get("name")), use.get("input"))
    if isinstance(call := first(block, "function_call", "functionCall"), dict):
        return call_part(txt(call.get("id")), txt(call.get("name")), call.get("args"))
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call"):
        name = txt(first(block, "name", "toolName"))
        if kind == "mcp_tool_use" and (server := txt(block.get("server_name"))):
            name = f"mcp__{server}__{name}"
        call_id = txt(first(block, "id", "toolCallId"))
        return call_part(call_id, name, first(block, "input", "arguments", "args"))
    return None


def _answer_block(block: Any) -> Part | None:
    if not isinstance(block, dict):
        return None
    kind = txt(block.get("type"))
    if isinstance(answer := block.get("toolResult"), dict):
        failed = {"error": True, "success": False}.get(str(answer.get("status")))
        result = plain(answer.get("content"))
        return answer_part(txt(answer.get("toolUseId")), result, is_error=failed)
    if isinstance(response := first(block, "function_response", "functionResponse"), dict):
        name = txt(response.get("name"))
        return answer_part(txt(response.get("id")), response.get("response"), name=name)
    if kind in ("tool_result", "mcp_tool_result", "tool_call_response", "tool-result"):
        is_error = block.get("is_error")
        return answer_part(
            txt(first(block, "tool_use_id", "id", "toolCallId")),
            plain(first(block, "content", "response", "result", "output")),
            name=txt(first(block, "name", "toolName")),
            is_error=is_error if isinstance(is_error, bool) else None,
        )
    return None


def _function_call(raw: Mapping[str, Any]) -> Message:
    name = txt(raw.get("name")) or str(raw["type"]).removesuffix("_call")
    if server := txt(raw.get("server_label")):
        name = f"mcp__{server}__{name}"
    arguments = first(raw, "arguments", "input", "action")
    call_id = txt(first(raw, "call_id", "id"))
    found = message("assistant", call_part(call_id, name, arguments))
    if raw.get("output") is not None or raw.get("error"):
        # A built-in or remote tool runs on the server: its answer stands in the same item.
        result = raw.get("output") if raw.get("output") is not None else raw.get("error")
        is_error = True if raw.get("error") else None
        found["parts"].append(answer_part(call_id, result, is_error=is_error))
    return found


def _function_output(raw: Mapping[str, Any]) -> Message:
    failed = True if txt(raw.get("status")) in _FAILED else None
    call_id = txt(first(raw, "call_id", "tool_call_id"))
    return message("tool", answer_part(call_id, plain(raw.get("output")), is_error=failed))


def plain(content: Any, depth: int = 0) -> Any:
    """Content blocks that hold nothing but text as that text; anything else as it is."""
    if not isinstance(content, list) or not content or depth > _MAX_NESTING:
        return content
    texts = [
        block if isinstance(block, str) else first(block, "text", "content")
        for block in content
        if isinstance(block, (str, dict))
    ]
    if len(texts) == len(content) and all(isinstance(text, str) for text in texts):
        return "\n".join(str(text) for text in texts)
    return content


_ITEMS: Final = {
    "function_call": _function_call,
    "custom_tool_call": _function_call,
    "local_shell_call": _function_call,
    "mcp_call": _function_call,
    "web_search_call": _function_call,
    "file_search_call": _function_call,
    "computer_call": _function_call,
    "code_interpreter_call": _function_call,
    "shell_call": _function_call,
    "apply_patch_call": _function_call,
    "tool_search_call": _function_call,
    "function_call_output": _function_output,
    "custom_tool_call_output": _function_output,
    "local_shell_call_output": _function_output,
    "computer_call_output": _function_output,
    "shell_call_output": _function_output,
    "apply_patch_call_output": _function_output,
}
"""Items of the Responses API that are calls and answers."""
