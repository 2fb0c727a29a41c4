"""Sensitive values in conversations: a model has to read them, no span may hold them (S4 §3.2).

They are known from the calls that were asked for. A plan that could not be read as calls tells of
none, and is masked by what other calls say.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pipeline.contracts import Contract
from pipeline.execution import Masker
from pipeline.planning.conversation import Message

_HELD: Final = frozenset({"content", "arguments", "response"})
"""Fields of message parts that hold what was said; all others are the parts' form."""


def masked(messages: Sequence[Message], contracts: Sequence[Contract]) -> list[Message]:
    """The messages without what their calls were given in confidence, wherever it is repeated.

    Args:
        messages: Those of one conversation, all of them.
        contracts: Of the tools that may have been called.
    """
    sensitive = {contract.name: contract for contract in contracts if contract.sensitive}
    parts = (part for message in messages for part in message["parts"])
    maskers = [masker for part in parts if (masker := _masker(part, sensitive)) is not None]
    if not maskers:
        return list(messages)
    everything = Masker.joined(maskers)
    return [
        {**message, "parts": [_masked(part, sensitive, everything) for part in message["parts"]]}
        for message in messages
    ]


def _masker(part: Mapping[str, Any], sensitive: Mapping[str, Contract]) -> Masker | None:
    """What masks the arguments of a call; None for what is none, or has nothing to hide."""
    contract = sensitive.get(part["name"]) if part["type"] == "tool_call" else None
    given = part.get("arguments")
    if contract is None or not isinstance(given, Mapping):
        return None
    return Masker(contract, given)


def _masked(
    part: Mapping[str, Any], sensitive: Mapping[str, Contract], everything: Masker
) -> dict[str, Any]:
    own = _masker(part, sensitive)
    told = dict(part) if own is None else {**part, "arguments": own.arguments(part["arguments"])}
    return {key: everything.value(v) if key in _HELD else v for key, v in told.items()}
