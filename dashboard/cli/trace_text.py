"""A trace told in plain text and as JSON, and what is said of one that is not there."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import orjson

from dashboard.cli.tables import plain, table
from dashboard.formats import NO_VALUE, count_text, duration_text, time_text, zone_text
from dashboard.incident_text import (
    Lang,
    act_text,
    evidence_text,
    hint_text,
    layer_of,
    layer_text,
    next_action,
    step_text,
    verdict_text,
)
from dashboard.plurals import filled
from metrics.incident import ADVICE
from replay_store.story import MAX_STEPS

if TYPE_CHECKING:
    from dashboard.telling import Told
    from metrics.incident import Hint
    from replay_store.finding import Absence, Found
    from replay_store.records import NoiseLog, Trace

__all__ = ["absence_text", "choice_text", "json_line", "told_text"]

_DETAIL_CHARS = 100


def told_text(told: "Told", zone: ZoneInfo, lang: Lang = "en") -> str:
    """The trace as a person reads it at a terminal, from what went wrong to its noise."""
    parts = [
        _head(told.trace, zone),
        _diagnosis(told, lang),
        _story(told, lang),
        _noise(told.noise),
        _alike(told),
    ]
    return "\n\n".join(part for part in parts if part)


def json_line(value: dict[str, Any]) -> str:
    """A value as JSON on one line."""
    return orjson.dumps(value, default=str).decode()


def choice_text(found: "Found", traces: "Sequence[Trace]", zone: ZoneInfo) -> str:
    """The traces that a text may mean, newest first."""
    head = f"{count_text(found.n)} traces are named by this; give more of one's id:"
    rows = [
        (trace.trace_id, time_text(trace.start_time_ns, zone), trace.status, trace.name or NO_VALUE)
        for trace in traces
    ]
    headers = ("trace", f"start, {zone.key}", "status", "name")
    more = found.n - len(rows)
    tail = [f"{count_text(more)} more."] if more > 0 else []
    return "\n".join([head, table(headers, rows), *tail])


def absence_text(text: str, absence: "Absence", zone: ZoneInfo) -> str:
    """Why a trace is not there, in a sentence that says what to do."""
    named = plain(text[:80])
    if absence.waiting_since_ns is not None:
        when = _moment(absence.waiting_since_ns, zone)
        return f"{named}: still arriving, newest record at {when}; ask again in a moment"
    if absence.removed is not None:
        when = _moment(absence.removed.removed_time_ns, zone)
        return f"{named}: removed by retention at {when}; look into a backup"
    if absence.rejects:
        reject = absence.rejects[0]
        when, sender = _moment(reject.received_time_ns, zone), reject.source or reject.path
        return (
            f"{named}: refused at {when}, {plain(sender)}, {plain(reject.place)}: "
            f"{plain(reject.detail)}"
        )
    return (
        f"{named}: no such trace, span, session, task or call was ever seen here: expected an id in "
        "any spelling, or its first six digits; `toolsight intake` lists what came in"
    )


def _moment(time_ns: int, zone: ZoneInfo) -> str:
    return f"{time_text(time_ns, zone)} {zone_text(zone)}"


def _head(trace: "Trace", zone: ZoneInfo) -> str:
    start = NO_VALUE if trace.start_time_ns is None else _moment(trace.start_time_ns, zone)
    names = (trace.name, trace.agent_name or trace.service_name, *trace.models)
    lines = [
        trace.trace_id,
        " · ".join(plain(name) for name in names if name),
        f"{trace.status} · {start} · {duration_text(trace.duration_ns)}",
    ]
    if trace.error_message:
        lines.append(plain(trace.error_message))
    ids = ((trace.session_id, "session"), (trace.task_id, "task"))
    lines.append(" · ".join(f"{word} {plain(value)}" for value, word in ids if value))
    return "\n".join(line for line in lines if line)


def _diagnosis(told: "Told", lang: Lang) -> str:
    lines = [verdict_text(told.trace, told.diagnosis, lang)]
    said: set[str] = set()
    for number, hint in enumerate(told.diagnosis.hints, start=1):
        step = "" if hint.step is None else f" (step {hint.step + 1})"
        layer = layer_text(hint.layer, lang)
        lines.append(f"  {number}. {layer}: {plain(hint_text(hint, lang))}{step}")
        lines.append(f"     {evidence_text(hint, told.diagnosis.base, lang)}")
        lines.extend(f"     {line}" for line in _advice(hint, lang) if line not in said)
        said.update(_advice(hint, lang))
    return "\n".join(lines)


def _advice(hint: "Hint", lang: Lang) -> Iterator[str]:
    advised = next_action(hint.error_type, lang)
    if advised is not None:
        yield f"next: {advised}"
    for row in ADVICE[hint.sign]:
        for word, text in (("cause", row.cause), ("check", row.check), ("cure", row.cure)):
            yield f"{word}: {text.zh if lang == 'zh' else text.en} [{row.source}]"


def _story(told: "Told", lang: Lang) -> str:
    steps = told.steps
    if not steps:
        return ""
    origin = min((step.time_ns for step in steps if step.time_ns is not None), default=None)
    rows = [
        (
            number,
            _at(step.time_ns, origin),
            act_text(step, lang),
            plain(step.subject or NO_VALUE),
            step.status,
            duration_text(step.duration_ns),
            layer_text(layer_of(step), lang),
            _cut(plain(step_text(step, lang))),
        )
        for number, step in enumerate(steps, start=1)
    ]
    headers = ("#", "at", "step", "tool or model", "status", "duration", "layer", "what")
    cut = f"\nOnly the first {count_text(MAX_STEPS)} steps." if len(steps) >= MAX_STEPS else ""
    return table(headers, rows) + cut


def _at(time_ns: int | None, origin: int | None) -> str:
    if time_ns is None or origin is None:
        return NO_VALUE
    return f"+{duration_text(time_ns - origin)}" if time_ns > origin else "0"


def _cut(text: str) -> str:
    return text if len(text) <= _DETAIL_CHARS else text[: _DETAIL_CHARS - 1] + "…"


def _noise(rows: "Sequence[NoiseLog]") -> str:
    if not rows:
        return ""
    shown = [
        (
            row.kind,
            row.entity_ref,
            row.fact_type,
            row.original_value,
            row.injected_value,
            row.reason,
        )
        for row in rows
    ]
    headers = ("noise", "about", "fact", "original", "injected", "reason")
    return table(headers, [[_cut(plain(cell or "-")) for cell in row] for row in shown])


def _alike(told: "Told") -> str:
    lines = []
    if told.similar.n > 1:
        text = "{n} traces of these weeks show the same sign; the newest others: {ids}"
        ids = " ".join(told.similar.trace_ids[:3])
        lines.append(filled(text, n=count_text(told.similar.n), ids=ids))
    if told.last_good is not None:
        lines.append(f"Last good trace of this kind of task: {told.last_good}")
    return "\n".join(lines)
