"""One fault put into a clean recorded trace, at a layer that is known: what attribution is tried on.

Spans are those of the sample world, as OTLP's JSON. Some kinds are held out: no sign was written for
them, and the honest answer to them is that nothing can be said.
"""

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from metrics import Layer

Span = dict[str, Any]
_ERROR: Final = 2


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault."""

    name: str
    layer: Layer
    inject: Callable[[list[Span]], Span | None]
    """Changes the spans; gives the one that is at fault, None where the trace has no place for it."""
    is_held_out: bool = False
    """Whether no sign was written for it."""


def attributes_of(span: Span) -> dict[str, Any]:
    """The attributes by name, each as its one value."""
    held = span.get("attributes", ())
    return {item["key"]: next(iter(item["value"].values())) for item in held if item["value"]}


def put(span: Span, name: str, value: object) -> None:
    """Set one attribute of a span or event."""
    kind = "intValue" if isinstance(value, int) else "stringValue"
    kept = [item for item in span.get("attributes", ()) if item["key"] != name]
    span["attributes"] = [*kept, {"key": name, "value": {kind: str(value)}}]


def with_new_ids(spans: Sequence[Span], number: int) -> list[Span]:
    """A copy of a trace under an id of its own."""
    found = copy.deepcopy(list(spans))
    for span in found:
        span["traceId"] = f"{number:032x}"
    return found


def _last(spans: Sequence[Span], begin: str) -> Span | None:
    """The latest span of that kind."""
    named = [span for span in spans if span["name"].startswith(begin)]
    return max(named, key=lambda span: int(span["startTimeUnixNano"]), default=None)


def _failed(spans: list[Span], error_class: str) -> Span | None:
    call = _last(spans, "execute_tool")
    if call is not None:
        call["status"] = {"code": _ERROR, "message": error_class}
        put(call, "toolsight.error.class", error_class)
        put(call, "gen_ai.tool.call.result", "it failed")
    return call


def _timeout(spans: list[Span]) -> Span | None:
    return _failed(spans, "TIMEOUT")


def _dropped_argument(spans: list[Span]) -> Span | None:
    call = _failed(spans, "INVALID_ARGUMENT")
    if call is not None:
        put(call, "gen_ai.tool.call.arguments", "{}")
    return call


def _renamed(spans: list[Span], wanted: str) -> Span | None:
    """Another tool in the place of the last call, in the request and in its execution.

    At fault is the turn that asks for it.
    """
    call = _last(spans, "execute_tool")
    if call is None:
        return None
    told = attributes_of(call)
    name, call_id = told["gen_ai.tool.name"], told["gen_ai.tool.call.id"]
    call["name"] = f"execute_tool {wanted}"
    put(call, "gen_ai.tool.name", wanted)
    asking = None
    for span in spans:
        for key in ("gen_ai.output.messages", "gen_ai.input.messages"):
            if key in (known := attributes_of(span)) and call_id in known[key]:
                put(span, key, known[key].replace(f'"name":"{name}"', f'"name":"{wanted}"'))
                asking = span if key == "gen_ai.output.messages" else asking
    return asking


def _not_offered(spans: list[Span]) -> Span | None:
    return _renamed(spans, "lookup_everything")


def _other_offered(spans: list[Span]) -> Span | None:
    chat, call = _last(spans, "chat"), _last(spans, "execute_tool")
    if chat is None or call is None:
        return None
    offered = json.loads(attributes_of(chat).get("gen_ai.tool.definitions", "[]"))
    chosen = attributes_of(call)["gen_ai.tool.name"]
    others = sorted(tool["name"] for tool in offered if tool["name"] != chosen)
    return _renamed(spans, others[0]) if others else None


def _repeated(spans: list[Span]) -> Span | None:
    """The last call once more, with the same answer, before the model answers."""
    call = _last(spans, "execute_tool")
    if call is None:
        return None
    again = copy.deepcopy(call)
    again["spanId"] = f"{int(call['spanId'], 16) ^ 0xFFFF:016x}"
    for name in ("startTimeUnixNano", "endTimeUnixNano"):
        again[name] = str(int(call[name]) + 1_000_000 + int(call["endTimeUnixNano"]) % 1000)
    put(again, "gen_ai.tool.call.id", f"{attributes_of(call)['gen_ai.tool.call.id']}again")
    put(again, "toolsight.idempotency_key", "another")
    put(again, "toolsight.step.index", int(attributes_of(call)["toolsight.step.index"]) + 1)
    spans.append(again)
    return again


def _of_kind(spans: list[Span], kind: str, counter: str) -> Span | None:
    """The first fact of the last observation becomes one of another kind."""
    seen = _last(spans, "observe")
    facts = None if seen is None else _event(seen, "toolsight.snapshot")
    if seen is None or facts is None:
        return None
    rows = json.loads(attributes_of(facts)["toolsight.observation.facts"])
    if not rows:
        return None
    rows[0] |= {"kind": kind, "value": None, "value_type": "none", "raw": '"in_review"'}
    put(facts, "toolsight.observation.facts", json.dumps(rows))
    put(seen, counter, 1)
    return seen


def _new_value(spans: list[Span]) -> Span | None:
    return _of_kind(spans, "UNKNOWN", "toolsight.observation.n_unknown")


def _unparsed(spans: list[Span]) -> Span | None:
    return _of_kind(spans, "UNPARSED", "toolsight.observation.n_unparsed")


def _render_cut(spans: list[Span]) -> Span | None:
    seen = _last(spans, "observe")
    prompt = None if seen is None else _event(seen, "toolsight.prompt")
    if seen is None or prompt is None:
        return None
    text = attributes_of(prompt)["toolsight.observation.text"]
    put(prompt, "toolsight.observation.text", text[: len(text) // 2])
    return seen


def _cut_answer(spans: list[Span]) -> Span | None:
    chat = _last(spans, "chat")
    if chat is not None:
        put(chat, "gen_ai.response.finish_reasons", '["length"]')
    return chat


def _model_error(spans: list[Span]) -> Span | None:
    chat = _last(spans, "chat")
    if chat is not None:
        chat["status"] = {"code": _ERROR, "message": "overloaded"}
        put(chat, "error.type", "overloaded")
    return chat


def _changed_number(spans: list[Span]) -> Span | None:
    chat = _last(spans, "chat")
    text = "" if chat is None else attributes_of(chat)["gen_ai.output.messages"]
    changed = text.translate(str.maketrans("123456789", "234567891"))
    if chat is None or changed == text:
        return None
    put(chat, "gen_ai.output.messages", changed)
    return chat


def _event(span: Span, name: str) -> Span | None:
    return next((item for item in span.get("events", ()) if item["name"] == name), None)


FAULTS: Final = (
    Fault("a tool that is not on offer", Layer.PLANNING, _not_offered),
    Fault("the same call again", Layer.PLANNING, _repeated),
    Fault("another tool on offer", Layer.PLANNING, _other_offered, is_held_out=True),
    Fault("timeout", Layer.EXECUTION, _timeout),
    Fault("argument dropped", Layer.EXECUTION, _dropped_argument),
    Fault("new value of an enum", Layer.OBSERVATION, _new_value),
    Fault("parser fails on a field", Layer.OBSERVATION, _unparsed),
    Fault("prompt cut", Layer.OBSERVATION, _render_cut, is_held_out=True),
    Fault("answer cut off", Layer.MODEL, _cut_answer),
    Fault("model call fails", Layer.MODEL, _model_error),
    Fault("number in the answer changed", Layer.MODEL, _changed_number, is_held_out=True),
)


def injected(
    traces: Sequence[Sequence[Span]], fault: Fault, most: int, first_number: int
) -> Iterator[tuple[list[Span], str]]:
    """Up to so many copies with the fault, each with the id of the span at fault."""
    n = 0
    for spans in traces:
        found = with_new_ids(spans, first_number + n)
        at_fault = fault.inject(found)
        if at_fault is not None:
            yield found, at_fault["spanId"]
            n += 1
        if n == most:
            return
