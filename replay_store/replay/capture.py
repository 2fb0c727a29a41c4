"""Cases taken from any recorded trace: what the model was given, what it chose, what tools answered.

What is right is never guessed: it comes from labels, or from the person who makes the case.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pipeline.observation import decode_snapshot
from pipeline.replay import (
    Case,
    CaseKind,
    Expected,
    ExpectedPrompt,
    Gold,
    Origin,
)
from pipeline.replay.observing import expected_fact
from pipeline.vocabulary import SelectionLabel
from replay_store.audit_context import ItemContext, decision_contexts
from replay_store.database import Database
from replay_store.errors import StoreError
from replay_store.reader import trace_spans
from replay_store.replay.gold import gold_of_label, gold_of_task, right_call
from replay_store.replay.parts import (
    answers,
    asked,
    chosen_of,
    given,
    json_object,
    offered,
    recorded_output,
)
from replay_store.rereading import CLEAN, CUT
from replay_store.saw import (
    ObservationFilter,
    RecordedObservation,
    find_observations,
    get_observation,
)
from replay_store.statements import statement

MOST_OBSERVATIONS: Final = 200


class CaptureError(StoreError):
    """A trace that no case can be taken from."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What could be taken from a trace, and what could not."""

    cases: tuple[Case, ...]
    left_out: tuple[str, ...]
    """One sentence for each thing that no case could be made of."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases to take."""

    kinds: frozenset[CaseKind] = frozenset({CaseKind.DECISION, CaseKind.OBSERVATION})
    turn_index: int | None = None
    """Only the decisions of this turn."""
    expect: str | None = None
    """The tool (or NO_CALL) that a person says was right, in place of any label."""
    accept: bool = False
    """A person says that what was chosen was right, where no label says anything."""


def capture(database: Database, trace_id: str, wanted: Wanted, made_time: str) -> Captured:
    """Cases from one trace.

    Args:
        database: The store.
        trace_id: 32 lower hex digits.
        wanted: Which, and what a person says is right.
        made_time: When, RFC 3339 with offset.

    Raises:
        CaptureError: The store does not hold the trace, or nothing could be taken from it; says why.
    """
    if not trace_spans(database, trace_id):
        raise CaptureError(f"trace {trace_id}: not in this store; check the id")
    cases: list[Case] = []
    left_out: list[str] = []
    for found in _each(database, trace_id, wanted):
        if isinstance(found, Case):
            cases.append(replace(found, time=made_time))
        else:
            left_out.append(found)
    if not cases:
        why = "; ".join(left_out) or "it holds neither a decision nor an observation"
        raise CaptureError(f"trace {trace_id}: no case: {why}")
    return Captured(tuple(cases), tuple(left_out))


def observation_case(database: Database, trace_id: str, span_id: str) -> Case | None:
    """A case of one observation as it was recorded; None where it was not recorded whole."""
    item = get_observation(database, trace_id, span_id)
    found = None if item is None else _observation_case(item)
    return found if isinstance(found, Case) else None


def _each(database: Database, trace_id: str, wanted: Wanted) -> Iterator[Case | str]:
    decisions = _Decisions.of(database, trace_id)
    if CaseKind.DECISION in wanted.kinds:
        yield from decisions.cases(wanted)
    observed = list(_observed(database, trace_id))
    if CaseKind.OBSERVATION in wanted.kinds:
        yield from (_observation_case(item) for item in observed)
    if CaseKind.END_TO_END in wanted.kinds:
        yield _task_case(database, trace_id, decisions, observed, wanted)


