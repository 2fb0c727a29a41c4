"""What a well-formed case must also be: complete for its kind, and at one with itself."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from pipeline.contracts.validation import is_pattern
from pipeline.replay.case import Case, CaseKind, Gold

_CASE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
_TRACE_ID: Final = re.compile(r"[0-9a-f]{32}")
_SPAN_ID: Final = re.compile(r"[0-9a-f]{16}")
_NEEDS: Final[Mapping[CaseKind, Sequence[str]]] = {
    CaseKind.DECISION: ("input", "offered", "gold"),
    CaseKind.OBSERVATION: ("recorded", "expected"),
    CaseKind.ADAPTER: ("recorded", "expected"),
    CaseKind.END_TO_END: ("input", "offered", "gold"),
}


def case_problems(case: Case) -> Iterator[str]:
    """One sentence for each thing that is wrong: field, problem, next step; none when all is well."""
    if not _CASE_ID.fullmatch(case.case_id):
        yield (
            f"case_id: {case.case_id[:60]!r}: expected letters, digits and ._- "
            "(at most 120); rename it"
        )
    for name in _NEEDS[case.kind]:
        if not getattr(case, name):
            yield f"{name}: missing: a case of kind {case.kind} needs it; add it"
    yield from _time_problems(case)
    yield from _origin_problems(case)
    if case.gold is not None:
        yield from _gold_problems(case.gold)


def _time_problems(case: Case) -> Iterator[str]:
    if case.time is not None and not _has_offset(case.time):
        yield f"time: {case.time[:60]!r}: expected an offset; write 2026-01-01T00:00:00Z"
    for at, item in enumerate(case.recorded):
        if item.received_at is not None and _moment(item.received_at) is None:
            shown = item.received_at[:60]
            yield f"recorded[{at}].received_at: {shown!r}: no time; write 2026-01-01T00:00:00Z"


def _has_offset(text: str) -> bool:
    moment = _moment(text)
    return moment is not None and moment.tzinfo is not None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _origin_problems(case: Case) -> Iterator[str]:
    origin = case.origin
    if origin is None:
        return
    if not _TRACE_ID.fullmatch(origin.trace_id):
        yield f"origin.trace_id: {origin.trace_id[:60]!r}: expected 32 lower hex digits; correct it"
    if origin.span_id is not None and not _SPAN_ID.fullmatch(origin.span_id):
        yield f"origin.span_id: {origin.span_id[:60]!r}: expected 16 lower hex digits; correct it"
    for name in ("turn_index", "call_index"):
        index = getattr(origin, name)
        if index is not None and not 0 <= index < 2**31:
            yield f"origin.{name}: {index}: expected 0 or more; correct it"


def _gold_problems(gold: Gold) -> Iterator[str]:
    if gold.need == "CALL" and not gold.best:
        yield "gold.best: missing: a call is needed, so name the tool; add it"
    if gold.need == "NO_CALL" and (gold.best or gold.acceptable):
        yield "gold.need: 'NO_CALL': tools are named as right; write CALL, or take them out"
    if both := sorted(set(gold.forbidden) & {*gold.best, *gold.acceptable}):
        yield f"gold.forbidden: {', '.join(both)}: also named as right; take it out of one"
    for tool, rules in gold.arguments.items():
        for parameter, rule in rules.items():
            if rule.pattern is not None and not is_pattern(rule.pattern):
                place = f"gold.arguments.{tool}.{parameter}.pattern"
                yield f"{place}: {rule.pattern[:60]!r}: no regular expression; correct it"
