"""Guard hits, evaluations and silence."""

import pytest

from metrics import Exclusion, Note, Reason, Scope, State, guard_hits
from tests.metrics.conftest import ALL, SECOND, T0, Store

DAY = Scope(T0, T0 + 1000 * SECOND)


def test_hits_are_the_headline_and_the_rate_stands_beside_them(store: Store) -> None:
    for index, decision in enumerate(["allow", "warn", "block", "modify", "escalate"]):
        store.guard(1, index, decision=decision)
    found = guard_hits(store.database, ALL)
    assert (found.hits.value, found.hits.denominator) == (3, 5)
    assert found.rate.value == 0.6
    assert (found.hits.state, found.hits.note) == (State.OK, Note.HITS)


def test_canaries_and_missing_verdicts_are_left_out_and_counted(store: Store) -> None:
    store.guard(1, 0)
    store.guard(1, 1, decision="block", synthetic=True)
    store.guard(1, 2, decision="unknown")
    store.guard(1, 3, decision="pending")
    store.guard(1, 4, time=None)
    found = guard_hits(store.database, ALL).hits
    assert (found.value, found.n) == (0, 1)
    assert found.exclusions == (
        Exclusion(Reason.SYNTHETIC, 1),
        Exclusion(Reason.NO_VERDICT, 2),
        Exclusion(Reason.NO_START_TIME, 1),
    )


def test_no_guard_data_is_not_zero(store: Store) -> None:
    store.call(1, 0)
    found = guard_hits(store.database, ALL)
    assert (found.hits.value, found.rate.value) == (None, None)
    assert (found.hits.state, found.hits.note) == (State.NO_DATA, Note.NO_GUARD_DATA)
    assert found.rules == ()


def test_evaluated_without_a_hit_is_zero(store: Store) -> None:
    store.guard(1)
    found = guard_hits(store.database, ALL)
    assert (found.hits.value, found.rate.value) == (0, 0)
    assert (found.hits.state, found.hits.note) == (State.NO_BASELINE, Note.NO_HITS)


def test_evaluations_that_stop_while_calls_go_on_are_bad(store: Store) -> None:
    store.guard(1, time=-5, decision="block")
    store.call(1, 0, start=5)
    found = guard_hits(store.database, DAY)
    assert found.hits.value is None
    assert (found.hits.state, found.hits.note) == (State.BAD, Note.EVALUATIONS_STOPPED)


@pytest.mark.parametrize(
    ("n_now", "state", "note"),
    [(65, State.UNSURE, Note.ZERO_PLAUSIBLE), (66, State.BAD, Note.ZERO_IMPROBABLE)],
)
def test_zero_is_bad_only_when_it_is_improbable(
    store: Store, n_now: int, state: State, note: Note
) -> None:
    for number in range(100):
        store.guard(number, time=-5, decision="block" if number < 10 else "allow")
    for number in range(n_now):
        store.guard(number, 1, time=5)
    found = guard_hits(store.database, DAY)
    assert (found.hits.state, found.hits.note) == (state, note)
    assert found.rate.state is state
    assert found.hits.baseline is not None
    assert (found.hits.baseline.value, found.hits.baseline.n) == (10, 100)


def test_each_rule_has_its_own_count(store: Store) -> None:
    store.guard(1, 0, rule="danger", decision="block")
    store.guard(1, 1, rule="danger")
    store.guard(1, 2, rule=None)
    store.guard(1, 3, rule="quota", decision="block", synthetic=True)
    rules = guard_hits(store.database, ALL).rules
    assert [(r.rule, r.n_evaluations, r.n_hits, r.hit_rate) for r in rules] == [
        ("danger", 2, 1, 0.5),
        (None, 1, 0, 0.0),
    ]
    assert [(rule.state, rule.note) for rule in rules] == [
        (State.OK, Note.HITS),
        (State.NO_BASELINE, Note.NO_HITS),
    ]


def test_the_scope_filters_by_tool_and_by_the_agent_of_the_trace(store: Store) -> None:
    store.trace(1, agent_name="a")
    store.guard(1, tool="pay", decision="block")
    store.guard(2, tool="search", decision="block")
    by_tool = Scope(ALL.start_time_ns, ALL.end_time_ns, "pay")
    by_agent = Scope(ALL.start_time_ns, ALL.end_time_ns, None, "a")
    assert guard_hits(store.database, by_tool).hits.value == 1
    assert guard_hits(store.database, by_agent).hits.value == 1
