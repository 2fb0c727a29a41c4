"""The period that holds data, and the ranges offered."""

import pytest

from metrics import DAY_NS, HOUR_NS, DataRange, Scope, UnknownRangeError, data_range, default_scope
from tests.metrics.conftest import SECOND, T0, Store


def test_an_empty_store_has_no_range(store: Store) -> None:
    assert data_range(store.database) is None


def test_untimed_rows_have_no_range(store: Store) -> None:
    store.trace(1, start=None)
    assert data_range(store.database) is None


def test_the_range_spans_everything_that_metrics_count(store: Store) -> None:
    store.trace(1, start=5)
    store.call(1, 0, start=6)
    store.attempt(1, 0, start=7)
    store.decision(1, time=2)
    store.guard(1, time=9)
    assert data_range(store.database) == DataRange(T0 + 2 * SECOND, T0 + 9 * SECOND)


HOUR_END = T0 + HOUR_NS - T0 % HOUR_NS


@pytest.mark.parametrize(("key", "days"), [("24h", 1), ("7d", 7), ("30d", 30)])
def test_a_range_ends_with_the_hour_of_the_newest_data(key: str, days: int) -> None:
    scope = default_scope(key, DataRange(T0, T0 + 5), "tool", "agent")
    assert scope.end_time_ns == HOUR_END
    assert scope.end_time_ns - scope.start_time_ns == days * DAY_NS
    assert (scope.tool_name, scope.agent_name) == ("tool", "agent")


def test_newest_data_on_an_hour_lie_inside() -> None:
    newest = HOUR_END
    assert default_scope("24h", DataRange(T0, newest)).end_time_ns == newest + HOUR_NS


def test_all_begins_with_the_hour_of_the_oldest_data() -> None:
    first = HOUR_END - 3 * HOUR_NS
    scope = default_scope("all", DataRange(first + 5, HOUR_END - 1))
    assert scope == Scope(first, HOUR_END)


def test_without_data_the_scope_is_empty() -> None:
    assert default_scope("7d", None) == Scope(0, 0)


def test_an_unknown_range_names_those_offered() -> None:
    with pytest.raises(UnknownRangeError, match="24h, 7d, 30d, all"):
        default_scope("1y", None)
