"""ATIF trajectories (Harbor): steps by the user, the system and the agent, calls and observations."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import Draft, Format, each
from ingest.containers.fields import arr, first, iso_ns, obj, objects, txt, whole
from ingest.containers.parts import answer_part, call_part, message, plain, text_part
from ingest.containers.turns import Turn, Usage
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

_VERSION: Final = "ATIF-"


def sign(value: Any) -> str | None:
    """`schema_version` that begins with ATIF-."""
    version = txt(obj(value).get("schema_version")) or ""
    return f"schema_version is {version[:12]}" if version.startswith(_VERSION) else None


def read_trajectory(value: Any) -> Iterator[Draft]:
    """The spans of one trajectory."""
    found = obj(value)
    session = txt(found.get("session_id")) or txt(found.get("trajectory_id"))
    if session is None or not isinstance(found.get("steps"), list):
        raise RecordError(
            Reason.SHAPE, "no ATIF trajectory: expected session_id and steps (a list)"
        )
    agent = obj(found.get("agent"))
    tools = arr(agent.get("tool_definitions"))
    conversation = Conversation(f"atif/{session}", agent=txt(agent.get("name")), session=session)
    for step in objects(found["steps"]):
        _step(conversation, step, txt(agent.get("model_name")), tools)
    yield from conversation.spans()


def _step(
    conversation: Conversation, step: Mapping[str, Any], model: str | None, tools: Any
) -> None:
    text = plain(step.get("message"))
    parts = [text_part(text)] if isinstance(text, str) and text else []
    time = iso_ns(step.get("timestamp"))
    if step.get("source") != "agent":
        role = "system" if step.get("source") == "system" else "user"
        conversation.hear(message(role, *parts))
        return
    metrics = obj(step.get("metrics"))
    calls = [
        call_part(
            txt(first(call, "tool_call_id", "id")),
            txt(first(call, "function_name", "name")),
            call.get("arguments"),
        )
        for call in objects(step.get("tool_calls"))
    ]
    conversation.say(
        message("assistant", *parts, *calls),
        Turn(
            start=time,
            model=txt(step.get("model_name")) or model,
            usage=Usage(
                whole(metrics.get("prompt_tokens")),
                whole(metrics.get("completion_tokens")),
                whole(metrics.get("cached_tokens")),
            ),
            tools=tools,
        ),
    )
    for result in objects(obj(step.get("observation")).get("results")):
        shown = plain(result.get("content"))
        call_id = txt(result.get("source_call_id"))
        if call_id is not None:
            conversation.hear(message("tool", answer_part(call_id, shown)))
        elif shown is not None:
            conversation.hear(message("user", text_part(str(shown))))


FORMAT: Final = Format(Container.ATIF, "an ATIF trajectory", sign, each(read_trajectory))
