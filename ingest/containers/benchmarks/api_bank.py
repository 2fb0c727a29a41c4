"""API-Bank dialogues: one a file, a line a turn; every API turn is a call and its own gold.

An AI turn right before an API turn announces the call: both are one model turn, and calls that
follow each other without a turn between are asked for one by one.
"""

from collections.abc import Iterator
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import (
    CaseRunDraft,
    Desk,
    Draft,
    ExpectationDraft,
    Format,
    Pieces,
    Refused,
)
from ingest.containers.fields import obj, txt
from ingest.containers.parts import Message, answer_part, call_part, message, text_part
from ingest.containers.turns import Turn
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

_ROLES: Final = frozenset({"User", "AI", "API"})


def sign(value: Any) -> str | None:
    """A turn: role `User`, `AI` or `API` in this spelling, with `text` or `api_name`."""
    turn = obj(value)
    if txt(turn.get("role")) not in _ROLES or not turn.keys() & {"text", "api_name"}:
        return None
    return f"a line has the role {turn['role']} and {'api_name' if 'api_name' in turn else 'text'}"


def read_dialogue(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of the dialogue, and each of its calls as what was right."""
    case = f"api-bank/{desk.stem}"
    conversation = Conversation(case, agent="api-bank", attributes={"source.case_id": case})
    announced: Message | None = None
    n_calls = n_turns = 0
    for piece in pieces:
        turn = obj(piece.value)
        if sign(turn) is None:
            yield Refused(piece.place, _no_turn(), piece.value)
            continue
        n_turns += 1
        if turn["role"] == "API":
            spoken = announced or message("assistant")
            announced = None
            _call(conversation, spoken, turn)
            yield _gold(turn, case, n_calls)
            n_calls += 1
        else:
            _spoken(conversation, announced)
            said = text_part(txt(turn.get("text")) or "")
            announced = message("assistant", said) if turn["role"] == "AI" else None
            if announced is None:
                conversation.hear(message("user", said))
    _spoken(conversation, announced)
    if n_turns:
        yield from conversation.spans()
        yield CaseRunDraft(case, case)


def _spoken(conversation: Conversation, announced: Message | None) -> None:
    if announced is not None:
        conversation.say(announced, Turn())


def _call(conversation: Conversation, spoken: Message, turn: Any) -> None:
    name = txt(turn.get("api_name"))
    result = obj(turn.get("result"))
    failure = result.get("exception")
    spoken["parts"].append(call_part(None, name, turn.get("param_dict")))
    conversation.say(spoken)
    shown = failure or result.get("output")
    answer = answer_part(None, shown, name=name, is_error=bool(failure))
    conversation.hear(message("tool", answer))


def _gold(turn: Any, case: str, position: int) -> ExpectationDraft:
    return ExpectationDraft(
        case_id=case,
        trace_key=case,
        position=position,
        tool_name=txt(turn.get("api_name")),
        arguments=turn.get("param_dict"),
        is_ordered=True,
        is_complete=True,
    )


def _no_turn() -> RecordError:
    return RecordError(
        Reason.SHAPE,
        "no turn of API-Bank: expected role User, AI or API with text or api_name; remove the line",
    )


FORMAT: Final = Format(Container.API_BANK, "an API-Bank dialogue", sign, read_dialogue)
