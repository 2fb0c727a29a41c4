"""Who&When and Magentic-One logs: what each agent of a team said, and whose step was the mistake.

Calls are free text here, so none are counted. The speaker is `name`, or the role without what it is
doing (`Orchestrator (thought)`). `mistake_step` counts messages from zero.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ingest.containers.benchmarks.tau_bench import AGENTRX
from ingest.containers.conversation import Conversation
from ingest.containers.drafts import (
    CaseRunDraft,
    Desk,
    Draft,
    Format,
    Pieces,
    Refused,
    ScoreDraft,
    keys_sign,
)
from ingest.containers.fields import obj, objects, real, txt, whole
from ingest.containers.parts import message, text_part
from ingest.containers.turns import Turn
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

_SPEAKER: Final = re.compile(r"^(?P<name>[^(]+?)\s*(?:\(.*\))?$")
_HEARD: Final = frozenset({"human", "user", "system"})
_PLAIN_ROLES: Final = frozenset({"assistant", "user", "system", "tool", "human", "ai", "function"})
_NAMES: Final = re.compile(r"[A-Z]\w+(?: \(.*\))?$")
_ENOUGH_SPEAKERS: Final = 1
sign = keys_sign("history", "mistake_agent")


def magentic_sign(value: Any) -> str | None:
    """A list of messages whose roles name agents of a team."""
    if not isinstance(value, list) or not value:
        return None
    roles = [item.get("role") for item in value if isinstance(item, dict) and "content" in item]
    if len(roles) < len(value):
        return None
    speakers = {
        role
        for role in roles
        if isinstance(role, str) and role.lower() not in _PLAIN_ROLES and _NAMES.match(role)
    }
    if len(speakers) < _ENOUGH_SPEAKERS:
        return None
    return f"its messages are by {min(speakers)}"


def read_logs(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans and the verdict of each log."""
    for piece in pieces:
        log = obj(piece.value)
        history = log.get("history")
        if not isinstance(history, list):
            error = RecordError(
                Reason.SHAPE, "no log: expected history (a list of messages); remove the file"
            )
            yield Refused(piece.place, error, piece.value)
            continue
        question = txt(log.get("question_ID")) or desk.stem
        case = f"{AGENTRX}/{question}"
        key = f"who-and-when/{question}/{desk.stem}"
        yield from _team(key, case, history)
        yield from _mistake(log, key, case)


def read_team_log(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of one log without a verdict; the file is named after its question."""
    for piece in pieces:
        key = f"magentic-one/{desk.stem}"
        yield from _team(key, f"{AGENTRX}/{desk.stem}", piece.value)


def _team(key: str, case: str, history: Sequence[Any]) -> Iterator[Draft]:
    conversation = Conversation(key, agent="team", attributes={"source.case_id": case})
    for item in objects(history):
        speaker = _speaker(item)
        said = text_part(txt(item.get("content")) or "")
        if speaker is None or speaker.lower() in _HEARD:
            conversation.hear(message("user", said))
        else:
            conversation.say(message("assistant", said), Turn(agent=speaker))
    yield from conversation.spans()
    yield CaseRunDraft(key, case)


def _speaker(item: Any) -> str | None:
    name = txt(item.get("name"))
    role = txt(item.get("role"))
    if name or role is None:
        return name
    match = _SPEAKER.match(role)
    return match["name"] if match else role


def _mistake(log: Any, key: str, case: str) -> Iterator[Draft]:
    verdict = log.get("is_correct", log.get("is_corrected"))
    agent = txt(log.get("mistake_agent"))
    if agent is not None:
        yield ScoreDraft(
            "mistake",
            case_id=case,
            trace_key=key,
            step=whole(log.get("mistake_step")),
            label=agent,
            explanation=txt(log.get("mistake_reason")),
        )
    if isinstance(verdict, bool):
        yield ScoreDraft("correct", case_id=case, trace_key=key, value=real(int(verdict)))


FORMAT: Final = Format(Container.WHO_AND_WHEN, "a Who&When log", sign, read_logs)
MAGENTIC_FORMAT: Final = Format(
    Container.MAGENTIC_ONE, "a Magentic-One log", magentic_sign, read_team_log, takes_list=True
)
