"""Claude Code sessions: lines of `user` and `assistant` with a session id, or a web export.

One trace is one prompt of the user: a user line with text that is neither a tool result nor `isMeta`.
Its lines are joined by the session. An answer of the model is told in several lines with one
`message.id`, each repeating the usage; the last one holds. Lines of a sub-agent (`isSidechain`) are a
conversation of their own under the call that started it. Copied lines of resumed sessions are told
by `uuid`. The lines tell when a call was asked for and answered, waiting for the user included; only
what a result itself reports is a duration.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import Desk, Draft, Format, Pieces, SpanDraft, any_sign
from ingest.containers.fields import (
    NS_PER_MS,
    first,
    iso_ns,
    kept,
    length_ns,
    obj,
    objects,
    txt,
    whole,
)
from ingest.containers.parts import Message, answers_of, calls_of, read_message
from ingest.containers.turns import Run, Turn, Usage
from ingest.kinds import Container

AGENT: Final = "claude-code"
_TYPES: Final = frozenset(
    {"user", "assistant", "summary", "system", "queue-operation", "file-history-snapshot",
     "progress", "custom-title"}
)  # fmt: skip
_SPOKEN: Final = frozenset({"user", "assistant"})
_SUBAGENT_TOOLS: Final = frozenset({"Task", "Agent"})
_REPORTED: Final = ("durationMs", "totalDurationMs", "duration_ms")


def _line_sign(value: Any) -> str | None:
    line = obj(value)
    if txt(line.get("type")) in _TYPES and "sessionId" in line:
        return f"a line has the type {line['type']} and a sessionId"
    return None


def _web_sign(value: Any) -> str | None:
    return "it has loglines" if isinstance(obj(value).get("loglines"), list) else None


sign = any_sign((_web_sign, _line_sign))


def read_sessions(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of every prompt of the file, sessions in any order."""
    sessions: dict[str, _Session] = {}
    for piece in pieces:
        found = obj(piece.value)
        lines = objects(found["loglines"]) if "loglines" in found else iter([found])
        for line in lines:
            name = txt(first(line, "sessionId", "session_id")) or desk.stem
            session = sessions.setdefault(name, _Session(name))
            yield from session.read(line)
    for session in sessions.values():
        yield from session.close()


@dataclass(slots=True)
class _Thread:
    """One conversation: the main one of a prompt, or a sub-agent's."""

    conversation: Conversation
    turns: dict[str, SpanDraft] = field(default_factory=dict)
    """Spans of the answers, by `message.id`."""


@dataclass(slots=True)
class _Session:
    name: str
    seen: set[str] = field(default_factory=set)
    main: _Thread | None = None
    sides: dict[str, _Thread] = field(default_factory=dict)
    """Conversations of sub-agents, by the uuids of their lines."""
    n_prompts: int = 0
    first: int | None = None
    last: int | None = None
    """Times of the first and the last line of the prompt."""

    def read(self, line: Mapping[str, Any]) -> Iterator[Draft]:
        """Take one line in; yields the spans of the prompt before when a new one begins."""
        uuid = txt(line.get("uuid"))
        found = read_message(line.get("message"))
        is_copy = uuid is not None and uuid in self.seen
        if txt(line.get("type")) not in _SPOKEN or found is None or is_copy:
            return
        if uuid is not None:
            self.seen.add(uuid)
        is_side = line.get("isSidechain") is True
        if not is_side and _is_prompt(line, found):
            yield from self.close()
        time = iso_ns(line.get("timestamp"))
        thread = self._side(line, uuid) if is_side else self._main(line, uuid)
        _tell(thread, line, found, time)
        self.first = time if self.first is None else self.first
        self.last = time if time is not None else self.last

    def close(self) -> Iterator[Draft]:
        """The spans of the prompt that is over."""
        if self.main is not None:
            yield from self.main.conversation.spans(start=self.first, end=self.last)
            for side in {id(thread): thread for thread in self.sides.values()}.values():
                yield from side.conversation.spans()
        self.main, self.sides, self.first, self.last = None, {}, None, None

    def _main(self, line: Mapping[str, Any], uuid: str | None) -> _Thread:
        if self.main is None:
            self.n_prompts += 1
            key = uuid or f"{self.name}/{self.n_prompts}"
            self.main = _Thread(self._conversation(key, line, AGENT))
        return self.main

    def _conversation(
        self, key: str, line: Mapping[str, Any], agent: str, prefix: str = "",
        parent_key: str | None = None,
    ) -> Conversation:  # fmt: skip
        return Conversation(
            key,
            agent=agent,
            session=self.name,
            prefix=prefix,
            parent_key=parent_key,
            resource=kept(
                {
                    "service.name": AGENT,
                    "service.version": txt(line.get("version")),
                    "process.working_directory": txt(line.get("cwd")),
                    "vcs.ref.head.name": txt(line.get("gitBranch")),
                }
            ),
        )

    def _side(self, line: Mapping[str, Any], uuid: str | None) -> _Thread:
        above = txt(line.get("parentUuid")) or txt(line.get("agentId"))
        thread = self.sides.get(above or "")
        if thread is None:
            main = self._main(line, uuid)
            key, prefix = main.conversation.trace_key, f"side-{len(self.sides)}-"
            parent = _caller(main)
            thread = _Thread(self._conversation(key, line, "sidechain", prefix, parent))
        for name in (uuid, txt(line.get("agentId")), above):
            if name is not None:
                self.sides[name] = thread
        return thread


