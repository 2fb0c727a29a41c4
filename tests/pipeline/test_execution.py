"""Keys, waits and budgets of tool calls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.execution import backoff_seconds, idempotency_key, may_retry


def test_one_step_has_one_key_and_another_step_another() -> None:
    assert idempotency_key("task-1", 0) == idempotency_key("task-1", 0)
    assert len(idempotency_key("task-1", 0)) == 32
    assert idempotency_key("task-1", 0) != idempotency_key("task-1", 1)


@given(st.integers(1, 3), st.floats(0.5, 1.5))
def test_the_wait_doubles_and_jitters_by_half(retry: int, jitter: float) -> None:
    plain = 0.5 * 2 ** (retry - 1)
    assert plain * 0.5 <= backoff_seconds(retry, jitter) <= plain * 1.5


@pytest.mark.parametrize(
    ("retry", "wait", "elapsed", "is_idempotent", "expected"),
    [
        (1, 0.5, 1.0, True, True),
        (1, 0.5, 1.0, False, False),
        (4, 0.5, 1.0, True, False),
        (2, 1.0, 7.5, True, False),
        (3, 0.8, 7.0, True, True),
    ],
)
def test_the_budget_wins_over_the_count(
    retry: int, wait: float, elapsed: float, is_idempotent: bool, expected: bool
) -> None:
    assert may_retry(retry, wait, elapsed, is_idempotent=is_idempotent) is expected
