"""Google ADK: saved sessions, and eval sets with the calls that are expected.

An event of a session is one message, of the user or of the agent named as its author; one invocation
is one trace. The answer of a tool is an event of its own, so what lies between is when it ran and
how long the runtime took: not reported, so no duration.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import (
    CaseRunDraft,
    Desk,
    Draft,
    ExpectationDraft,
    Format,
    Pieces,
    any_sign,
    each,
    keys_sign,
)
from ingest.containers.fields import arr, first, moment_ns, obj, objects, txt
from ingest.containers.kinds_of_span import usage_of
from ingest.containers.parts import answers_of, call_part, message, read_message
from ingest.containers.turns import Turn
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import Match

_USER: Final = "user"


def session_sign(value: Any) -> str | None:
    """`events` with an author and content parts."""
    for event in arr(obj(value).get("events"))[:20]:
        if "author" in obj(event) and "parts" in obj(obj(event).get("content")):
            return "its events have an author and content.parts"
    return None


def read_session(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of each invocation of each session."""
    for piece in pieces:
        session = obj(piece.value)
        name = txt(session.get("id")) or desk.stem
        conversations: dict[str, Conversation] = {}
        for event in objects(session.get("events")):
            invocation = txt(first(event, "invocation_id", "invocationId")) or name
            conversation = conversations.get(invocation)
            if conversation is None:
                agent = txt(session.get("app_name")) or txt(session.get("appName")) or "adk"
                conversation = Conversation(f"{name}/{invocation}", agent=agent, session=name)
                conversations[invocation] = conversation
            _event(conversation, event)
        for conversation in conversations.values():
            yield from conversation.spans()


def _event(conversation: Conversation, event: Mapping[str, Any]) -> None:
    found = read_message({"role": "model", **obj(event.get("content"))})
    if found is None:
        return
    author = txt(event.get("author"))
    time = moment_ns(event.get("timestamp"))
    is_answer = next(answers_of(found), None) is not None
    if author == _USER or is_answer:
        found["role"] = "tool" if is_answer else "user"
        conversation.hear(found)
        return
    found["role"] = "assistant"
    failure = txt(first(event, "error_message", "errorMessage"))
    conversation.say(
        found,
        Turn(
            start=time,
            agent=author,
            usage=usage_of(_usage(event)),
            provider="gcp.gemini",
            error=failure if not found["parts"] else None,
        ),
    )


def _usage(event: Mapping[str, Any]) -> dict[str, Any]:
    usage = obj(first(event, "usage_metadata", "usageMetadata"))
    return {
        "input_tokens": first(usage, "prompt_token_count", "promptTokenCount"),
        "output_tokens": first(usage, "candidates_token_count", "candidatesTokenCount"),
        "cached_tokens": first(usage, "cached_content_token_count", "cachedContentTokenCount"),
    }


def legacy_sign(value: Any) -> str | None:
    """`query` and `expected_tool_use`."""
    found = obj(value)
    return (
        "it has query and expected_tool_use"
        if found.keys() >= {"query", "expected_tool_use"}
        else None
    )


set_sign = any_sign((keys_sign("eval_set_id", "eval_cases"), legacy_sign))


def read_eval_set(value: Any) -> Iterator[Draft]:
    """The recorded conversation of each case, and its calls as what is expected."""
    found = obj(value)
    if "expected_tool_use" in found:
        yield from _legacy(found)
        return
    name = txt(found.get("eval_set_id")) or "eval-set"
    if not isinstance(found.get("eval_cases"), list):
        raise RecordError(
            Reason.SHAPE, "no eval set: expected eval_cases (a list); export it again"
        )
    for case in objects(found["eval_cases"]):
        yield from _case(case, f"adk/{name}/{txt(case.get('eval_id'))}")


def _case(case: Mapping[str, Any], case_id: str) -> Iterator[Draft]:
    conversation = Conversation(case_id, agent="adk", attributes={"source.case_id": case_id})
    position = 0
    for turn, invocation in enumerate(objects(case.get("conversation"))):
        uses = list(objects(obj(first(invocation, "intermediate_data")).get("tool_uses")))
        _invocation(conversation, invocation, uses)
        for use in uses:
            yield _expected(case_id, turn, position, use.get("name"), use.get("args"))
            position += 1
        if not uses:
            yield ExpectationDraft(
                case_id=case_id,
                trace_key=case_id,
                turn=turn,
                position=position,
                match=Match.NO_CALL,
                is_ordered=True,
                is_complete=True,
            )
    yield from conversation.spans()
    yield CaseRunDraft(case_id, case_id)


def _invocation(
    conversation: Conversation, invocation: Mapping[str, Any], uses: list[Mapping[str, Any]]
) -> None:
    asked = read_message(invocation.get("user_content"))
    if asked is not None:
        conversation.hear(asked)
    time = moment_ns(invocation.get("creation_timestamp"))
    for use in uses:
        part = call_part(txt(use.get("id")), txt(use.get("name")), use.get("args"))
        conversation.say(message("assistant", part), Turn(start=time))
    answered = read_message(invocation.get("final_response"))
    if answered is not None:
        answered["role"] = "assistant"
        conversation.say(answered, Turn(start=time))


def _expected(
    case_id: str, turn: int, position: int, name: Any, arguments: Any
) -> ExpectationDraft:
    return ExpectationDraft(
        case_id=case_id,
        trace_key=case_id,
        turn=turn,
        position=position,
        tool_name=txt(name),
        arguments=arguments,
        is_ordered=True,
        is_complete=True,
    )


def _legacy(found: Mapping[str, Any]) -> Iterator[Draft]:
    """A query of the older form: only what is expected, no run."""
    case_id = f"adk/{txt(found.get('query'))}"
    for position, use in enumerate(objects(found["expected_tool_use"])):
        draft = _expected(case_id, 0, position, use.get("tool_name"), use.get("tool_input"))
        draft.trace_key = None
        yield draft


SESSION: Final = Format(Container.ADK_SESSION, "an ADK session", session_sign, read_session)
EVAL_SET: Final = Format(Container.ADK_EVAL_SET, "an ADK eval set", set_sign, each(read_eval_set))
