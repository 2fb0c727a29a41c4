"""Selection and call accuracy from rows of decisions and labels."""

import pytest

from metrics import Exclusion, LabelSource, Note, Reason, Scope, State, selection_accuracy
from tests.metrics.conftest import ALL, SECOND, T0, Store


@pytest.mark.parametrize(
    ("label", "selection", "call"),
    [
        ("RIGHT", 1, 1),
        ("ACCEPTABLE_ALTERNATIVE", 1, 1),
        ("CORRECT_NO_CALL", 1, 1),
        ("RIGHT_TOOL_WRONG_ARGS", 1, 0),
        ("WRONG_TOOL", 0, 0),
        ("SHOULD_HAVE_CALLED", 0, 0),
        ("SHOULD_NOT_HAVE_CALLED", 0, 0),
    ],
)
def test_each_label_counts_for_selection_and_for_the_whole_call(
    store: Store, label: str, selection: int, call: int
) -> None:
    store.decision(1)
    store.label(1, label=label)
    found = selection_accuracy(store.database, ALL)
    assert (found.selection.value, found.call.value) == (selection, call)
    assert found.selection.n == 1


def test_cant_tell_is_left_out_and_counted(store: Store) -> None:
    for number, label in enumerate(["RIGHT", "CANT_TELL", "WRONG_TOOL"]):
        store.decision(number)
        store.label(number, label=label)
    found = selection_accuracy(store.database, ALL).selection
    assert (found.numerator, found.denominator, found.n) == (1, 2, 2)
    assert found.exclusions == (Exclusion(Reason.CANT_TELL, 1),)


def test_a_turn_without_a_call_is_a_decision_too(store: Store) -> None:
    store.decision(1, call=None, tool="NO_CALL")
    store.label(1, call=None, label="CORRECT_NO_CALL")
    assert selection_accuracy(store.database, ALL).selection.value == 1


def test_a_label_without_a_stored_decision_is_left_out_and_counted(store: Store) -> None:
    store.label(1)
    found = selection_accuracy(store.database, ALL).selection
    assert found.value is None
    assert found.exclusions == (Exclusion(Reason.DECISION_NOT_STORED, 1),)
    assert found.state is State.NO_DATA


def test_weights_undo_an_unequal_draw(store: Store) -> None:
    store.decision(1)
    store.label(1, label="RIGHT", probability=0.1)
    store.decision(2)
    store.label(2, label="WRONG_TOOL", probability=0.5)
    found = selection_accuracy(store.database, ALL).selection
    assert (found.numerator, found.denominator, found.n) == (10, 12, 2)
    assert found.value == pytest.approx(10 / 12)


def test_the_latest_label_of_one_annotator_wins(store: Store) -> None:
    store.decision(1)
    store.label(1, label="RIGHT", time=20)
    store.label(1, label="WRONG_TOOL", time=10)
    assert selection_accuracy(store.database, ALL).selection.value == 1


@pytest.mark.parametrize(
    ("votes", "value", "left_out"),
    [
        (["RIGHT", "RIGHT", "WRONG_TOOL"], 1, ()),
        (["RIGHT", "WRONG_TOOL", "WRONG_TOOL"], 0, ()),
        (["RIGHT", "WRONG_TOOL"], None, (Exclusion(Reason.DISAGREEMENT, 1),)),
        (["RIGHT", "ACCEPTABLE_ALTERNATIVE"], 1, ()),
        (["RIGHT", "CANT_TELL"], 1, ()),
        (["CANT_TELL", "CANT_TELL"], None, (Exclusion(Reason.CANT_TELL, 1),)),
    ],
)
def test_the_majority_of_annotators_decides_and_ties_are_left_out(
    store: Store, votes: list[str], value: int | None, left_out: tuple[Exclusion, ...]
) -> None:
    store.decision(1)
    for number, vote in enumerate(votes):
        store.label(1, label=vote, by=f"annotator {number}")
    found = selection_accuracy(store.database, ALL).selection
    assert found.value == value
    assert found.exclusions == left_out


