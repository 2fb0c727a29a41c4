"""SWE-agent trajectories: messages, with tool calls or with one action as text in each answer.

An action in text is a call of its first word; what the environment showed next is its answer.
Demonstrations in the history are no part of the run. `trajectory` tells how long each action took.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import Desk, Draft, Format, Pieces, Refused, ScoreDraft
from ingest.containers.fields import arr, kept, length_ns, obj, objects, txt
from ingest.containers.parts import answer_part, call_part, calls_of, message, read_message
from ingest.containers.turns import Run, Turn
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind

AGENT: Final = "swe-agent"
_FENCE: Final = "```"


def sign(value: Any) -> str | None:
    """`history` of messages by agents, or beside a trajectory or environment."""
    found = obj(value)
    history = arr(found.get("history"))
    if not history or "role" not in obj(history[0]):
        return None
    if found.keys() & {"trajectory", "environment"}:
        return "it has history and trajectory"
    return "its history has messages by agent" if "agent" in obj(history[0]) else None


def read_trajectories(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of each trajectory, and how it ended."""
    for piece in pieces:
        found = obj(piece.value)
        history = [item for item in objects(found.get("history")) if not item.get("is_demo")]
        if not history:
            error = RecordError(
                Reason.SHAPE, "no trajectory: expected history (a list of messages)"
            )
            yield Refused(piece.place, error, piece.value)
            continue
        info = obj(found.get("info"))
        key = f"swe-agent/{desk.stem}"
        conversation = Conversation(
            key,
            agent=AGENT,
            attributes=kept({"swe_agent.exit_status": txt(info.get("exit_status"))}),
        )
        _tell(conversation, history, list(objects(found.get("trajectory"))))
        yield from conversation.spans()
        status = txt(info.get("exit_status"))
        if status is not None:
            yield ScoreDraft(
                "exit_status", trace_key=key, label=status, annotator=AGENT,
                annotator_kind=AnnotatorKind.RULE,
            )  # fmt: skip


def _tell(
    conversation: Conversation, history: Sequence[Mapping[str, Any]], steps: Sequence[Any]
) -> None:
    waiting: list[str] = []
    n_actions = 0
    for item in history:
        if item.get("role") == "assistant":
            waiting = _say(conversation, item)
            n_actions += bool(waiting)
        elif waiting and item.get("role") in ("user", "tool"):
            step = obj(steps[n_actions - 1]) if n_actions <= len(steps) else {}
            _answer(conversation, item, waiting, step)
            waiting = []
        else:
            heard = read_message(item)
            if heard is not None:
                conversation.hear(heard)


def _say(conversation: Conversation, item: Mapping[str, Any]) -> list[str]:
    """One answer of the model; returns the ids of what it asks for."""
    spoken = read_message({**item, "content": item.get("thought") or item.get("content")})
    if spoken is None:
        return []
    action = txt(item.get("action"))
    if action and next(calls_of(spoken), None) is None:
        spoken["parts"].append(_action(action))
    conversation.say(spoken, Turn(agent=txt(item.get("agent"))))
    return [part["id"] for part in calls_of(spoken)]


def _action(action: str) -> dict[str, Any]:
    """A command line as a call of its first word."""
    written = action.strip().strip(_FENCE).strip()
    first_line = written.partition("\n")[0]
    try:
        words = shlex.split(first_line)
    except ValueError:
        words = first_line.split()
    return call_part(None, words[0] if words else "command", {"command": written})


def _answer(
    conversation: Conversation,
    item: Mapping[str, Any],
    waiting: Sequence[str],
    step: Mapping[str, Any],
) -> None:
    length = length_ns(step.get("execution_time"))
    shown = item.get("content")
    text = shown if isinstance(shown, str) else read_message(item)
    if isinstance(text, dict):
        text = "\n".join(str(part.get("content", "")) for part in text["parts"])
    answers = [answer_part(call_id, text) for call_id in waiting[:1]]
    run = Run(duration=length if len(waiting) == 1 else None)
    for answer in answers:
        conversation.hear(message("tool", answer), run)
    for call_id in waiting[1:]:
        conversation.hear(message("tool", answer_part(call_id, "")), Run())


FORMAT: Final = Format(Container.SWE_AGENT, "a SWE-agent trajectory", sign, read_trajectories)
