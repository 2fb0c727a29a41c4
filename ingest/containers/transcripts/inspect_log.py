"""Inspect AI logs, as one JSON document or one value a sample (`.eval`).

Events are read where a sample has them: they tell when a model and a tool ran; messages otherwise.
`working_time` leaves out waiting. An approval is the decision of a guard. Long texts stand in
`attachments`, by name.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import (
    CaseRunDraft,
    Desk,
    Draft,
    Format,
    Pieces,
    ScoreDraft,
    any_sign,
)
from ingest.containers.fields import (
    after_ns,
    arr,
    first,
    iso_ns,
    kept,
    length_ns,
    obj,
    objects,
    real,
    txt,
    whole,
)
from ingest.containers.kinds_of_span import error_text, usage_of
from ingest.containers.messages import hear_all
from ingest.containers.parts import answer_part, message, plain, read_message
from ingest.containers.turns import Run, Turn
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind

_ATTACHMENT: Final = "attachment://"
_VERDICTS: Final = {
    "approve": "allow", "modify": "modify", "reject": "deny", "terminate": "deny",
    "escalate": "escalate",
}  # fmt: skip
_LETTERS: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Grades that Inspect writes as letters: correct, incorrect, partial, no answer."""
_MAX_DEPTH: Final = 40
_EVENTS: Final = frozenset({"span_begin", "model", "tool", "step", "sample_init"})


def _log_sign(value: Any) -> str | None:
    log = obj(value)
    is_log = log.keys() >= {"version", "status", "eval"}
    return "it has version, status and eval" if is_log else None


def _events_sign(value: Any) -> str | None:
    """A piece of a log: a list of its events."""
    events = arr(obj(value).get("events"))
    kinds = {txt(event.get("event")) for event in objects(events[:20])} & _EVENTS
    return f"its events are of Inspect ({min(map(str, kinds))})" if kinds else None


sign = any_sign((_log_sign, _events_sign))