def test_annotators_may_agree_on_the_tool_and_not_on_the_call(store: Store) -> None:
    store.decision(1)
    store.label(1, label="RIGHT", by="a")
    store.label(1, label="RIGHT_TOOL_WRONG_ARGS", by="b")
    found = selection_accuracy(store.database, ALL)
    assert found.selection.value == 1
    assert found.call.value is None
    assert found.call.exclusions == (Exclusion(Reason.DISAGREEMENT, 1),)


def test_audit_and_replay_are_never_mixed(store: Store) -> None:
    for number, source in enumerate(["audit", "replay", "replay"]):
        store.decision(number)
        store.label(number, source=source, label="RIGHT" if source == "audit" else "WRONG_TOOL")
    audit = selection_accuracy(store.database, ALL, LabelSource.AUDIT).selection
    replay = selection_accuracy(store.database, ALL, LabelSource.REPLAY).selection
    assert (audit.value, audit.n) == (1, 1)
    assert (replay.value, replay.n) == (0, 2)


@pytest.mark.parametrize(
    ("source", "kind", "is_counted"),
    [
        ("audit", "HUMAN", True),
        ("audit", "RULE", False),
        ("audit", "LLM", False),
        ("replay", "RULE", True),
        ("replay", "LLM", False),
    ],
)
def test_a_model_never_judges_and_a_rule_only_in_replay(
    store: Store, source: str, kind: str, is_counted: bool
) -> None:
    store.decision(1)
    store.label(1, source=source, kind=kind)
    found = selection_accuracy(store.database, ALL, LabelSource(source)).selection
    assert (found.n == 1) is is_counted
    assert (found.exclusions == (Exclusion(Reason.NOT_HUMAN, 1),)) is not is_counted


def test_the_scope_is_half_open_and_filters_by_tool_and_agent(store: Store) -> None:
    store.decision(1, time=0, tool="a", agent_name="x")
    store.decision(2, time=10, tool="b", agent_name="y")
    store.label(1)
    store.label(2)
    end = T0 + 10 * SECOND
    assert selection_accuracy(store.database, Scope(T0, end)).selection.n == 1
    assert selection_accuracy(store.database, Scope(T0, end + 1)).selection.n == 2
    assert selection_accuracy(store.database, Scope(T0, end + 1, "b")).selection.n == 1
    assert selection_accuracy(store.database, Scope(T0, end + 1, None, "z")).selection.n == 0


def test_a_decision_without_a_time_stands_at_the_start_of_its_trace(store: Store) -> None:
    store.trace(1, start=5)
    store.decision(1, time=None)
    store.label(1)
    store.decision(2, time=None)
    store.label(2)
    found = selection_accuracy(store.database, ALL).selection
    assert found.n == 1
    assert found.exclusions == (Exclusion(Reason.NO_START_TIME, 1),)


@pytest.mark.parametrize(
    ("n_right", "n", "state", "note"),
    [
        (190, 200, State.OK, Note.MEETS),
        (140, 200, State.BAD, Note.BELOW),
        (42, 50, State.UNSURE, Note.NOT_ENOUGH_EVIDENCE),
    ],
)
def test_85_percent_is_tested_not_compared(
    store: Store, n_right: int, n: int, state: State, note: Note
) -> None:
    for number in range(n):
        store.decision(number)
        store.label(number, label="RIGHT" if number < n_right else "WRONG_TOOL")
    found = selection_accuracy(store.database, ALL)
    assert (found.selection.state, found.selection.note) == (state, note)
    assert (found.selection.n_more is not None) is (state is State.UNSURE)
    assert found.call.state is State.NOT_JUDGED


def test_the_period_before_is_the_baseline(store: Store) -> None:
    store.decision(1, time=-5)
    store.label(1, label="WRONG_TOOL")
    store.decision(2, time=5)
    store.label(2)
    found = selection_accuracy(store.database, Scope(T0, T0 + 10 * SECOND)).selection
    assert found.value == 1
    assert found.baseline is not None
    assert (found.baseline.value, found.baseline.n) == (0, 1)
