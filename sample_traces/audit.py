"""The audit: which decisions people judged, with what chance each was drawn, and the labels.

Two phases with known chances: up to two decisions of every finished run, then so many of each
tool's among those, in proportion to the square root of their number, so that rare tools are seen
and common ones still weigh. The product of both chances is the inclusion probability.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from pipeline.vocabulary import AnnotatorKind, SelectionLabel
from sample_traces.draws import stream
from sample_traces.timeline import SHANGHAI, WORLD_END, WORLD_START, epoch_ns, rfc3339
from sample_traces.truth import JudgedDecision
from sample_traces.units import NS_PER_SECOND

WEEK = timedelta(days=7)
DECISIONS_PER_TRACE = 2
N_REPLAY = 40
ABSTAIN_RATE = 0.03
ANNOTATORS = ("chen.wei", "li.na", "zhao.min")
REPLAY_BATCH = "replay-2026-11-29"


@dataclass(frozen=True, slots=True)
class AuditBatch:
    """One draw: of which days, how many, and when people sat down to it."""

    name: str
    start: datetime
    """First moment whose decisions may be drawn."""
    end: datetime
    """First moment after."""
    n: int
    judged_from: datetime


def _morning(day: int) -> datetime:
    return datetime(2026, 11, day, 9, 30, tzinfo=SHANGHAI)


BATCHES = (
    AuditBatch("audit-2026-11-22", WORLD_START, WORLD_END - WEEK, 400, _morning(22)),
    AuditBatch("audit-2026-11-29", WORLD_END - WEEK, WORLD_END, 700, _morning(29)),
)
"""More are judged of the last week, because the first draw of it looked bad."""
NOTES = {
    SelectionLabel.WRONG_TOOL: "这里应该用 {expected}",
    SelectionLabel.RIGHT_TOOL_WRONG_ARGS: "工具对，参数格式不对",
    SelectionLabel.SHOULD_NOT_HAVE_CALLED: "上一次已经查到，重复调用",
    SelectionLabel.SHOULD_HAVE_CALLED: "没有调用 {expected} 就回答了",
    SelectionLabel.CANT_TELL: "上下文不够，无法判断",
}


@dataclass(frozen=True, slots=True)
class _Drawn:
    decision: JudgedDecision
    inclusion_probability: float


def label_rows(
    decisions: Sequence[JudgedDecision], seed: int, batches: Sequence[AuditBatch] = BATCHES
) -> list[dict[str, object]]:
    """The rows of the label file: the audit batches, then the replay batch."""
    rows: list[dict[str, object]] = []
    for batch in batches:
        draws = stream(seed, "audit", batch.name)
        start_ns, end_ns = epoch_ns(batch.start), epoch_ns(batch.end)
        frame = [decision for decision in decisions if start_ns <= decision.time_ns < end_ns]
        drawn = sorted(_draw(frame, batch.n, draws), key=lambda item: item.decision.time_ns)
        rows += [_audit_row(item, number, batch, draws) for number, item in enumerate(drawn)]
    draws = stream(seed, "replay")
    replayed = draws.sample(list(decisions), min(N_REPLAY, len(decisions)))
    rows.extend(_replay_row(decision) for decision in sorted(replayed, key=lambda d: d.time_ns))
    return rows


def _draw(decisions: Sequence[JudgedDecision], n_wanted: int, draws: Random) -> Iterator[_Drawn]:
    strata: dict[str, list[_Drawn]] = defaultdict(list)
    for of_trace in _by_trace(decisions):
        n = min(DECISIONS_PER_TRACE, len(of_trace))
        for decision in draws.sample(of_trace, n):
            strata[decision.tool].append(_Drawn(decision, n / len(of_trace)))
    roots = sum(len(found) ** 0.5 for found in strata.values())
    for tool in sorted(strata):
        share = len(strata[tool]) ** 0.5 / roots
        n = min(max(1, round(n_wanted * share)), len(strata[tool]))
        chance = n / len(strata[tool])
        for item in draws.sample(strata[tool], n):
            yield _Drawn(item.decision, item.inclusion_probability * chance)


def _by_trace(decisions: Sequence[JudgedDecision]) -> list[list[JudgedDecision]]:
    found: dict[str, list[JudgedDecision]] = defaultdict(list)
    for decision in decisions:
        found[decision.trace_id].append(decision)
    return list(found.values())


def _audit_row(item: _Drawn, number: int, batch: AuditBatch, draws: Random) -> dict[str, object]:
    decision = item.decision
    label = SelectionLabel.CANT_TELL if draws.random() < ABSTAIN_RATE else decision.label
    at_ns = epoch_ns(batch.judged_from) + round(number * 30 + draws.uniform(0, 40)) * NS_PER_SECOND
    return _row(decision, label) | {
        "annotator": draws.choice(ANNOTATORS),
        "annotator_kind": AnnotatorKind.HUMAN.value,
        "source": "audit",
        "batch_id": batch.name,
        "inclusion_probability": item.inclusion_probability,
        "time": rfc3339(at_ns),
        "note": _note(label, decision, draws),
    }


def _replay_row(decision: JudgedDecision) -> dict[str, object]:
    return _row(decision, decision.label) | {
        "annotator": "replay",
        "annotator_kind": AnnotatorKind.RULE.value,
        "source": "replay",
        "batch_id": REPLAY_BATCH,
        "inclusion_probability": 1.0,
        "time": rfc3339(epoch_ns(BATCHES[-1].judged_from)),
        "note": None,
    }


def _row(decision: JudgedDecision, label: SelectionLabel) -> dict[str, object]:
    is_judged = label is not SelectionLabel.CANT_TELL
    return {
        "trace_id": decision.trace_id,
        "turn_index": decision.turn_index,
        "call_index": decision.call_index,
        "label": label.value,
        "expected_tool": decision.expected_tool if is_judged else None,
    }


def _note(label: SelectionLabel, decision: JudgedDecision, draws: Random) -> str | None:
    note = NOTES.get(label)
    if note is None or draws.random() < 0.4:
        return None
    return note.format(expected=decision.expected_tool)
