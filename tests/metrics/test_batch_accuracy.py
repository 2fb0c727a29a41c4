"""One audit draw: its own weights, everything that was said of its decisions, and agreement."""

from typing import Any
from uuid import UUID

import pytest

from metrics import Band, Exclusion, Reason, State, Unmet, batch_accuracy, powered_accuracy
from metrics import agreement as agreement_of
from tests.metrics.conftest import Store

BATCH = UUID(int=7)
OTHER = UUID(int=8)


def label(store: Store, number: int, *, batch: UUID | None = BATCH, **values: Any) -> None:
    """A label given for the draw."""
    store.label(number, batch=batch, **values)


def test_what_was_judged_elsewhere_does_not_choose_what_counts(store: Store) -> None:
    for number in range(3):
        store.decision(number)
        store.drawn(BATCH, number)
    label(store, 0, label="WRONG_TOOL", by="early", batch=OTHER)
    label(store, 1, label="RIGHT", by="Lin")
    label(store, 1, label="RIGHT", by="early", batch=None)
    found = batch_accuracy(store.database, BATCH).selection

    assert (found.value, found.n) == (1, 1)
    assert found.exclusions == (Exclusion(Reason.NOT_LABELLED, 2),)


def test_a_draw_counts_with_its_own_chances_whoever_was_drawn_elsewhere(store: Store) -> None:
    for number, probability in ((1, 0.1), (2, 0.5)):
        store.decision(number)
        store.drawn(BATCH, number, probability=probability)
    store.decision(3)
    store.drawn(OTHER, 3)
    label(store, 1, label="RIGHT", probability=1.0)
    label(store, 2, label="WRONG_TOOL")
    label(store, 3, label="WRONG_TOOL")
    found = batch_accuracy(store.database, BATCH)

    assert (found.selection.numerator, found.selection.denominator) == (10, 12)
    assert (found.n_items, found.selection.n) == (2, 2)


def test_what_is_left_out_is_counted_and_nothing_gets_lost(store: Store) -> None:
    labels = {1: ["RIGHT"], 2: ["CANT_TELL"], 3: ["RIGHT", "WRONG_TOOL"], 4: []}
    for number, given in labels.items():
        store.decision(number)
        store.drawn(BATCH, number)
        for by, said in enumerate(given):
            label(store, number, label=said, by=str(by))
    store.decision(5)
    store.drawn(BATCH, 5)
    label(store, 5, kind="LLM")
    found = batch_accuracy(store.database, BATCH).selection

    assert set(found.exclusions) == {
        Exclusion(Reason.NOT_LABELLED, 2),
        Exclusion(Reason.CANT_TELL, 1),
        Exclusion(Reason.DISAGREEMENT, 1),
    }
    assert found.n + sum(item.n for item in found.exclusions) == 5


def test_an_unlabelled_or_unknown_draw_has_no_figure(store: Store) -> None:
    store.decision(1)
    store.drawn(BATCH, 1)

    assert batch_accuracy(store.database, BATCH).selection.state is State.NO_DATA
    assert batch_accuracy(store.database, OTHER).n_items == 0


def test_parts_are_the_tool_and_each_version_of_it(store: Store) -> None:
    rows = (
        ("a", "1", "RIGHT"),
        ("a", "2", "WRONG_TOOL"),
        ("a", None, "RIGHT"),
        ("b", "1", "RIGHT"),
    )
    for number, (tool, version, said) in enumerate(rows):
        store.decision(number, tool=tool, contract_version=version)
        store.drawn(BATCH, number)
        label(store, number, label=said)
    parts = batch_accuracy(store.database, BATCH).parts

    assert [(p.tool_name, p.contract_version, p.metric.n, p.metric.value) for p in parts] == [
        ("a", None, 3, pytest.approx(2 / 3)),
        ("a", "1", 1, 1),
        ("a", "2", 1, 0),
        ("b", None, 1, 1),
        ("b", "1", 1, 1),
    ]


def test_an_adjudication_settles_a_tie_and_outvotes_a_majority(store: Store) -> None:
    for number, labels in ((1, ["RIGHT", "WRONG_TOOL"]), (2, ["RIGHT", "RIGHT", "WRONG_TOOL"])):
        store.decision(number)
        store.drawn(BATCH, number)
        for by, said in enumerate(labels):
            label(store, number, label=said, by=str(by))
    before = batch_accuracy(store.database, BATCH).selection
    label(store, 1, label="RIGHT", by="lead", source="adjudication")
    label(store, 2, label="WRONG_TOOL", by="0", source="adjudication")
    after = batch_accuracy(store.database, BATCH).selection

    assert (before.n, before.numerator) == (1, 1)
    assert (after.n, after.numerator) == (2, 1)
    assert after.exclusions == ()


def test_agreement_is_of_what_raters_said_before_anybody_adjudicated(store: Store) -> None:
    for number, labels in ((1, ["RIGHT", "WRONG_TOOL"]), (2, ["RIGHT", "RIGHT"]), (3, ["RIGHT"])):
        store.decision(number)
        store.drawn(BATCH, number)
        for by, said in zip("ab", labels, strict=False):
            label(store, number, label=said, by=by)
    label(store, 1, label="RIGHT", by="a", source="adjudication")
    label(store, 3, label="WRONG_TOOL", by="m", kind="LLM")
    label(store, 2, label="CANT_TELL", by="c")
    found = agreement_of(store.database, BATCH)

    assert (found.selection.n_units, found.selection.raw) == (2, 0.5)
    (pair,) = found.pairs
    assert (pair.one, pair.other, pair.n, pair.raw) == ("a", "b", 2, 0.5)
    assert found.selection.band is Band.TOO_FEW


