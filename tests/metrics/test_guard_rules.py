"""A rule that dies is named, whatever the others do."""

import pytest

from metrics import DAY_NS, HOUR_NS, GuardRule, Note, Scope, State, guard_hits
from tests.metrics.conftest import Store

DAY = 86_400
START = 1_700_006_400 * 10**9  # midnight
WEEK = Scope(START, START + 7 * DAY_NS)


def at(day: float) -> float:
    """Seconds after T0 of a time so many days after the start of the week."""
    return 6400 + day * DAY


def evaluate(
    store: Store, day: int, n: int, n_hits: int, *, rule: str = "danger", tool: str = "pay"
) -> None:
    """Evaluations of one day, each in a trace of its own, after a call that runs."""
    for index in range(n):
        number = 1 + index + 1000 * (day + 20)
        decision = "block" if index < n_hits else "allow"
        store.guard(number, len(rule), time=at(day + 0.1), decision=decision, rule=rule, tool=tool)


def pay(store: Store, day: int, n: int, tool: str = "pay") -> None:
    for index in range(n):
        store.call(900_000 + 100 * (day + 20) + index, 0, start=at(day + 0.1), tool=tool)


def rules_of(store: Store) -> dict[str, GuardRule]:
    return {rule.name: rule for rule in guard_hits(store.database, WEEK).rules}


def test_one_silent_rule_makes_the_whole_bad_and_is_named(store: Store) -> None:
    for day in range(-7, 7):
        evaluate(store, day, 20, 4 if day < 0 else 0)
        evaluate(store, day, 20, 5, rule="quota")
    found = guard_hits(store.database, WEEK)
    assert (found.hits.state, found.hits.note) == (State.BAD, Note.RULE_SILENT)
    assert found.hits.subjects == ("danger",)
    assert found.hits.value == 35
    (silent,) = found.silent
    assert (silent.note, silent.n_silent) == (Note.ZERO_IMPROBABLE, 140)
    assert (silent.n_hits_until, silent.n_evaluations_until) == (28, 140)
    assert silent.silent_since_ns == START + 2 * HOUR_NS


def test_a_rule_that_dies_within_the_week_is_found_and_dated(store: Store) -> None:
    for day in range(-7, 7):
        evaluate(store, day, 20, 6 if day < 4 else 0)
    (rule,) = guard_hits(store.database, WEEK).silent
    assert (rule.n_hits, rule.n_silent) == (24, 60)
    assert rule.silent_since_ns == START + 4 * DAY_NS + 2 * HOUR_NS


@pytest.mark.parametrize(
    ("n_calls", "state", "note"),
    [
        (20, State.BAD, Note.EVALUATIONS_STOPPED),
        (0, State.OK, Note.HITS),
    ],
)
def test_a_rule_that_is_evaluated_no_more_is_bad_only_while_its_tool_is_called(
    store: Store, n_calls: int, state: State, note: Note
) -> None:
    for day in range(-7, 5):
        evaluate(store, day, 20, 5)
        pay(store, day, 20)
    pay(store, 6, n_calls)
    pay(store, 6, 50, tool="search")
    evaluate(store, 6, 20, 5, rule="quota", tool="search")
    rule = rules_of(store)["danger"]
    assert (rule.state, rule.note) == (state, note)


def test_a_rule_evaluated_on_few_calls_may_miss_some_by_chance(store: Store) -> None:
    for day in range(-7, 6):
        evaluate(store, day, 2, 1)
        pay(store, day, 20)
    pay(store, 6, 20)
    assert rules_of(store)["danger"].state is State.OK


def test_hits_that_come_in_bursts_may_stay_out_for_days(store: Store) -> None:
    for day in range(-7, 7):
        evaluate(store, day, 30, 20 if day in {-6, -1} else 0)
    rule = rules_of(store)["danger"]
    assert (rule.state, rule.note) == (State.UNSURE, Note.ZERO_PLAUSIBLE)
    assert rule.silence_probability is not None
    assert rule.silence_probability < 0.001


def test_all_evaluations_stopped_is_another_word_than_one_rule_stopped(store: Store) -> None:
    evaluate(store, -1, 20, 5)
    pay(store, -1, 20)
    pay(store, 1, 20)
    found = guard_hits(store.database, WEEK)
    assert (found.hits.state, found.hits.note) == (State.BAD, Note.EVALUATIONS_STOPPED)
    assert found.hits.subjects == ("danger",)
