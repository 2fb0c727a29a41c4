"""The replay cases: situations of this world, with what is right in them, taken from its own spans.

Three kinds: the decisions that the replay labels judge, an observation for each tool and each way
its outputs turned out, and one whole task for each intent. All are clean: noise is made when they
are played.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from opentelemetry.sdk.trace import Event, ReadableSpan

from pipeline.observation import attributes as names
from pipeline.replay import (
    Case,
    CaseKind,
    Chosen,
    Expected,
    ExpectedFact,
    ExpectedPrompt,
    Offered,
    Origin,
    Passage,
    Recorded,
    case_to_json,
)
from pipeline.vocabulary import NO_CALL, SelectionLabel
from sample_traces.audit import BATCHES
from sample_traces.case_gold import decision_gold, task_gold
from sample_traces.timeline import epoch_ns, rfc3339
from sample_traces.truth import JudgedDecision, TraceTruth

Spans = Sequence[ReadableSpan]

_MADE = rfc3339(epoch_ns(BATCHES[-1].judged_from))
_GOOD = frozenset({SelectionLabel.RIGHT, SelectionLabel.CORRECT_NO_CALL})
_TITLE_CHARS = 60
_CALL_ID = "gen_ai.tool.call.id"


def case_rows(
    traces: Mapping[str, Spans],
    truth: Mapping[str, TraceTruth],
    decisions: Sequence[JudgedDecision],
    label_rows: Sequence[Mapping[str, object]],
) -> list[dict[str, object]]:
    """The rows of the case file: decisions, observations, whole tasks."""
    judged = {(d.trace_id, d.turn_index, d.call_index): d for d in decisions}
    replayed = [
        judged[_key(row)] for row in label_rows if row["source"] == "replay" and _key(row) in judged
    ]
    cases = [_decision_case(decision, traces[decision.trace_id]) for decision in replayed]
    cases += _observation_cases(traces)
    cases += _task_cases(traces, truth, decisions)
    return [case_to_json(case) for case in cases]


def _key(row: Mapping[str, Any]) -> tuple[str, int, int | None]:
    return row["trace_id"], row["turn_index"], row["call_index"]


def _decision_case(decision: JudgedDecision, spans: Spans) -> Case:
    chat = _chats(spans)[decision.turn_index]
    given = tuple(_passages(chat))
    place = "none" if decision.call_index is None else str(decision.call_index)
    return Case(
        case_id=f"decision-{decision.trace_id[:8]}-{decision.turn_index}-{place}",
        kind=CaseKind.DECISION,
        title=_asked(given),
        time=_MADE,
        origin=Origin(decision.trace_id, None, decision.turn_index, decision.call_index),
        input=given,
        offered=tuple(_offered(chat)),
        chosen=_chosen(chat, decision.call_index),
        gold=decision_gold(decision),
    )


def _observation_cases(traces: Mapping[str, Spans]) -> Iterator[Case]:
    """For each set of tools and each way their outputs turned out, the first observation of it."""
    seen = set()
    for trace_id, spans in traces.items():
        for span in _named(spans, names.SPAN_OBSERVE):
            outputs, facts = tuple(_outputs(span)), tuple(_facts(span))
            tools = tuple(sorted({output.tool for output in outputs}))
            turns_out = tuple(sorted({fact.kind for fact in facts}))
            if span.attributes and span.attributes.get(names.N_CONFLICTS):
                turns_out += ("CONFLICT",)
            if (tools, turns_out) not in seen:
                seen.add((tools, turns_out))
                yield _observation_case(trace_id, span, outputs, facts, turns_out)


def _observation_case(
    trace_id: str,
    span: ReadableSpan,
    outputs: tuple[Recorded, ...],
    facts: tuple[ExpectedFact, ...],
    turns_out: Sequence[str],
) -> Case:
    tools = sorted({output.tool for output in outputs})
    return Case(
        case_id="-".join(["observation", *tools, *turns_out]).lower(),
        kind=CaseKind.OBSERVATION,
        title=f"{', '.join(tools)}: {', '.join(turns_out)}",
        time=_MADE,
        origin=Origin(trace_id, _span_id(span)),
        context=_context(span),
        recorded=outputs,
        expected=Expected(facts=facts, prompt=_prompt(span)),
    )


def _task_cases(
    traces: Mapping[str, Spans],
    truth: Mapping[str, TraceTruth],
    decisions: Sequence[JudgedDecision],
) -> Iterator[Case]:
    """For each intent the first task in which every choice was right and every call went well."""
    by_trace: dict[str, list[JudgedDecision]] = {}
    for decision in decisions:
        by_trace.setdefault(decision.trace_id, []).append(decision)
    seen = set()
    for trace_id, judged in by_trace.items():
        told = truth[trace_id]
        is_good = all(d.label in _GOOD for d in judged) and set(told["statuses"]) <= {"ok"}
        if is_good and not told["noise_rows"] and told["intent"] not in seen:
            seen.add(told["intent"])
            yield _task_case(told["intent"], trace_id, traces[trace_id], judged)


def _task_case(intent: str, trace_id: str, spans: Spans, judged: list[JudgedDecision]) -> Case:
    chat = _chats(spans)[0]
    observed = _named(spans, names.SPAN_OBSERVE)
    given = tuple(_passages(chat))
    return Case(
        case_id=f"task-{intent.replace('_', '-')}",
        kind=CaseKind.END_TO_END,
        title=_asked(given),
        time=_MADE,
        origin=Origin(trace_id),
        input=given,
        context=_context(observed[0]) if observed else None,
        offered=tuple(_offered(chat)),
        recorded=tuple(_answers(spans)),
        gold=task_gold(judged),
        expected=Expected(facts=tuple(fact for span in observed for fact in _facts(span))),
    )


def _chats(spans: Spans) -> list[ReadableSpan]:
    """The answered model calls in order."""
    return [span for span in _named(spans, "chat ") if span.status.is_ok or span.status.is_unset]


def _named(spans: Spans, prefix: str) -> list[ReadableSpan]:
    found = [span for span in spans if span.name.startswith(prefix)]
    return sorted(found, key=lambda span: (span.start_time or 0, span.end_time or 0))


def _passages(chat: ReadableSpan) -> Iterator[Passage]:
    for part in _json(chat, "gen_ai.system_instructions"):
        yield Passage("system", part["content"])
    for message in _json(chat, "gen_ai.input.messages"):
        for part in message["parts"]:
            yield _passage(message["role"], part)


def _passage(role: str, part: Mapping[str, Any]) -> Passage:
    match part["type"]:
        case "tool_call":
            return Passage(role, _compact(part["arguments"]), "call", part["name"])
        case "tool_call_response":
            shown = part["response"]
            return Passage(role, shown if isinstance(shown, str) else _compact(shown), "answer")
        case _:
            return Passage(role, part["content"])


def _offered(chat: ReadableSpan) -> Iterator[Offered]:
    for tool in _json(chat, "gen_ai.tool.definitions"):
        yield Offered(tool["name"], tool["description"], tool["parameters"])


def _chosen(chat: ReadableSpan, call_index: int | None) -> Chosen:
    if call_index is None:
        return Chosen(NO_CALL)
    call = _requests(chat)[call_index]
    return Chosen(call["name"], call["arguments"])


def _requests(chat: ReadableSpan) -> list[Mapping[str, Any]]:
    parts = [part for message in _json(chat, "gen_ai.output.messages") for part in message["parts"]]
    return [part for part in parts if part["type"] == "tool_call"]


def _asked(given: Sequence[Passage]) -> str:
    words = [passage.text for passage in given if passage.role == "user"]
    return words[-1][:_TITLE_CHARS]


def _outputs(span: ReadableSpan) -> Iterator[Recorded]:
    for event in _events(span, names.EVENT_RAW_OUTPUT):
        values = event.attributes or {}
        yield Recorded(
            tool=str(values[names.TOOL]),
            body=json.loads(str(values[names.RAW])),
            version=_text(values.get(names.TOOL_VERSION)),
            received_at=_text(values.get(names.RECEIVED_AT)),
            error=_text(values.get(names.ERROR)),
            degradation=_text(values.get(names.DEGRADATION)),
        )


def _answers(spans: Spans) -> Iterator[Recorded]:
    """What each call of a task answered, in the order asked; what an observation read, as it read it."""
    read = [output for span in _named(spans, names.SPAN_OBSERVE) for output in _outputs(span)]
    asked = [part["id"] for chat in _chats(spans) for part in _requests(chat)]
    calls = {(call.attributes or {}).get(_CALL_ID): call for call in _named(spans, "execute_tool ")}
    for call in (calls[call_id] for call_id in asked if call_id in calls):
        values = call.attributes or {}
        tool = str(values["gen_ai.tool.name"])
        arguments = json.loads(str(values["gen_ai.tool.call.arguments"]))
        output = next((item for item in read if item.tool == tool), None)
        if output is None:
            body = json.loads(str(values["gen_ai.tool.call.result"]))
            yield Recorded(tool, body, arguments)
        else:
            read.remove(output)
            yield replace(output, arguments=arguments)


def _facts(span: ReadableSpan) -> Iterator[ExpectedFact]:
    for event in _events(span, names.EVENT_SNAPSHOT):
        values = event.attributes or {}
        if values[names.VARIANT] != "clean":
            continue
        for row in json.loads(str(values[names.FACTS])):
            yield ExpectedFact(
                entity=":".join(row["entity"]),
                type=row["type"],
                source=row["source"],
                kind=row["kind"],
                value=row["value"],
            )


def _prompt(span: ReadableSpan) -> ExpectedPrompt:
    shown = [event.attributes or {} for event in _events(span, names.EVENT_PROMPT)]
    (text,) = (
        str(values[names.TEXT])
        for values in shown
        if (values[names.VARIANT], values[names.TEMPLATE]) == ("clean", "concise")
    )
    return ExpectedPrompt(text)


def _context(span: ReadableSpan) -> dict[str, Any]:
    values = span.attributes or {}
    found: dict[str, Any] = json.loads(str(values[names.CONTEXT]))
    return found


def _events(span: ReadableSpan, name: str) -> list[Event]:
    return [event for event in span.events if event.name == name]


def _json(span: ReadableSpan, name: str) -> list[Any]:
    found: list[Any] = json.loads(str((span.attributes or {}).get(name, "[]")))
    return found


def _span_id(span: ReadableSpan) -> str | None:
    context = span.get_span_context()
    return None if context is None else f"{context.span_id:016x}"


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