@pytest.mark.parametrize(
    ("n_differ", "band"),
    [(0, Band.RELIABLE), (8, Band.TENTATIVE), (30, Band.UNRELIABLE)],
)
def test_bands_are_krippendorffs(store: Store, n_differ: int, band: Band) -> None:
    for number in range(60):
        store.decision(number)
        store.drawn(BATCH, number)
        one, other = ("RIGHT", "WRONG_TOOL") if number % 2 else ("WRONG_TOOL", "RIGHT")
        label(store, number, label=one, by="a")
        label(store, number, label=other if number < n_differ else one, by="b")

    assert agreement_of(store.database, BATCH).selection.band is band


def test_everybody_always_saying_right_puts_nothing_to_the_test(store: Store) -> None:
    for number in range(60):
        store.decision(number)
        store.drawn(BATCH, number)
        for by in "ab":
            label(store, number, by=by)

    assert agreement_of(store.database, BATCH).selection.band is Band.NO_VARIETY


def judged_by_a_model(store: Store, *, n: int, n_wrong: int, n_missed: int, n_more: int) -> None:
    """N decisions that people judged, of which a model misses some wrong ones, and more of its own."""
    store.draw(BATCH)
    for number in range(n + n_more):
        store.decision(number)
        is_wrong = number < n_wrong
        overlooked = number < n_missed
        label(
            store,
            number,
            label="WRONG_TOOL" if is_wrong and not overlooked else "RIGHT",
            by="judge-1",
            kind="LLM",
        )
        if number < n:
            store.drawn(BATCH, number)
            label(store, number, label="WRONG_TOOL" if is_wrong else "RIGHT", by="Lin")


def test_a_judge_that_agrees_narrows_the_interval_beside_that_of_people(store: Store) -> None:
    judged_by_a_model(store, n=120, n_wrong=24, n_missed=2, n_more=300)
    rule, model = powered_accuracy(store.database, BATCH)
    people = batch_accuracy(store.database, BATCH).selection

    assert (model.judge, model.kind, model.unmet) == ("judge-1", "LLM", ())
    assert model.powered is not None
    assert people.interval is not None
    width = people.interval.high - people.interval.low
    assert model.powered.interval.high - model.powered.interval.low < width
    assert people.value == pytest.approx(0.8)
    assert (rule.judge, rule.powered) == ("", None)
    assert Unmet.DISAGREES in rule.unmet


@pytest.mark.parametrize(
    ("sizes", "unmet"),
    [
        ({"n": 99, "n_wrong": 24, "n_missed": 0, "n_more": 9}, Unmet.TOO_FEW),
        ({"n": 120, "n_wrong": 9, "n_missed": 0, "n_more": 9}, Unmet.TOO_FEW_ERRORS),
        ({"n": 120, "n_wrong": 24, "n_missed": 12, "n_more": 9}, Unmet.DISAGREES),
    ],
)
def test_a_judge_adds_nothing_while_a_condition_is_unmet(
    store: Store, sizes: dict[str, int], unmet: Unmet
) -> None:
    judged_by_a_model(store, **sizes)
    model = powered_accuracy(store.database, BATCH)[-1]

    assert (model.unmet, model.powered) == ((unmet,), None)


def test_a_judge_that_saw_a_picked_pile_adds_nothing(store: Store) -> None:
    judged_by_a_model(store, n=120, n_wrong=24, n_missed=0, n_more=9)
    store.decision(900)
    model = powered_accuracy(store.database, BATCH)[-1]

    assert model.unmet == (Unmet.NOT_WHOLE_FRAME,)


def test_the_rule_judges_what_went_wrong_afterwards(store: Store) -> None:
    store.draw(BATCH)
    for number in range(200):
        is_wrong = number % 5 == 0
        store.decision(number)
        store.call(number, 0, turn_index=0, status="error" if is_wrong else "ok", tool="search")
        if number < 150:
            store.drawn(BATCH, number, probability=0.75)
            label(store, number, label="WRONG_TOOL" if is_wrong else "RIGHT")
    (rule,) = powered_accuracy(store.database, BATCH)

    assert (rule.n, rule.alpha, rule.unmet) == (150, 1.0, ())
    assert rule.powered is not None
    assert rule.powered.value == pytest.approx(0.8)
    assert rule.powered.correlation == pytest.approx(1.0)


def test_without_judgements_of_people_there_is_nothing_to_power(store: Store) -> None:
    store.draw(BATCH)
    store.decision(1)
    store.drawn(BATCH, 1)

    assert powered_accuracy(store.database, BATCH) == ()


def test_who_judged_a_decision_in_another_draw_is_no_rater_of_this_one(store: Store) -> None:
    store.decision(1)
    store.drawn(BATCH, 1)
    label(store, 1, by="a")
    label(store, 1, label="WRONG_TOOL", by="b", batch=OTHER)

    assert agreement_of(store.database, BATCH).selection.n_units == 0
