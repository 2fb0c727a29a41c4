"""Parted draws, several raters, what is passed over, and who settles a dispute."""

import dataclasses
from collections import Counter
from itertools import count

import pytest

from pipeline.vocabulary import SelectionLabel
from replay_store import Database
from replay_store.audit import get_batch, items, strata_of
from replay_store.audit_adjudication import adjudication_progress, contested
from replay_store.audit_allocation import Allocation, Stratum
from replay_store.audit_frame import FRAME_STATEMENT
from replay_store.audit_labels import (
    ADJUDICATION_SOURCE,
    LabelDraft,
    batch_labels,
    judged_decisions,
    record_labels,
)
from replay_store.audit_progress import (
    SkipDraft,
    SkipReason,
    progress,
    record_skips,
    skip_counts,
)
from replay_store.errors import AuditError
from replay_store.records import AuditBatch, Decision
from replay_store.statements import statement
from tests.replay_store.test_audit import HOUR, T0, decision, draw, picked, store, world

RIGHT, WRONG = SelectionLabel.RIGHT, SelectionLabel.WRONG_TOOL


def versioned(trace: int, tool: str, version: str | None) -> Decision:
    return dataclasses.replace(decision(trace, 0, tool), contract_version=version)


def shop() -> list[Decision]:
    """80 of one tool in two versions, 16 of another, 4 that name no version."""
    rows = [versioned(at, "query", "1" if at < 40 else "2") for at in range(80)]
    rows += [versioned(80 + at, "refund", "1") for at in range(16)]
    return rows + [versioned(96 + at, "refund", None) for at in range(4)]


def label(database: Database, batch: AuditBatch, who: str, *labels: SelectionLabel) -> None:
    drafts = [LabelDraft(at, said) for at, said in enumerate(labels)]
    record_labels(database, batch.batch_id, drafts, who, lambda: T0)


@pytest.mark.parametrize(
    ("allocation", "expected"),
    [(Allocation.PROPORTIONAL, [20, 20, 2, 8]), (Allocation.EQUAL, [15, 15, 4, 15])],
)
def test_each_part_is_drawn_from_with_its_own_chance(
    database: Database, allocation: Allocation, expected: list[int]
) -> None:
    store(database, shop())
    strata = (Stratum.VERSION, Stratum.TOOL)
    batch = draw(database, n=50, strata=strata, allocation=allocation)
    parts = strata_of(database, batch.batch_id)
    drawn = items(database, batch.batch_id)

    assert [(part.tool_name, part.contract_version, part.n_frame) for part in parts] == [
        ("query", "1", 40),
        ("query", "2", 40),
        ("refund", "", 4),
        ("refund", "1", 16),
    ]
    assert [part.n_drawn for part in parts] == pytest.approx(expected, abs=2)
    assert sum(part.n_drawn for part in parts) == len(drawn) == 50
    for part in parts:
        chances = {item.inclusion_probability for item in drawn if item.stratum == part.stratum}
        assert chances == {part.n_drawn / part.n_frame}
    # The weights of what is drawn add up to the frame.
    assert sum(1 / item.inclusion_probability for item in drawn) == pytest.approx(100)


def test_neyman_draws_where_earlier_labels_differ(database: Database) -> None:
    store(database, shop())
    first = draw(database, n=100, per_trace=None)
    tools = {row.trace_id: row.tool_name for row in shop()}
    drafts = [
        LabelDraft(item.position, WRONG if item.trace_id[-1] in "02468ace" else RIGHT)
        if tools[item.trace_id] == "refund"
        else LabelDraft(item.position, RIGHT)
        for item in items(database, first.batch_id)
    ]
    record_labels(database, first.batch_id, drafts, "Lin", lambda: T0)
    by_rule = {
        allocation: strata_of(
            database,
            draw(database, n=20, strata=[Stratum.TOOL], allocation=allocation).batch_id,
        )
        for allocation in (Allocation.PROPORTIONAL, Allocation.NEYMAN)
    }

    in_proportion, by_spread = ([part.n_drawn for part in parts] for parts in by_rule.values())
    assert in_proportion == [16, 4]
    assert by_spread[1] > 8


