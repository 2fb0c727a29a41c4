"""Anthropic managed agents: the events of a session, bare or as `[method, event]` of a recorded client.

A model call lies between `span.model_request_start` and `..._end`. `evaluated_permission: ask` waits
for a `user.tool_confirmation`, which is the decision of a guard.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import Desk, Draft, Format, Pieces
from ingest.containers.fields import arr, first, iso_ns, kept, obj, objects, txt
from ingest.containers.parts import (
    Message,
    answer_part,
    call_part,
    message,
    plain,
    read_message,
    text_part,
)
from ingest.containers.transcripts.claude_code import anthropic_usage
from ingest.containers.turns import Run, Turn
from ingest.kinds import Container

_METHOD: Final = "client.beta.sessions"
_STREAM: Final = "client.beta.sessions.events.stream"
_CREATE: Final = "client.beta.sessions.create"
_EVENT_HEADS: Final = ("agent.", "span.model_request", "session.", "user.")
_CALLS: Final = frozenset({"agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"})
_ANSWERS: Final = frozenset(
    {"agent.tool_result", "agent.mcp_tool_result", "user.custom_tool_result"}
)
_VERDICTS: Final = {"allow": "allow", "deny": "deny"}
_APPROVAL: Final = "tool_confirmation"


def sign(value: Any) -> str | None:
    """A recorded client call, or an event."""
    pair = arr(value)
    if len(pair) == 2 and isinstance(pair[0], str) and pair[0].startswith(_METHOD):
        return f"a line is a call of {pair[0]}"
    event = obj(value)
    kind = txt(event.get("type")) or ""
    if kind.startswith(_EVENT_HEADS) and event.keys() & {"processed_at", "id"}:
        return f"a line is an event {kind}"
    return None


def read_sessions(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of one session."""
    session = _Session(desk.stem)
    for piece in pieces:
        for event in session.events(piece.value):
            session.take(event)
    yield from session.close()


class _Session:
    def __init__(self, name: str) -> None:
        self._conversation = Conversation(name, session=name)
        self._seen: set[str] = set()
        self._spoken: Message | None = None
        self._asked: list[Mapping[str, Any]] = []
        self._start: int | None = None
        self._model: str | None = None
        self._last: int | None = None
        self._first: int | None = None
        self._tools: list[Any] = []

    def events(self, value: Any) -> Iterator[Mapping[str, Any]]:
        """The events of one line; what the client sent comes back in the stream."""
        pair = arr(value)
        if not pair:
            yield obj(value)
        elif pair[0] == _STREAM:
            yield obj(pair[1])
        elif pair[0] == _CREATE:
            self._create(obj(pair[1]))

    def take(self, event: Mapping[str, Any]) -> None:
        """One event; one that was streamed twice counts once."""
        key, kind = txt(event.get("id")), txt(event.get("type")) or ""
        if key is not None and key in self._seen:
            return
        if key is not None:
            self._seen.add(key)
        time = iso_ns(event.get("processed_at"))
        self._first = self._first if self._first is not None else time
        self._last = time if time is not None else self._last
        self._read(event, kind, time)

    def _read(self, event: Mapping[str, Any], kind: str, time: int | None) -> None:
        if kind == "span.model_request_start":
            self._start, self._spoken, self._asked = time, message("assistant"), []
        elif kind in _CALLS:
            self._add(_call(event))
            self._asked.append(event)
        elif kind in _ANSWERS:
            self._answer(event, time)
        elif (handle := _HANDLERS.get(kind)) is not None:
            handle(self, event, time)

    def speak(self, event: Mapping[str, Any], _: int | None) -> None:
        """A text of the model."""
        for block in objects(event.get("content")):
            self._add(text_part(txt(block.get("text")) or ""))

    def hear(self, event: Mapping[str, Any], _: int | None) -> None:
        """A text of the user."""
        heard = read_message({"role": "user", "content": event.get("content")})
        if heard is not None:
            self._conversation.hear(heard)

    def close(self) -> Iterator[Draft]:
        """The spans of the session; a turn that was not seen to end has no end."""
        if self._spoken is not None and self._spoken["parts"]:
            self._conversation.say(self._spoken, Turn(start=self._start, model=self._model))
        if self._conversation.n_turns or self._seen:
            yield from self._conversation.spans(start=self._first, end=self._last)

    def _create(self, created: Mapping[str, Any]) -> None:
        agent = obj(created.get("agent"))
        self._conversation.session = txt(created.get("id")) or self._conversation.session
        self._conversation.agent = txt(agent.get("name"))
        self._model = txt(obj(agent.get("model")).get("id")) or txt(agent.get("model"))
        self._tools = [tool for tool in objects(agent.get("tools")) if "name" in tool]

    def _add(self, part: dict[str, Any]) -> None:
        if self._spoken is None:
            self._spoken = message("assistant")
        self._spoken["parts"].append(part)

    def say(self, event: Mapping[str, Any], time: int | None) -> None:
        """The end of a model call."""
        failed = "the model request failed" if event.get("is_error") is True else None
        turn = Turn(
            start=self._start,
            end=time,
            model=self._model,
            provider="anthropic",
            usage=anthropic_usage(event.get("model_usage")),
            error=failed,
            tools=self._tools,
        )
        self._conversation.say(self._spoken or message("assistant"), turn)
        for asked in self._asked:
            if asked.get("evaluated_permission") == "ask":
                key, name = txt(asked.get("id")), txt(asked.get("name"))
                self._conversation.guard(
                    "permission_policy", "pending", call_id=key, tool_name=name,
                    time=iso_ns(asked.get("processed_at")),
                )  # fmt: skip
        self._spoken, self._start, self._asked = None, None, []

    def _answer(self, event: Mapping[str, Any], time: int | None) -> None:
        key = txt(first(event, "tool_use_id", "mcp_tool_use_id", "custom_tool_use_id"))
        is_error = event.get("is_error")
        result = plain(event.get("content"))
        flag = is_error if isinstance(is_error, bool) else None
        answer = answer_part(key, result, is_error=flag)
        run = Run(attributes=kept({"source.answered_time_ns": time}))
        self._conversation.hear(message("tool", answer), run)

    def confirm(self, event: Mapping[str, Any], time: int | None) -> None:
        """The decision of a person who was asked."""
        verdict = _VERDICTS.get(str(event.get("result")))
        if verdict is not None:
            self._conversation.guard(
                _APPROVAL,
                verdict,
                call_id=txt(event.get("tool_use_id")),
                reason=txt(event.get("deny_message")),
                time=time,
            )


def _call(event: Mapping[str, Any]) -> dict[str, Any]:
    name, server = txt(event.get("name")), txt(event.get("mcp_server_name"))
    named = f"mcp__{server}__{name}" if server else name
    return call_part(txt(event.get("id")), named, event.get("input"))


_HANDLERS: Final = {
    "span.model_request_end": _Session.say,
    "agent.message": _Session.speak,
    "user.message": _Session.hear,
    "user.tool_confirmation": _Session.confirm,
}
FORMAT: Final = Format(
    Container.MANAGED_AGENTS, "events of an Anthropic managed agent", sign, read_sessions
)
