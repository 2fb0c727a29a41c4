"""What a tool returned, taken out of what frameworks wrap around it.

Wrappers: serialised LangChain tool messages, LangSmith's `output`, LlamaIndex tool outputs, MCP
results, ADK function responses. A wrapper may name the call and say that it failed.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ingest.dialects.messages import plain, status_flag
from ingest.dialects.values import first, parsed, text
from pipeline.vocabulary import CallStatus

_MAX_WRAPPERS: Final = 4
_FLAGS: Final = ("is_error", "isError")
_REPR: Final = re.compile(r"^status='(?P<word>success|failure|error)' result=")
"""A Python object as text; the word is the first thing in it."""


class Returned(NamedTuple):
    """One result, unwrapped."""

    result: Any
    """As written where nothing is wrapped around it; None when the span does not show it."""
    tool_call_id: str | None = None
    flag: CallStatus | None = None


def read_result(value: Any) -> Returned:
    """The result within its wrappers, the call they name and the verdict they carry."""
    returned = Returned(value)
    for _ in range(_MAX_WRAPPERS):
        inner = _unwrapped(returned.result)
        if inner is None:
            break
        returned = Returned(
            inner.result,
            inner.tool_call_id or returned.tool_call_id,
            inner.flag or returned.flag,
        )
    return returned


def _unwrapped(value: Any) -> Returned | None:
    if isinstance(value, str):
        if value[:8] == "status='":
            return _of_text(value)
        if value[:1] not in ("{", '"'):
            return None
        value = parsed(value)
    if not isinstance(value, dict):
        return None
    for read in (_tool_message, _tool_output, _function_response, _output_only, _flagged):
        found = read(value)
        if found is not None:
            return found
    return None


def _of_text(value: str) -> Returned | None:
    match = _REPR.match(value)
    if match is None:
        return None
    failed = match["word"] != "success"
    return Returned(value[match.end() :], flag=CallStatus.ERROR if failed else CallStatus.OK)


def _tool_message(value: Mapping[str, Any]) -> Returned | None:
    """A LangChain tool message: serialised, as data, or as itself."""
    inner = value.get("kwargs") if "lc" in value else value.get("data", value)
    is_one = "lc" in value or value.get("type") == "tool"
    if not is_one or not isinstance(inner, dict) or "content" not in inner:
        return None
    call_id = text(inner.get("tool_call_id"))
    return Returned(plain(inner["content"]), call_id, status_flag(inner.get("status")))


def _tool_output(value: Mapping[str, Any]) -> Returned | None:
    """LlamaIndex: a result around an output, or the output itself."""
    if isinstance(value.get("tool_output"), dict):
        return Returned(value["tool_output"], text(value.get("tool_id")))
    if "raw_output" in value and "is_error" in value:
        return Returned(value["raw_output"], None, _flag(value))
    return None


def _function_response(value: Mapping[str, Any]) -> Returned | None:
    """Gemini and ADK: `{id, name, response}`."""
    if set(value) <= {"id", "name", "response"} and "response" in value and "name" in value:
        return Returned(value["response"], text(value.get("id")))
    return None


def _output_only(value: Mapping[str, Any]) -> Returned | None:
    if set(value) == {"output"} and isinstance(value["output"], (dict, str)):
        return Returned(value["output"])
    return None


def _flagged(value: Mapping[str, Any]) -> Returned | None:
    """MCP: content with a flag."""
    flag = _flag(value)
    content = first(value, ("content", "structuredContent"))
    return None if flag is None or content is None else Returned(plain(content), None, flag)


def _flag(value: Mapping[str, Any]) -> CallStatus | None:
    written = first(value, _FLAGS)
    if not isinstance(written, bool):
        return None
    return CallStatus.ERROR if written else CallStatus.OK
