"""Codex rollouts: lines of `timestamp`, `type` and `payload`.

One trace is one turn of the user. `token_count` counts up over the session; what the last call used
is its own field, or the difference. The output of a shell call may be JSON with an exit code and the
seconds it took; an `exec_command_end` event tells the same.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import Desk, Draft, Format, Pieces, SpanDraft
from ingest.containers.fields import (
    decoded,
    first,
    iso_ns,
    kept,
    length_ns,
    obj,
    txt,
    whole,
)
from ingest.containers.kinds_of_span import usage_of
from ingest.containers.parts import Message, answers_of, read_message
from ingest.containers.turns import Run, Turn, Usage
from ingest.kinds import Container

AGENT: Final = "codex"
_TYPES: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context"})
_VERDICTS: Final = {
    "approved": "allow", "approved_for_session": "allow", "denied": "deny", "abort": "deny",
}  # fmt: skip
_CONTEXT_MARKS: Final = ("<environment_context>", "<user_instructions>", "# AGENTS.md")


def sign(value: Any) -> str | None:
    """A line of a rollout."""
    line = obj(value)
    if txt(line.get("type")) in _TYPES and isinstance(line.get("payload"), dict):
        return f"a line has the type {line['type']} and a payload"
    return None


def read_rollouts(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of every turn of the user."""
    rollout = _Rollout(desk.stem)
    for piece in pieces:
        line = obj(piece.value)
        if sign(line) is not None:
            yield from rollout.read(line)
    yield from rollout.close()


class _Rollout:
    def __init__(self, name: str) -> None:
        self._session = name
        self._resource: dict[str, Any] = {"service.name": AGENT}
        self._attributes: dict[str, Any] = {}
        self._model: str | None = None
        self._conversation: Conversation | None = None
        self._turn: SpanDraft | None = None
        self._n_prompts = 0
        self._total = Usage()
        self._first: int | None = None
        self._last: int | None = None
        self._runs: dict[str, Run] = {}

    def read(self, line: Mapping[str, Any]) -> Iterator[Draft]:
        payload, time = obj(line["payload"]), iso_ns(line.get("timestamp"))
        kind = line["type"]
        if kind == "session_meta":
            self._start(payload)
        elif kind == "turn_context":
            self._model = txt(payload.get("model")) or self._model
        elif kind == "event_msg":
            self._event(payload, time)
        else:
            yield from self._item(payload, time)
        self._last = time if time is not None else self._last

    def close(self) -> Iterator[Draft]:
        if self._conversation is not None and self._conversation.n_turns:
            yield from self._conversation.spans(start=self._first, end=self._last)
        self._conversation = self._turn = self._first = None

    def _start(self, payload: Mapping[str, Any]) -> None:
        self._session = txt(payload.get("id")) or self._session
        self._attributes = kept({"source.parent_session": txt(payload.get("parent_session_id"))})
        self._resource |= kept(
            {
                "service.version": txt(payload.get("cli_version")),
                "process.working_directory": txt(payload.get("cwd")),
            }
        )

    def _item(self, payload: Mapping[str, Any], time: int | None) -> Iterator[Draft]:
        found = read_message(payload)
        if found is None:
            return
        if found["role"] == "user" and _is_prompt(found):
            yield from self.close()
        conversation = self._open()
        self._first = time if self._first is None else self._first
        if found["role"] == "assistant":
            self._say(conversation, found, time)
        else:
            self._turn = None
            self._hear(conversation, found, time)

    def _open(self) -> Conversation:
        if self._conversation is None:
            self._n_prompts += 1
            self._conversation = Conversation(
                f"{self._session}/{self._n_prompts}",
                agent=AGENT,
                session=self._session,
                attributes=self._attributes,
                resource=self._resource,
            )
        return self._conversation

    def _say(self, conversation: Conversation, found: Message, time: int | None) -> None:
        turn = Turn(start=time, model=self._model, provider="openai")
        if self._turn is None:
            self._turn = conversation.say(found, turn)
        else:
            conversation.say_more(self._turn, found, turn)

    def _hear(self, conversation: Conversation, found: Message, time: int | None) -> None:
        run = Run()
        for part in answers_of(found):
            run = self._runs.pop(part.get("id") or "", run)
            _read_output(part)
            length = length_ns(part.pop("seconds", None))
            if run.end is None and time is not None and length is not None:
                run = Run(start=time - length, end=time)
        conversation.hear(found, run)

    def _event(self, payload: Mapping[str, Any], time: int | None) -> None:
        kind, call_id = payload.get("type"), txt(payload.get("call_id"))
        if kind == "token_count":
            self._count(obj(payload.get("info")))
        elif kind == "exec_command_end" and call_id is not None:
            length = _duration_ns(payload.get("duration"))
            if time is not None and length is not None:
                self._runs[call_id] = Run(start=time - length, end=time)
        elif kind in ("exec_approval_request", "apply_patch_approval_request"):
            self._open().guard(
                "approval", "pending", call_id=call_id, time=time, reason=txt(payload.get("reason"))
            )
        elif kind == "exec_approval_response":
            verdict = _VERDICTS.get(str(first(payload, "decision")), "pending")
            self._open().guard("approval", verdict, call_id=call_id, time=time)

    def _count(self, info: Mapping[str, Any]) -> None:
        total = usage_of(info.get("total_token_usage"))
        last = usage_of(info.get("last_token_usage"))
        if last.input is None and total.input is not None:
            last = Usage(
                *(_minus(now, before) for now, before in zip(total, self._total, strict=True))
            )
        if total.input is not None:
            self._total = total
        if self._conversation is not None:
            self._conversation.used(last)


def _minus(now: int | None, before: int | None) -> int | None:
    return None if now is None else now - (before or 0)


def _is_prompt(found: Message) -> bool:
    """What a person wrote, and not the context the program puts before it."""
    texts = [part["content"] for part in found["parts"] if part["type"] == "text"]
    return bool(texts) and not texts[0].lstrip().startswith(_CONTEXT_MARKS)


def _read_output(part: dict[str, Any]) -> None:
    """Take the exit code and the seconds out of a shell result."""
    shown = decoded(part.get("response"))
    if not isinstance(shown, dict) or "output" not in shown:
        return
    metadata = obj(shown.get("metadata"))
    code = whole(metadata.get("exit_code"))
    part["response"] = shown["output"]
    part["seconds"] = metadata.get("duration_seconds")
    if code is not None:
        part |= {"is_error": True} if code else {"status": "ok"}


def _duration_ns(value: Any) -> int | None:
    """A duration as Rust writes it (`{secs, nanos}`), or in seconds."""
    fields = obj(value)
    seconds = length_ns(fields.get("secs") if fields else value)
    return None if seconds is None else seconds + (whole(fields.get("nanos")) or 0)


FORMAT: Final = Format(Container.CODEX, "a Codex rollout", sign, read_rollouts)
