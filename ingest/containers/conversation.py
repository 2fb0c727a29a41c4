"""A conversation as spans: one agent span, a model span a turn, a tool span a call that was answered.

Transcripts tell messages, not spans. The names are OpenTelemetry's GenAI conventions, so that the
dialect which reads live agents reads these too. What a transcript does not tell stays untold: a turn
without a time has none, and a call whose run nobody timed has no duration.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ingest.containers.drafts import SpanDraft
from ingest.containers.fields import kept
from ingest.containers.parts import Message, Part, answers_of, calls_of
from ingest.containers.turns import Run, Turn, Usage, turn_attributes

_ERROR: Final = 2
_OK: Final = 1


_NO_TURN: Final = Turn()
_NO_RUN: Final = Run()


@dataclass(slots=True)
class _Call:
    call_id: str
    name: str | None
    arguments: Any
    agent: str | None
    asked: int | None
    """When the model had asked for it."""
    is_answered: bool = False


class Conversation:
    """Collects the messages of one trace in order.

    Args:
        trace_key: Native id of the trace.
        agent: Who speaks, where one name is known for all turns.
        session: Native id of the conversation.
        attributes: More attributes of the agent span.
        resource: Attributes of the process.
        prefix: Sets the spans of a sub-agent apart from its parent's in one trace.
        parent_key: The span it was called from; None for the agent of the trace.
    """

    def __init__(
        self,
        trace_key: str,
        *,
        agent: str | None = None,
        session: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        resource: Mapping[str, Any] | None = None,
        prefix: str = "",
        parent_key: str | None = None,
    ) -> None:
        self.trace_key = trace_key
        self.agent = agent
        self.session = session
        self.attributes = dict(attributes or {})
        self.resource = dict(resource or {})
        self._prefix = prefix
        self._parent_key = parent_key
        self._spans: list[SpanDraft] = []
        self._heard: list[Message] = []
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._names: dict[str, int] = {}
        self._n_turns = 0

    @property
    def n_turns(self) -> int:
        """Model turns so far."""
        return self._n_turns

    def hear(self, heard: Message, run: Run = _NO_RUN) -> None:
        """A message that the model will be shown: of the user, the system or a tool."""
        for part in answers_of(heard):
            self._answer(part, run)
        self._heard.append(heard)

    def say(self, spoken: Message, turn: Turn = _NO_TURN) -> SpanDraft:
        """One turn of the model; returns its span, for `say_more`."""
        key = f"{self._prefix}turn-{self._n_turns}"
        self._n_turns += 1
        span = self._model_span(key, spoken, turn, turn.agent or self.agent)
        self._spans.append(span)
        self._heard = []
        self._take_calls(spoken["parts"], turn)
        return span

    def say_more(self, span: SpanDraft, more: Message, turn: Turn = _NO_TURN) -> None:
        """More of a turn that was told in pieces; what the last piece says of it holds."""
        spoken = span.attributes["gen_ai.output.messages"][0]
        spoken["parts"].extend(more["parts"])
        span.attributes |= kept(turn_attributes(turn))
        span.end = span.end if turn.end is None else turn.end
        self._take_calls(more["parts"], turn)

    def used(self, usage: Usage) -> None:
        """Tokens that are told after the turn they belong to: the last one without any."""
        for span in reversed(self._spans):
            if span.attributes.get("gen_ai.operation.name") == "chat":
                if "gen_ai.usage.input_tokens" not in span.attributes:
                    span.attributes |= kept(turn_attributes(Turn(usage=usage)))
                return

    def call_key(self, native: str) -> str | None:
        """The span key of a call by its native id; None for a call that was not asked for."""
        call = self._by_id.get(native)
        return None if call is None else self._call_key(call)

    def guard(
        self,
        name: str,
        verdict: str,
        *,
        call_id: str | None = None,
        tool_name: str | None = None,
        reason: str | None = None,
        time: int | None = None,
    ) -> None:
        """The decision of a guard or of a person who was asked.

        Args:
            name: The rule or the approver.
            verdict: `allow`, `deny`, `modify`, `warn`, `escalate` or `pending`.
            call_id: Native id of the call it is about.
            tool_name: Its tool.
            reason: Why, in words.
            time: When.
        """
        call = self._by_id.get(call_id) if call_id else None
        self._spans.append(
            SpanDraft(
                self.trace_key,
                f"{self._prefix}guard-{len(self._spans)}",
                f"guardrail {name}",
                parent_key=self._root_key,
                start=time,
                attributes=kept(
                    {
                        "gen_ai.operation.name": "apply_guardrail",
                        "gen_ai.guardrail.name": name,
                        "gen_ai.guardrail.verdict.type": verdict,
                        "gen_ai.guardrail.result.reason": reason,
                        "gen_ai.tool.name": tool_name or (call.name if call else None),
                        "gen_ai.tool.call.id": call.call_id if call else call_id,
                    }
                ),
                resource=self.resource,
            )
        )

    def add(self, span: SpanDraft) -> None:
        """A span of the same trace that a source tells besides its messages."""
        self._spans.append(span)

    def result(self, answer: Part, run: Run) -> None:
        """The end of a call that is told apart from the messages."""
        self._answer(answer, run)

    def spans(
        self,
        *,
        start: int | None = None,
        end: int | None = None,
        error: str | None = None,
    ) -> Iterator[SpanDraft]:
        """The spans, the agent's first.

        Args:
            start: When it began; without one, when its first span did.
            end: When it ended; without one, when its last span did.
            error: Why the run failed; None when it did not, or nothing says so.
        """
        starts = [span.start for span in self._spans if span.start is not None]
        ends = [time for span in self._spans for time in (span.end, span.start) if time is not None]
        began = start if start is not None else min(starts, default=None)
        yield SpanDraft(
            self.trace_key,
            self._root_key,
            f"invoke_agent {self.agent}" if self.agent else "invoke_agent",
            parent_key=self._parent_key,
            start=began,
            end=end if end is not None or began is None else max(ends, default=None),
            status_code=_ERROR if error else 0,
            status_message=error,
            attributes=kept(
                {
                    "gen_ai.operation.name": "invoke_agent",
                    "gen_ai.agent.name": self.agent,
                    "gen_ai.conversation.id": self.session,
                    **self.attributes,
                }
            ),
            resource=self.resource,
        )
        yield from self._spans

    @property
    def _root_key(self) -> str:
        return f"{self._prefix}agent"

    def _call_key(self, call: _Call) -> str:
        return f"{self._prefix}call-{call.call_id}"

    def _take_calls(self, parts: Sequence[Part], turn: Turn) -> None:
        found: Message = {"parts": parts}
        for part in calls_of(found):
            self._ask(part, turn.agent or self.agent, turn)
        # A tool that runs on the model's own server answers within the turn.
        for part in answers_of(found):
            self._answer(part, _NO_RUN)

    def _ask(self, part: Part, agent: str | None, turn: Turn) -> None:
        native = part.get("id")
        call_id = self._unused(native)
        asked = turn.end if turn.end is not None else turn.start
        call = _Call(call_id, part.get("name"), part.get("arguments"), agent, asked)
        part["id"] = call_id
        self._calls.append(call)
        self._by_id[call_id] = call
        if native is not None:
            self._by_id[native] = call

    def _unused(self, native: str | None) -> str:
        """An id no earlier call of this trace has: some models number their calls anew."""
        if native is None:
            return self._unused(f"call-{len(self._calls) + 1}")
        n_uses = self._names[native] = self._names.get(native, 0) + 1
        return native if n_uses == 1 else f"{native}~{n_uses}"

    def _answer(self, part: Part, run: Run) -> None:
        call = self._asked(part)
        if call is None:
            call = _Call(part.get("id") or self._unused(None), part.get("name"), None, None, None)
        elif call.is_answered:
            return
        call.is_answered = True
        part["id"] = call.call_id
        self._spans.append(self._tool_span(call, part, run))

    def _asked(self, part: Part) -> _Call | None:
        native, name = part.get("id"), part.get("name")
        if native is not None:
            return self._by_id.get(native)
        waiting = [call for call in self._calls if not call.is_answered]
        named = [call for call in waiting if call.name == name] if name else waiting
        return next(iter(named), None)

    def _model_span(self, key: str, spoken: Message, turn: Turn, agent: str | None) -> SpanDraft:
        return SpanDraft(
            self.trace_key,
            key,
            f"chat {turn.model}" if turn.model else "chat",
            parent_key=self._root_key,
            start=turn.start,
            end=turn.end,
            duration=turn.duration,
            otel_kind=3,
            status_code=_ERROR if turn.error else 0,
            status_message=turn.error,
            attributes=kept(
                {
                    "gen_ai.operation.name": "chat",
                    **turn_attributes(turn),
                    "gen_ai.agent.name": agent,
                    "gen_ai.tool.definitions": list(turn.tools) or None,
                    "gen_ai.input.messages": self._heard,
                    # A model that failed said nothing.
                    "gen_ai.output.messages": None if turn.error else [spoken],
                    **turn.attributes,
                }
            ),
            resource=self.resource,
        )

    def _tool_span(self, call: _Call, part: Part, run: Run) -> SpanDraft:
        failed = part.get("is_error")
        flag = "error" if failed else "success" if part.get("status") == "ok" else None
        name = call.name or part.get("name") or "(unnamed)"
        return SpanDraft(
            self.trace_key,
            self._call_key(call),
            f"execute_tool {name}",
            parent_key=self._root_key,
            start=run.start if run.start is not None else call.asked,
            end=run.end,
            duration=run.duration,
            otel_kind=1,
            status_code=_ERROR if failed else _OK if flag else 0,
            attributes=kept(
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": name,
                    "gen_ai.tool.call.id": call.call_id,
                    "gen_ai.tool.call.arguments": call.arguments,
                    "gen_ai.tool.status": flag,
                    "gen_ai.agent.name": call.agent or self.agent,
                    "error.type": run.error_type,
                    **run.attributes,
                }
            )
            | {"gen_ai.tool.call.result": _result(part.get("response"))},
            resource=self.resource,
        )


def _result(value: Any) -> Any:
    """An answer is an answer, even an empty one: None would read as not shown."""
    return "" if value is None else value