@dataclass(frozen=True, slots=True)
class _Decisions:
    """The decisions of one trace, each with its context and its label."""

    trace_id: str
    rows: Sequence[Mapping[str, Any]]
    contexts: Sequence[ItemContext]
    labels: Mapping[tuple[int, int | None], tuple[SelectionLabel, str | None]]

    @classmethod
    def of(cls, database: Database, trace_id: str) -> "_Decisions":
        rows = database.rows(statement("sql/replay_decisions"), {"trace_id": trace_id})
        labels = {
            (row["turn_index"], row["call_index"]): (
                SelectionLabel(row["label"]),
                row["expected_tool"],
            )
            for row in database.rows(statement("sql/replay_labels"), {"trace_id": trace_id})
        }
        return cls(trace_id, rows, list(decision_contexts(database, rows)), labels)

    def cases(self, wanted: Wanted) -> Iterator[Case | str]:
        """A case for each decision, or why there is none."""
        for row, context in zip(self.rows, self.contexts, strict=True):
            if wanted.turn_index is None or row["turn_index"] == wanted.turn_index:
                yield self._case(row, context, wanted)

    def gold(self, row: Mapping[str, Any], context: ItemContext, wanted: Wanted) -> Gold | None:
        """What was right in one decision; None when nobody said."""
        chosen = chosen_of(row, context)
        if wanted.expect is not None:
            return gold_of_label(SelectionLabel.WRONG_TOOL, wanted.expect, chosen)
        label = self.labels.get((row["turn_index"], row["call_index"]))
        if label is not None and (gold := gold_of_label(*label, chosen)) is not None:
            return gold
        return right_call(chosen) if wanted.accept else None

    def _case(self, row: Mapping[str, Any], context: ItemContext, wanted: Wanted) -> Case | str:
        place = f"turn {row['turn_index']}"
        if not context.conversation:
            return f"{place}: the trace does not show what the model was given"
        if not context.offered:
            return f"{place}: the trace does not show which tools were on offer"
        gold = self.gold(row, context, wanted)
        if gold is None:
            return f"{place}: nobody said what is right; label it, or give --expect or --accept"
        call = "none" if row["call_index"] is None else str(row["call_index"])
        return Case(
            case_id=f"decision-{self.trace_id[:8]}-{row['turn_index']}-{call}",
            kind=CaseKind.DECISION,
            title=asked(context),
            origin=Origin(self.trace_id, None, row["turn_index"], row["call_index"]),
            input=given(context),
            offered=offered(context),
            chosen=chosen_of(row, context),
            gold=gold,
        )


def _observed(database: Database, trace_id: str) -> Iterator[RecordedObservation]:
    listed = find_observations(
        database, ObservationFilter(trace_id=trace_id), limit=MOST_OBSERVATIONS
    )
    for item in reversed(listed):
        found = get_observation(database, trace_id, item.span_id)
        if found is not None:
            yield found


def _observation_case(item: RecordedObservation) -> Case | str:
    seen = item.observation
    place = f"observation {seen.span_id}"
    recorded = tuple(map(recorded_output, item.raw))
    if not recorded or any(raw.output.body.endswith(CUT) for raw in item.raw):
        return f"{place}: its raw outputs were not recorded whole"
    snapshot = next((s for s in item.snapshots if s.variant == CLEAN), None)
    if snapshot is None:
        return f"{place}: its facts were not recorded"
    facts = tuple(expected_fact(fragment) for fragment in decode_snapshot(snapshot.facts))
    prompt = next((p for p in item.prompts if (p.variant, p.template) == (CLEAN, "concise")), None)
    return Case(
        case_id=f"observation-{seen.trace_id[:8]}-{seen.span_id}",
        kind=CaseKind.OBSERVATION,
        title=", ".join(seen.tool_names),
        origin=Origin(seen.trace_id, seen.span_id),
        context=json_object(item.context),
        recorded=recorded,
        expected=Expected(
            facts,
            None if prompt is None else ExpectedPrompt(prompt.text, "concise", prompt.language),
        ),
    )


def _task_case(
    database: Database,
    trace_id: str,
    decisions: _Decisions,
    observed: Sequence[RecordedObservation],
    wanted: Wanted,
) -> Case | str:
    if not decisions.contexts or not decisions.contexts[0].conversation:
        return "the trace does not show what the model was given first"
    first = decisions.contexts[0]
    golds = [
        decisions.gold(row, context, wanted)
        for row, context in zip(decisions.rows, decisions.contexts, strict=True)
    ]
    if any(gold is None for gold in golds):
        return "nobody said of every decision what is right; label them, or give --accept"
    turns = [row["turn_index"] for row in decisions.rows if row["call_index"] is not None]
    facts = [
        expected_fact(fragment)
        for item in observed
        for snapshot in item.snapshots
        if snapshot.variant == CLEAN
        for fragment in decode_snapshot(snapshot.facts)
    ]
    return Case(
        case_id=f"task-{trace_id[:8]}",
        kind=CaseKind.END_TO_END,
        title=asked(first),
        origin=Origin(trace_id),
        input=given(first),
        context=json_object(observed[0].context) if observed else None,
        offered=offered(first),
        recorded=tuple(answers(database, trace_id, observed)),
        gold=gold_of_task([gold for gold in golds if gold is not None], turns),
        expected=Expected(facts=tuple(facts)),
    )
