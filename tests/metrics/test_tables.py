"""The tables beside the figures: tools, error classes, model against downstream."""

import pytest

from metrics import ErrorClass, Scope, error_classes, model_or_downstream, tool_table
from tests.metrics.conftest import ALL, SECOND, T0, Store


def test_each_tool_has_its_calls_by_outcome(store: Store) -> None:
    store.call(1, 0, status="ok", attempts=2)
    store.call(1, 1, status="error", error_type="TIMEOUT")
    store.call(1, 2, status="ok", root=1, retry_of=1)
    store.call(1, 3, status="unknown")
    store.call(1, 4, status="blocked", executed=False)
    store.call(1, 5, status="pending", executed=False)
    store.call(1, 6, pseudo=True)
    store.call(2, 0, tool="pay", status="error")
    search, pay = tool_table(store.database, ALL)
    assert (search.tool_name, search.n_calls) == ("search", 4)
    assert (search.n_ok, search.n_errors, search.n_unknown) == (2, 1, 1)
    assert (search.n_blocked, search.n_never_executed) == (1, 1)
    assert search.error_rate == pytest.approx(1 / 3)
    assert (search.n_heads, search.n_retried) == (3, 2)
    assert search.retry_rate == pytest.approx(2 / 3)
    assert search.errors == (ErrorClass("search", "TIMEOUT", 1, 1),)
    assert search.p95_ms is None
    assert search.n_timed == 4
    assert (pay.tool_name, pay.error_rate) == ("pay", 1)


def test_a_tool_that_was_only_blocked_has_no_rates(store: Store) -> None:
    store.call(1, 0, status="blocked", executed=False)
    (row,) = tool_table(store.database, ALL)
    assert (row.n_calls, row.n_blocked) == (0, 1)
    assert (row.error_rate, row.retry_rate, row.p95_ms) == (None, None, None)


def test_a_tool_with_enough_calls_has_a_p95(store: Store) -> None:
    for number in range(72):
        store.call(number, 0, seconds=2)
    (row,) = tool_table(store.database, ALL)
    assert row.p95_ms == 2000


def test_errors_are_counted_by_class_and_unnamed_ones_apart(store: Store) -> None:
    store.call(1, 0, status="error", error_type="TIMEOUT")
    store.call(1, 1, status="error", error_type="TIMEOUT")
    store.call(2, 0, status="error")
    store.call(2, 1, status="blocked", error_type="BLOCKED")
    assert error_classes(store.database, ALL) == (
        ErrorClass("search", "TIMEOUT", 2, 1),
        ErrorClass("search", None, 1, 1),
    )


def test_tables_keep_to_the_scope(store: Store) -> None:
    store.call(1, 0, start=0, status="error")
    store.call(1, 1, start=10, status="error")
    scope = Scope(T0, T0 + 10 * SECOND)
    assert [row.n_calls for row in tool_table(store.database, scope)] == [1]
    assert [row.n_calls for row in error_classes(store.database, scope)] == [1]


def test_the_layer_with_more_of_the_time_is_the_slower(store: Store) -> None:
    store.model_call(1, seconds=3)
    store.call(1, 0)
    store.attempt(1, 0, seconds=1)
    found = model_or_downstream(store.database, ALL)
    assert found.slower == "model"
    assert (found.model.share, found.downstream.share) == (0.75, 0.25)
    assert (found.model.total_ms, found.downstream.total_ms) == (3000, 1000)
    assert found.model.p95_ms is None


def test_one_layer_alone_says_nothing_about_the_other(store: Store) -> None:
    store.model_call(1, seconds=3)
    found = model_or_downstream(store.database, ALL)
    assert found.slower is None
    assert (found.model.share, found.downstream.total_ms) == (None, None)


def test_equal_times_have_no_slower_layer(store: Store) -> None:
    store.model_call(1, seconds=1)
    store.call(1, 0)
    store.attempt(1, 0, seconds=1)
    assert model_or_downstream(store.database, ALL).slower is None
