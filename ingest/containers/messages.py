"""A list of messages, of any provider, as one conversation."""

from collections.abc import Iterable, Sequence
from typing import Any

from ingest.containers.conversation import Conversation
from ingest.containers.parts import Message, read_message
from ingest.containers.turns import Turn


def hear_all(conversation: Conversation, messages: Iterable[Any], tools: Sequence[Any] = ()) -> int:
    """Put messages into a conversation; what is no message is passed over.

    Neighbouring items of one model answer (text, then calls, as the Responses API lists them) are
    one turn.

    Returns:
        How many were passed over.
    """
    spoken: Message | None = None
    n_passed = 0
    for value in messages:
        found = read_message(value)
        if found is None:
            n_passed += 1
        elif found["role"] == "assistant":
            spoken = _joined(conversation, spoken, found, value, tools)
        else:
            _said(conversation, spoken, tools)
            spoken = None
            conversation.hear(found)
    _said(conversation, spoken, tools)
    return n_passed


def _joined(
    conversation: Conversation,
    spoken: Message | None,
    found: Message,
    value: Any,
    tools: Sequence[Any],
) -> Message:
    is_item = isinstance(value, dict) and "role" not in value
    if spoken is not None and is_item:
        spoken["parts"].extend(found["parts"])
        return spoken
    _said(conversation, spoken, tools)
    return found


def _said(conversation: Conversation, spoken: Message | None, tools: Sequence[Any]) -> None:
    if spoken is not None:
        conversation.say(spoken, Turn(tools=tools))
