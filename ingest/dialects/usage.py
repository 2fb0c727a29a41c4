"""Tokens of one model call, out of the usage object that providers and platforms write.

Input tokens include cached ones: OpenAI, Gemini and the conventions count them in; Anthropic's own
object and Langfuse's `input` leave them out, and they are added here.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ingest.dialects.values import Keys, first, number, parsed

_INPUT: Final[Keys] = (
    "input_tokens",
    "prompt_tokens",
    "inputTokens",
    "promptTokens",
    "prompt_token_count",
    "promptTokenCount",
)
_OUTPUT: Final[Keys] = (
    "output_tokens",
    "completion_tokens",
    "outputTokens",
    "completionTokens",
    "candidates_token_count",
    "candidatesTokenCount",
    "output",
)
_CACHED: Final[Keys] = (
    "cache_read_input_tokens",
    "cached_input_tokens",
    "input_cached_tokens",
    "input_cache_read",
    "cachedInputTokens",
    "cached_content_token_count",
    "cachedContentTokenCount",
    "cache_read_tokens",
    "cached_tokens",
)
_DETAILS: Final[Keys] = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
_CACHED_DETAIL: Final[Keys] = ("cached_tokens", "cache_read")
_CREATED: Final[Keys] = ("cache_creation_input_tokens", "input_cache_creation")
_TOTAL: Final[Keys] = ("total_tokens", "totalTokens", "total_token_count", "total")


class Usage(NamedTuple):
    """Tokens of one call. None where the object does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None


def read_usage(value: Any) -> Usage:
    """The tokens of a usage object, or of its JSON text; all None for anything else."""
    usage = parsed(value)
    if not isinstance(usage, dict):
        return Usage()
    cached = number(first(usage, _CACHED))
    if cached is None:
        details = first(usage, _DETAILS)
        cached = number(first(details, _CACHED_DETAIL)) if isinstance(details, dict) else None
    output = number(first(usage, _OUTPUT))
    return Usage(_input(usage, output, cached), output, cached)


def _input(usage: Mapping[str, Any], output: int | None, cached: int | None) -> int | None:
    created = number(first(usage, _CREATED)) or 0
    written = number(first(usage, _INPUT))
    if written is None:
        bare = number(usage.get("input"))
        return None if bare is None else bare + (cached or 0) + created
    total = number(first(usage, _TOTAL))
    is_anthropic = "cache_creation_input_tokens" in usage and total is None
    if is_anthropic or (
        total is not None and total == written + (output or 0) + (cached or 0) + created
    ):
        return written + (cached or 0) + created
    return written