def _caller(main: _Thread) -> str:
    """The call that started a sub-agent: the last of its kind that the main agent asked for."""
    for span in reversed(list(main.turns.values())):
        for part in calls_of(span.attributes["gen_ai.output.messages"][0]):
            key = main.conversation.call_key(part["id"])
            if txt(part.get("name")) in _SUBAGENT_TOOLS and key is not None:
                return key
    return "agent"


def _is_prompt(line: Mapping[str, Any], found: Message) -> bool:
    if line.get("type") != "user" or line.get("isMeta") is True or not found["parts"]:
        return False
    return next(answers_of(found), None) is None


def _tell(thread: _Thread, line: Mapping[str, Any], found: Message, time: int | None) -> None:
    if line.get("type") == "user":
        thread.conversation.hear(found, _run(line.get("toolUseResult"), time))
        return
    raw = obj(line.get("message"))
    key = txt(raw.get("id"))
    turn = _turn(line, raw, found, time)
    told = thread.turns.get(key) if key is not None else None
    if told is not None:
        thread.conversation.say_more(told, found, turn)
        return
    span = thread.conversation.say(found, turn)
    if key is not None and turn.error is None:
        thread.turns[key] = span


def _turn(
    line: Mapping[str, Any], raw: Mapping[str, Any], found: Message, time: int | None
) -> Turn:
    error = None
    if line.get("isApiErrorMessage") is True:
        error = " ".join(str(part.get("content", "")) for part in found["parts"]) or "API error"
    model = txt(raw.get("model"))
    return Turn(
        start=time,
        model=None if model == "<synthetic>" else model,
        provider="anthropic",
        usage=anthropic_usage(raw.get("usage")),
        finish=txt(raw.get("stop_reason")),
        response_id=txt(raw.get("id")),
        error=error,
    )


def anthropic_usage(value: Any) -> Usage:
    """Anthropic's input tokens leave out what was cached: they are put back."""
    usage = obj(value)
    fresh, cached = whole(usage.get("input_tokens")), whole(usage.get("cache_read_input_tokens"))
    written = whole(usage.get("cache_creation_input_tokens"))
    total = None if fresh is None else fresh + (cached or 0) + (written or 0)
    return Usage(total, whole(usage.get("output_tokens")), cached)


def _run(result: Any, time: int | None) -> Run:
    length = length_ns(first(obj(result), *_REPORTED), NS_PER_MS)
    if time is None or length is None:
        return Run()
    return Run(start=time - length, end=time)


FORMAT: Final = Format(Container.CLAUDE_CODE, "a Claude Code session", sign, read_sessions)
