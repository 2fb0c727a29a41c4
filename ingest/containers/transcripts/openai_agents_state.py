"""OpenAI Agents SDK run states: a run that was interrupted and saved.

Items are what was said so far; `context.approvals` and guardrail results are decisions of guards; an
interruption is a call that waits for a person. A state of a version that is not known is refused.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import Desk, Draft, Format, Pieces, Refused
from ingest.containers.fields import arr, first, obj, objects, txt
from ingest.containers.kinds_of_span import input_messages, usage_of
from ingest.containers.parts import answer_part, message, read_message
from ingest.containers.turns import Turn
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

_KNOWN_MAJOR: Final = "1"
_GUARDS: Final = (
    "input_guardrail_results",
    "output_guardrail_results",
    "tool_input_guardrail_results",
    "tool_output_guardrail_results",
)


def sign(value: Any) -> str | None:
    """`$schemaVersion` of a run."""
    return "it has $schemaVersion" if "$schemaVersion" in obj(value) else None


def read_states(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of each state."""
    for piece in pieces:
        state = obj(piece.value)
        version = txt(state.get("$schemaVersion")) or ""
        if version.partition(".")[0] != _KNOWN_MAJOR or "generated_items" not in state:
            error = RecordError(
                Reason.SHAPE,
                f"a run state of version {version[:20]!r}: expected 1.x with generated_items; "
                "save it with a version that is read",
            )
            yield Refused(piece.place, error)
            continue
        yield from _state(state, desk.stem)


def _state(state: Mapping[str, Any], stem: str) -> Iterator[Draft]:
    agent = txt(obj(state.get("current_agent")).get("name"))
    trace = obj(state.get("trace"))
    key = (txt(trace.get("id")) or txt(trace.get("trace_id")) or stem).removeprefix("trace_")
    session = txt(first(state, "conversation_id", "previous_response_id"))
    conversation = Conversation(key, agent=agent, session=session)
    for heard in input_messages(state.get("original_input")):
        conversation.hear(heard)
    if arr(state.get("model_responses")):
        _responses(conversation, state)
    else:
        _items(conversation, state)
    _guards(conversation, state)
    yield from conversation.spans()


def _responses(conversation: Conversation, state: Mapping[str, Any]) -> None:
    """Model answers in order, each followed by the outputs of the calls it asked for."""
    outputs = {
        txt(first(obj(item.get("raw_item")), "call_id", "id")): item
        for item in objects(state.get("generated_items"))
        if str(item.get("type")).endswith("output_item")
    }
    for response in objects(state["model_responses"]):
        spoken = message("assistant")
        for item in objects(response.get("output")):
            found = _read(item)
            spoken["parts"].extend(found["parts"] if found else [])
        usage = usage_of(response.get("usage"))
        turn = Turn(provider="openai", usage=usage, response_id=txt(response.get("response_id")))
        asked = [part.get("id") for part in spoken["parts"] if part["type"] == "tool_call"]
        conversation.say(spoken, turn)
        for call_id in asked:
            if call_id in outputs:
                _hear_output(conversation, outputs[call_id])


def _items(conversation: Conversation, state: Mapping[str, Any]) -> None:
    for item in objects(state.get("generated_items")):
        if str(item.get("type")).endswith("output_item"):
            _hear_output(conversation, item)
            continue
        found = _read(obj(item.get("raw_item")))
        if found is not None:
            name = txt(obj(item.get("agent")).get("name"))
            conversation.say(found, Turn(agent=name, provider="openai"))


def _read(item: Mapping[str, Any]) -> Any:
    found = read_message(item)
    if found is not None:
        found["role"] = "assistant"
    return found


def _hear_output(conversation: Conversation, item: Mapping[str, Any]) -> None:
    raw = obj(item.get("raw_item"))
    call_id = txt(first(raw, "call_id", "id"))
    result = first(item, "output") or first(raw, "output", "result")
    if call_id is not None and raw.get("type") != "tool_search_output":
        conversation.hear(message("tool", answer_part(call_id, result)))


def _guards(conversation: Conversation, state: Mapping[str, Any]) -> None:
    for approved_tool, decision in obj(obj(state.get("context")).get("approvals")).items():
        for name, verdict in (("approved", "allow"), ("rejected", "deny")):
            chosen = obj(decision).get(name)
            for call_id in arr(chosen) or ([None] if chosen is True else []):
                conversation.guard(
                    "tool_approval", verdict, call_id=txt(call_id), tool_name=approved_tool
                )
    step = obj(obj(state.get("current_step")).get("data"))
    for waiting in objects(step.get("interruptions")):
        raw = obj(waiting.get("raw_item"))
        tool = txt(first(waiting, "tool_name")) or txt(raw.get("name"))
        waiting_id = txt(raw.get("call_id"))
        conversation.guard("tool_approval", "pending", call_id=waiting_id, tool_name=tool)
    for phase in _GUARDS:
        for result in objects(state.get(phase)):
            _guardrail(conversation, result, phase.removesuffix("_results"))


def _guardrail(conversation: Conversation, result: Mapping[str, Any], phase: str) -> None:
    output = obj(result.get("output"))
    tripped = first(output, "tripwire_triggered", "tripwireTriggered")
    behaviour = txt(obj(output.get("behavior")).get("type"))
    is_hit = tripped is True or behaviour in ("reject_content", "raise_exception")
    guardrail = obj(result.get("guardrail"))
    name = txt(guardrail.get("name")) or phase
    conversation.guard(name, "deny" if is_hit else "allow")


FORMAT: Final = Format(
    Container.OPENAI_AGENTS_STATE, "an OpenAI Agents run state", sign, read_states
)