def read_logs(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans, scores and approvals of every sample."""
    for piece in pieces:
        log = obj(piece.value)
        evaluation = obj(log.get("eval"))
        run = txt(first(evaluation, "eval_id", "run_id")) or desk.stem
        task = txt(evaluation.get("task")) or "inspect"
        samples = [log] if "events" in log and "eval" not in log else arr(log.get("samples"))
        for index, sample in enumerate(objects(samples)):
            yield from _Sample(sample, task, run, index, txt(evaluation.get("model"))).read()


class _Sample:
    def __init__(
        self, sample: Mapping[str, Any], task: str, run: str, index: int, model: str | None
    ) -> None:
        self._sample = sample
        self._model = model
        self._attachments = obj(sample.get("attachments"))
        sample_id = txt(sample.get("id")) or str(index)
        self._epoch = whole(sample.get("epoch"))
        self._case = f"inspect/{task}/{sample_id}"
        key = txt(sample.get("uuid")) or f"{run}/{sample_id}/{self._epoch}"
        self._conversation = Conversation(
            key,
            agent=task,
            session=run,
            attributes=kept(
                {
                    "source.case_id": self._case,
                    "inspect.target": self._text(sample.get("target")),
                    "inspect.error_retries": len(arr(sample.get("error_retries"))) or None,
                }
            ),
        )

    def read(self) -> Iterator[Draft]:
        """The drafts of the sample."""
        events = list(_flat(self._sample.get("events")))
        is_told = any(event.get("event") in ("model", "tool") for event in events)
        if is_told:
            for event in events:
                self._event(event)
        else:
            hear_all(self._conversation, [self._full(m) for m in arr(self._sample.get("messages"))])
        times = [time for event in events if (time := iso_ns(event.get("timestamp"))) is not None]
        yield from self._conversation.spans(
            start=min(times, default=None),
            end=max(times, default=None),
            error=error_text(self._sample.get("error")),
        )
        yield CaseRunDraft(self._conversation.trace_key, self._case, self._epoch)
        yield from self._scores()

    def _event(self, event: Mapping[str, Any]) -> None:
        kind = event.get("event")
        if kind == "model":
            self._model_event(event)
        elif kind == "tool":
            self._tool_event(event)
        elif kind == "approval":
            self._approval(event)

    def _model_event(self, event: Mapping[str, Any]) -> None:
        output = obj(event.get("output"))
        choice = next(objects(output.get("choices")), {})
        spoken = read_message(self._full(choice.get("message"))) or message("assistant")
        spoken["role"] = "assistant"
        for heard in self._new_messages(event):
            self._conversation.hear(heard)
        start = iso_ns(event.get("timestamp"))
        length = length_ns(output.get("time"))
        self._conversation.say(
            spoken,
            Turn(
                start=start,
                end=iso_ns(event.get("completed")) or after_ns(start, length),
                model=txt(output.get("model")) or txt(event.get("model")) or self._model,
                usage=usage_of(output.get("usage")),
                finish=txt(choice.get("stop_reason")),
                error=error_text(event.get("error") or output.get("error")),
                tools=[self._full(tool) for tool in arr(event.get("tools"))],
                attributes=kept({"inspect.retries": whole(event.get("retries")) or None}),
            ),
        )

    def _new_messages(self, event: Mapping[str, Any]) -> list[Any]:
        """The messages since the model last spoke; tool results are told by their own events."""
        found = [read_message(self._full(item)) for item in arr(event.get("input"))]
        fresh: list[Any] = []
        for item in found:
            if item is None:
                continue
            if item["role"] == "assistant":
                fresh = []
            else:
                fresh.append(item)
        return fresh

    def _tool_event(self, event: Mapping[str, Any]) -> None:
        start = iso_ns(event.get("timestamp"))
        end = iso_ns(event.get("completed"))
        length = length_ns(event.get("working_time"))
        failure = obj(event.get("error"))
        result = plain(self._full(event.get("result")))
        answer = answer_part(
            txt(event.get("id")),
            result if not failure else result or failure.get("message"),
            name=txt(event.get("function")),
            is_error=bool(failure) or None,
        )
        run = Run(
            start=start,
            end=after_ns(start, length) if length is not None else end,
            error_type=txt(failure.get("type")),
        )
        self._conversation.result(answer, run)

    def _approval(self, event: Mapping[str, Any]) -> None:
        call = obj(event.get("call"))
        self._conversation.guard(
            txt(event.get("approver")) or "approval",
            _VERDICTS.get(str(event.get("decision")), "pending"),
            call_id=txt(call.get("id")),
            tool_name=txt(call.get("function")),
            reason=txt(event.get("explanation")),
            time=iso_ns(event.get("timestamp")),
        )

    def _scores(self) -> Iterator[Draft]:
        for name, score in obj(self._sample.get("scores")).items():
            value = obj(score).get("value")
            number = _LETTERS.get(value) if isinstance(value, str) else real(value)
            yield ScoreDraft(
                name,
                case_id=self._case,
                trace_key=self._conversation.trace_key,
                value=number,
                label=value if isinstance(value, str) else None,
                explanation=self._text(obj(score).get("explanation")),
                annotator=name,
                annotator_kind=AnnotatorKind.RULE,
            )

    def _text(self, value: Any) -> str | None:
        return txt(self._full(value))

    def _full(self, value: Any, depth: int = 0) -> Any:
        """The value with the attachments put back in."""
        if isinstance(value, str) and value.startswith(_ATTACHMENT):
            return self._attachments.get(value.removeprefix(_ATTACHMENT), value)
        if depth > _MAX_DEPTH or not self._attachments:
            return value
        if isinstance(value, list):
            return [self._full(item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {name: self._full(item, depth + 1) for name, item in value.items()}
        return value


def _flat(events: Any) -> Iterator[Mapping[str, Any]]:
    """The events in order, those inside tools and sub-tasks included."""
    waiting: list[Sequence[Any]] = [arr(events)]
    stack = [iter(objects(waiting[0]))]
    while stack:
        event = next(stack[-1], None)
        if event is None:
            stack.pop()
            continue
        yield event
        if arr(event.get("events")) and len(stack) < _MAX_DEPTH:
            stack.append(iter(objects(event["events"])))


FORMAT: Final = Format(Container.INSPECT, "an Inspect log", sign, read_logs)