def test_a_suspicious_decision_is_one_whose_trace_hints_that_it_went_wrong(
    database: Database,
) -> None:
    rows = [decision(at, 0) for at in range(10)]
    rows[3] = dataclasses.replace(rows[3], is_offered=False)
    store(database, rows)
    with database.transaction() as cursor:
        for trace, status, valid, retry_of in (
            (4, "error", None, None),
            (5, "ok", False, None),
            (6, "ok", True, 0),
            (7, "ok", True, None),
        ):
            cursor.execute(
                "insert into tool_call_open by name select $trace::uuid as trace_id, 0 as call_index,"
                " 0 as turn_index, 'query_order' as tool_name, false as is_pseudo,"
                " true as is_executed, $status as status, 1 as n_attempts, 0 as retry_root,"
                " $valid::boolean as is_arguments_valid, $retry_of::integer as retry_of",
                {
                    "trace": f"{trace:032x}",
                    "status": status,
                    "valid": valid,
                    "retry_of": retry_of,
                },
            )
    batch = draw(database, n=10, strata=[Stratum.SUSPICION])
    clean, suspicious = strata_of(database, batch.batch_id)

    assert (clean.is_suspicious, clean.n_frame) == (False, 6)
    assert (suspicious.is_suspicious, suspicious.n_frame) == (True, 4)


def test_how_a_draw_was_made_is_kept_with_it(database: Database) -> None:
    store(database, shop())
    batch = draw(
        database, n=30, per_trace=2, strata=[Stratum.TOOL], allocation=Allocation.EQUAL, n_double=7
    )
    kept = get_batch(database, batch.batch_id)

    assert (kept.n, kept.per_trace, kept.strata, kept.allocation, kept.n_double) == (
        30,
        2,
        ["tool"],
        "equal",
        7,
    )
    assert kept.frame_query == statement(FRAME_STATEMENT)
    assert Counter(item.n_raters for item in items(database, batch.batch_id)) == {2: 7, 1: 23}


def test_a_draw_smaller_than_its_parts_says_how_many_there_are(database: Database) -> None:
    store(database, shop())
    with pytest.raises(AuditError, match="has 4 strata"):
        draw(database, n=3, strata=[Stratum.TOOL, Stratum.VERSION])


def test_over_many_seeds_a_parted_draw_takes_each_as_often_as_it_says(database: Database) -> None:
    # Traces of unequal size whose decisions lie in two parts.
    rows = [decision(at, turn, "ab"[turn % 2]) for at in range(4) for turn in range(at + 1)]
    store(database, rows)
    seen: Counter[tuple[str, int, int | None]] = Counter()
    chance: dict[tuple[str, int, int | None], float] = {}
    n_seeds = 100
    for seed in range(n_seeds):
        batch = draw(database, n=4, seed=seed, strata=[Stratum.TOOL], allocation=Allocation.EQUAL)
        for key, item in zip(picked(database, batch), items(database, batch.batch_id), strict=True):
            seen[key] += 1
            chance[key] = item.inclusion_probability

    assert len(chance) == len(rows)
    for key, p in chance.items():
        assert abs(seen[key] - n_seeds * p) < 5 * (n_seeds * p * (1 - p)) ** 0.5, key


# --- several raters -----------------------------------------------------------------------------


def test_what_one_has_judged_another_need_not_unless_it_is_for_two(database: Database) -> None:
    store(database, world([1] * 6))
    batch = draw(database, n=6, n_double=2)
    twice = {item.position for item in items(database, batch.batch_id) if item.n_raters == 2}
    label(database, batch, "Lin", *[RIGHT] * 6)
    found = progress(database, batch.batch_id, "Mei")

    assert found.settled == set(range(6)) - twice
    assert {at for at in range(6) if found.is_open(at)} == twice
    assert found.n_by_others == 4
    assert progress(database, batch.batch_id, "Lin").settled == set()


def test_who_cannot_tell_leaves_it_to_others(database: Database) -> None:
    store(database, world([1]))
    batch = draw(database, n=1)
    label(database, batch, "Lin", SelectionLabel.CANT_TELL)

    assert progress(database, batch.batch_id, "Mei").is_open(0)
    assert not progress(database, batch.batch_id, "Lin").is_open(0)


def test_a_queue_may_start_anywhere_and_goes_round(database: Database) -> None:
    store(database, world([1] * 5))
    batch = draw(database, n=5)
    label(database, batch, "Lin", *[RIGHT] * 2)
    found = progress(database, batch.batch_id, "Lin")

    assert [found.first_open(start) for start in (0, 3, 4, 5)] == [2, 3, 4, 2]


# --- passed over ---------------------------------------------------------------------------------


