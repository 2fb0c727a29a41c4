"""When the writer derives again."""

import pytest

from replay_store.derive_turns import DeriveTurns


def _after(turns: DeriveTurns, began: float, taken: float, *, is_backlog: bool = False) -> float:
    """How long after its end the next derive waits."""
    turns.begin(began)
    turns.end(began + taken, is_backlog=is_backlog)
    return turns.wait(began + taken, is_more_coming=True)


def test_the_first_begins_at_once_and_so_does_the_next_after_a_rest() -> None:
    turns = DeriveTurns(0.5, 1 / 4)
    assert turns.wait(100, is_more_coming=True) == 0
    assert _after(turns, 100, 0.1) > 0
    assert turns.wait(200, is_more_coming=True) == 0


def test_from_start_to_start_passes_the_least_time() -> None:
    assert _after(DeriveTurns(0.5, 1 / 4), 100, 0.125) == 0.375


def test_deriving_takes_no_more_than_its_share() -> None:
    assert _after(DeriveTurns(0.5, 1 / 4), 0, 1) == 3


def test_one_that_took_unusually_long_does_not_make_the_next_late() -> None:
    turns = DeriveTurns(0.5, 1 / 4)
    _after(turns, 0, 0.125)
    assert _after(turns, 10, 8) == 0, "a checkpoint fell into its commit"
    assert _after(turns, 20, 8) == 24, "the machine is slow"


def test_within_a_backlog_there_is_only_the_share_of_others_to_wait_for() -> None:
    assert _after(DeriveTurns(0.5, 1 / 4), 0, 0.0625, is_backlog=True) == 0.1875


@pytest.mark.parametrize(
    ("rate", "seconds"), [(100, 0.5), (1_000, 0.5), (2_000, 1.0), (3_000, 1.5), (50_000, 2.0)]
)
def test_the_more_comes_the_less_often_it_is_derived(rate: int, seconds: float) -> None:
    turns = DeriveTurns(0.5, 1 / 4)
    turns.begin(0)
    turns.end(0.01, is_backlog=False)
    now = 0.0
    while turns.wait(now, is_more_coming=True) > 0:
        turns.came(rate // 100)
        now += 0.01

    assert now == pytest.approx(seconds, abs=0.02)


def test_when_no_more_comes_there_is_nothing_to_wait_for() -> None:
    turns = DeriveTurns(0.5, 1 / 4)
    turns.begin(0)
    turns.end(0.01, is_backlog=False)
    turns.came(8_000)

    assert turns.wait(0.5, is_more_coming=True) == 1.5
    assert turns.wait(0.5, is_more_coming=False) == 0
    turns.begin(0.5)
    assert turns.wait(1.0, is_more_coming=True) == 0, "all that came was derived"
