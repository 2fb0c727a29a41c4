"""What is known of one model call and of one execution besides its messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple


class Usage(NamedTuple):
    """Tokens of one model call; None where the source does not say."""

    input: int | None = None
    """Cached ones included."""
    output: int | None = None
    cached: int | None = None


_NO_USAGE: Final = Usage()


@dataclass(frozen=True, slots=True)
class Turn:
    """What is known of one model call besides its messages."""

    start: int | None = None
    end: int | None = None
    duration: int | None = None
    """Reported, for sources that tell it without a start."""
    model: str | None = None
    provider: str | None = None
    usage: Usage = _NO_USAGE
    finish: str | None = None
    agent: str | None = None
    response_id: str | None = None
    error: str | None = None
    """Why it failed; None when it did not."""
    tools: Sequence[Any] = ()
    """What was on offer."""
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """What is known of one execution besides its result."""

    start: int | None = None
    end: int | None = None
    duration: int | None = None
    error_type: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


def turn_attributes(turn: Turn) -> dict[str, Any]:
    """The attributes of the GenAI conventions for a model call; None where nothing is known."""
    return {
        "gen_ai.request.model": turn.model,
        "gen_ai.provider.name": turn.provider,
        "gen_ai.response.id": turn.response_id,
        "gen_ai.response.finish_reasons": [turn.finish] if turn.finish else None,
        "gen_ai.usage.input_tokens": turn.usage.input,
        "gen_ai.usage.output_tokens": turn.usage.output,
        "gen_ai.usage.cache_read.input_tokens": turn.usage.cached,
    }
