"""What a platform calls a tool, a model or an agent, in the names of the GenAI conventions.

Platforms keep inputs and outputs in whatever shape the traced program had; these read the common
ones: a list of messages, an object that holds one, an OpenAI response, LangChain generations, plain
text.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.fields import arr, decoded, first, kept, obj, txt, whole
from ingest.containers.parts import Message, message, read_message, text_part
from ingest.containers.turns import Usage

_MESSAGE_LISTS: Final = ("messages", "input", "inputs", "prompt", "contents", "history")
_OUTPUT_LISTS: Final = ("messages", "output", "outputs", "response", "content", "message")
_INPUT_TOKENS: Final = ("input_tokens", "prompt_tokens", "inputTokens", "promptTokens", "input")
_OUTPUT_TOKENS: Final = (
    "output_tokens", "completion_tokens", "outputTokens", "completionTokens", "output",
)  # fmt: skip
_CACHED_TOKENS: Final = (
    "cached_tokens", "cache_read", "cache_read_input_tokens", "input_cached_tokens",
    "cachedInputTokens", "cached_input_tokens", "prompt_details.cache_read", "input_cache_read",
    "input_tokens_cache_read",
)  # fmt: skip
_TOKEN_DETAILS: Final = (
    "input_token_details", "prompt_tokens_details", "input_tokens_details", "inputTokenDetails",
)  # fmt: skip
_MAX_DEPTH: Final = 4


def tool_attributes(
    name: str | None,
    arguments: Any,
    result: Any,
    *,
    call_id: str | None = None,
    error_type: str | None = None,
) -> dict[str, Any]:
    """The attributes of one execution."""
    return kept(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": arguments,
            "gen_ai.tool.call.result": result,
            "error.type": error_type,
        }
    )


def model_attributes(
    inputs: Any,
    outputs: Any,
    *,
    model: str | None = None,
    provider: str | None = None,
    usage: Usage | None = None,
    tools: Any = None,
) -> dict[str, Any]:
    """The attributes of one model call."""
    tokens = usage or Usage()
    spoken = output_messages(outputs)
    return kept(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": model,
            "gen_ai.provider.name": provider,
            "gen_ai.usage.input_tokens": tokens.input,
            "gen_ai.usage.output_tokens": tokens.output,
            "gen_ai.usage.cache_read.input_tokens": tokens.cached,
            "gen_ai.tool.definitions": tools or None,
            "gen_ai.input.messages": input_messages(inputs) or None,
            "gen_ai.output.messages": spoken or None,
        }
    )


def agent_attributes(name: str | None) -> dict[str, Any]:
    """The attributes of an agent's span."""
    return kept({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name})


def usage_of(value: Any, *, is_cached_apart: bool = False) -> Usage:
    """The tokens of a usage object of any provider.

    Args:
        value: The object.
        is_cached_apart: Whether its input tokens leave out the cached ones.
    """
    fields = obj(value)
    cached = whole(first(fields, *_CACHED_TOKENS))
    for name in _TOKEN_DETAILS:
        if cached is None:
            cached = whole(first(obj(fields.get(name)), *_CACHED_TOKENS))
    found = whole(first(fields, *_INPUT_TOKENS))
    if found is not None and is_cached_apart:
        found += cached or 0
    return Usage(found, whole(first(fields, *_OUTPUT_TOKENS)), cached)


def input_messages(value: Any) -> list[Message]:
    """The messages a model was given."""
    return list(_messages(decoded(value), _MESSAGE_LISTS, "user", 0))


def output_messages(value: Any) -> list[Message]:
    """The messages a model answered with."""
    found = list(_messages(_answers(decoded(value)), _OUTPUT_LISTS, "assistant", 0))
    for item in found:
        # What a model gave back is the model's, whatever the platform wrote as its role.
        item["role"] = "assistant" if item["role"] == "user" else item["role"]
    return found


def _messages(value: Any, names: tuple[str, ...], role: str, depth: int) -> Iterator[Message]:
    if isinstance(value, str):
        if value:
            yield message(role, text_part(value))
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            yield from _messages(decoded(item), names, role, depth + 1)
    elif isinstance(value, dict) and depth < _MAX_DEPTH:
        found = read_message(value) or read_message({"role": role, **value})
        if found is not None and found["parts"]:
            yield found
            return
        inner = first(value, *names)
        if inner is not None and inner is not value:
            yield from _messages(decoded(inner), names, role, depth + 1)


def _answers(value: Any) -> Any:
    """The messages inside an OpenAI response or LangChain generations; else the value itself."""
    fields = obj(value)
    choices = arr(fields.get("choices"))
    if choices:
        return [obj(choice).get("message") or obj(choice).get("delta") for choice in choices]
    generations = arr(fields.get("generations"))
    if generations:
        flat = [item for group in generations for item in (arr(group) or [group])]
        return [obj(item).get("message") or obj(item).get("text") for item in flat]
    candidates = arr(fields.get("candidates"))
    if candidates:
        return [obj(candidate).get("content") for candidate in candidates]
    return value


def error_text(value: Any) -> str | None:
    """An error as text: its message, its type, or the text itself; None without one."""
    fields: Mapping[str, Any] = obj(value)
    if fields:
        return txt(first(fields, "message", "exception_message", "exception_type", "type"))
    return txt(value)