def test_what_is_passed_over_waits_for_others_and_a_label_takes_its_place(
    database: Database,
) -> None:
    store(database, world([1] * 3))
    batch = draw(database, n=3)
    drafts = [SkipDraft(0, SkipReason.NEEDS_EXPERT), SkipDraft(1, SkipReason.INVOLVED)]
    ticks = count(T0)
    first = record_skips(database, batch.batch_id, drafts, "Lin", ticks.__next__)
    again = record_skips(database, batch.batch_id, drafts, " Lin ", ticks.__next__)
    other = [SkipDraft(1, SkipReason.TOO_LONG)]
    changed = record_skips(database, batch.batch_id, other, "Lin", ticks.__next__)
    found = progress(database, batch.batch_id, "Lin")

    assert (first, again, changed) == (2, 0, 1)
    assert found.skipped == {0: SkipReason.NEEDS_EXPERT, 1: SkipReason.TOO_LONG}
    assert found.first_open() == 2
    assert progress(database, batch.batch_id, "Mei").first_open() == 0
    assert skip_counts(database, batch.batch_id) == {
        SkipReason.NEEDS_EXPERT: 1,
        SkipReason.TOO_LONG: 1,
    }

    label(database, batch, "Lin", RIGHT)
    assert progress(database, batch.batch_id, "Lin").skipped == {1: SkipReason.TOO_LONG}
    assert skip_counts(database, batch.batch_id) == {SkipReason.TOO_LONG: 1}


@pytest.mark.parametrize(("position", "who"), [(3, "Lin"), (-1, "Lin"), (0, " ")])
def test_an_item_that_is_not_there_or_nobody_is_not_passed_over(
    database: Database, position: int, who: str
) -> None:
    store(database, world([1] * 3))
    batch = draw(database, n=3)
    drafts = [SkipDraft(0, SkipReason.INVOLVED), SkipDraft(position, SkipReason.INVOLVED)]
    with pytest.raises(AuditError):
        record_skips(database, batch.batch_id, drafts, who, lambda: T0)

    assert skip_counts(database, batch.batch_id) == {}


# --- disputes ------------------------------------------------------------------------------------


def test_what_changes_a_figure_is_a_dispute(database: Database) -> None:
    store(database, world([1] * 5))
    batch = draw(database, n=5, n_double=5)
    fine, args, cant = (
        SelectionLabel.ACCEPTABLE_ALTERNATIVE,
        SelectionLabel.RIGHT_TOOL_WRONG_ARGS,
        SelectionLabel.CANT_TELL,
    )
    label(database, batch, "Lin", RIGHT, RIGHT, RIGHT, WRONG, RIGHT)
    label(database, batch, "Mei", fine, WRONG, args, cant)
    disputed = contested(database, batch.batch_id)

    assert sorted(disputed) == [1, 2]
    assert [said.annotator for said in disputed[1]] == ["Lin", "Mei"]


def test_a_dispute_is_settled_once_and_by_anybody(database: Database) -> None:
    store(database, world([1] * 3))
    batch = draw(database, n=3, n_double=3)
    label(database, batch, "Lin", RIGHT, RIGHT, RIGHT)
    label(database, batch, "Mei", WRONG, RIGHT, WRONG)
    disputed = contested(database, batch.batch_id)
    before = adjudication_progress(database, batch.batch_id, "Lin", disputed)
    record_labels(
        database,
        batch.batch_id,
        [LabelDraft(0, WRONG, "b")],
        "Lin",
        lambda: T0,
        source=ADJUDICATION_SOURCE,
    )
    own = adjudication_progress(database, batch.batch_id, "Lin", disputed)
    others = adjudication_progress(database, batch.batch_id, "Mei", disputed)

    assert [at for at in range(3) if before.is_open(at)] == [0, 2]
    assert (own.labels[0].label, own.first_open()) == (WRONG, 2)
    assert [at for at in range(3) if others.is_open(at)] == [2]
    # Lin's own label stands beside what settles it.
    assert [said.label for said in batch_labels(database, batch.batch_id, "Lin")] == [RIGHT] * 3
    vote = database.row("select * from vote where turn_index = 0 and n_judges = 1")
    assert vote is not None
    assert (vote["n_votes"], vote["n_selection_ok"]) == (1, 0)
    exported = judged_decisions(database, start_time_ns=T0, end_time_ns=T0 + HOUR)
    assert Counter(item.label.source for item in exported) == {"audit": 6, "adjudication": 1}
