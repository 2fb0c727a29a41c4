"""Retry rate, retry success and futile retries."""

from typing import Any

import pytest

from metrics import Exclusion, Reason, Scope, State, futile_retries, retry_rate
from tests.metrics.conftest import ALL, SECOND, T0, Store


def test_several_attempts_are_one_retried_call(store: Store) -> None:
    store.call(1, 0, attempts=3)
    store.call(1, 1)
    found = retry_rate(store.database, ALL)
    assert (found.rate.numerator, found.rate.denominator) == (1, 2)
    assert found.success.value == 1
    assert (found.n_retries, found.n_explicit, found.n_inferred) == (2, 1, 0)


def test_a_chain_of_calls_counts_once_at_its_head(store: Store) -> None:
    store.call(1, 0, status="error")
    store.call(1, 1, status="error", root=0, retry_of=0, retry_kind="identical")
    store.call(1, 2, status="ok", root=0, retry_of=1, retry_kind="corrected")
    found = retry_rate(store.database, ALL)
    assert (found.rate.numerator, found.rate.denominator) == (1, 1)
    assert found.success.value == 1
    assert (found.n_retries, found.n_explicit, found.n_inferred) == (2, 0, 1)


def test_a_chain_that_ends_in_an_error_did_not_succeed(store: Store) -> None:
    store.call(1, 0, status="error")
    store.call(1, 1, status="error", root=0, retry_of=0, retry_kind="explicit")
    found = retry_rate(store.database, ALL)
    assert found.success.value == 0
    assert found.n_explicit == 1


def test_a_retry_with_unknown_outcome_is_no_failure(store: Store) -> None:
    store.call(1, 0, status="unknown", attempts=2)
    found = retry_rate(store.database, ALL)
    assert found.rate.value == 1
    assert found.success.value is None
    assert found.success.exclusions == (Exclusion(Reason.UNKNOWN_OUTCOME, 1),)


def test_a_blocked_repeat_is_no_retry(store: Store) -> None:
    store.call(1, 0, status="error")
    store.call(1, 1, status="blocked", root=0, retry_of=0)
    found = retry_rate(store.database, ALL)
    assert found.rate.value == 0


def test_calls_without_a_run_and_pseudo_tools_are_left_out(store: Store) -> None:
    store.call(1, 0)
    store.call(1, 1, pseudo=True, attempts=2)
    store.call(1, 2, executed=False, status="pending")
    store.call(1, 3, status="blocked")
    found = retry_rate(store.database, ALL).rate
    assert (found.numerator, found.denominator) == (0, 1)
    assert found.exclusions == (
        Exclusion(Reason.NEVER_EXECUTED, 1),
        Exclusion(Reason.BLOCKED, 1),
        Exclusion(Reason.PSEUDO_TOOL, 1),
    )


def test_a_retry_after_the_period_still_belongs_to_its_head(store: Store) -> None:
    store.call(1, 0, start=5, status="error")
    store.call(1, 1, start=15, root=0, retry_of=0)
    first, second = Scope(T0, T0 + 10 * SECOND), Scope(T0 + 10 * SECOND, T0 + 20 * SECOND)
    assert retry_rate(store.database, first).rate.value == 1
    assert retry_rate(store.database, second).rate.value is None


def test_a_later_try_that_ran_beside_the_first_may_begin_before_all_periods(store: Store) -> None:
    store.call(1, 0, start=-95, seconds=60.0, status="error")
    store.call(1, 1, start=-105, seconds=90.0, root=0, retry_of=0, retry_kind="identical")
    store.call(2, 0, start=5)
    found = retry_rate(store.database, Scope(T0, T0 + 100 * SECOND)).rate
    assert found.baseline is not None
    assert found.baseline.value == 1


def test_a_call_without_a_span_stands_at_the_start_of_its_trace(store: Store) -> None:
    store.trace(1, start=3)
    store.call(1, 0, start=None)
    store.call(2, 0, start=None)
    found = retry_rate(store.database, ALL).rate
    assert found.denominator == 1
    assert found.exclusions == (Exclusion(Reason.NO_START_TIME, 1),)


def test_no_calls_give_no_rate(store: Store) -> None:
    found = retry_rate(store.database, ALL)
    assert found.rate.value is None
    assert found.success.value is None
    assert found.rate.state is State.NO_DATA
    assert (found.n_retries, found.n_futile) == (0, 0)


@pytest.mark.parametrize(
    ("error", "retry", "n"),
    [
        ("PERMISSION", {"arguments_hash": 7}, 1),
        ("not_found", {"arguments_hash": 7}, 1),
        ("INVALID_ARGUMENT", {"arguments_hash": 8}, 0),
        ("TIMEOUT", {"arguments_hash": 7}, 0),
        ("AUTH", {"arguments_hash": None}, 0),
    ],
)
def test_the_same_arguments_after_an_unmendable_error_are_futile(
    store: Store, error: str, retry: dict[str, Any], n: int
) -> None:
    store.call(1, 0, status="error", error_type=error, arguments_hash=7)
    store.call(1, 1, root=0, retry_of=0, retry_kind="identical", **retry)
    assert futile_retries(store.database, ALL) == n


def test_an_attempt_after_an_unmendable_error_is_futile(store: Store) -> None:
    store.call(1, 0, attempts=3)
    store.attempt(1, 0, 0, status="error", error_type="PERMISSION")
    store.attempt(1, 0, 1, status="error", error_type="TIMEOUT")
    store.attempt(1, 0, 2)
    assert retry_rate(store.database, ALL).n_futile == 1


def test_a_rate_well_over_the_period_before_is_bad(store: Store) -> None:
    for number in range(100):
        store.call(number, 0, start=-500, attempts=2 if number < 10 else 1)
        store.call(number, 1, start=5, attempts=2 if number < 40 else 1)
    scope = Scope(T0, T0 + 1000 * SECOND)
    found = retry_rate(store.database, scope).rate
    assert found.state is State.BAD
    assert found.baseline is not None
    assert found.baseline.value == 0.1


def test_without_a_period_before_there_is_no_verdict(store: Store) -> None:
    store.call(1, 0, attempts=2)
    store.call(2, 0)
    assert retry_rate(store.database, ALL).rate.state is State.NO_BASELINE
