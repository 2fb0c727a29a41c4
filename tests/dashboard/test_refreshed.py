"""An answer that takes long is found once for all; meanwhile the one before is given, and says so."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.refreshed import MOST, OLD_SECONDS, QUICK_SECONDS, SHARE, Refreshed
from replay_store.errors import StoreMemoryError

SLOW = 2.0


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def taking(clock: Clock, seconds: float, value: str) -> Callable[[], str]:
    def find() -> str:
        clock.now += seconds
        return value

    return find


def settle(answers: Refreshed) -> None:
    for thread in list(answers._threads.values()):
        thread.join()


def test_an_answer_is_found_once_for_a_state_of_the_store(clock: Clock) -> None:
    answers = Refreshed(clock)

    first = answers.ask("q", 1, taking(clock, SLOW, "a"))
    again = answers.ask("q", 1, lambda: pytest.fail("asked twice"))

    assert first == again
    assert (again.value, again.version, again.is_newest) == ("a", 1, True)


def test_what_is_quickly_found_is_always_the_newest(clock: Clock) -> None:
    answers = Refreshed(clock)
    answers.ask("q", 1, taking(clock, QUICK_SECONDS, "a"))

    answer = answers.ask("q", 2, taking(clock, QUICK_SECONDS, "b"))

    assert (answer.value, answer.is_newest) == ("b", True)


def test_a_slow_answer_of_before_is_given_and_the_new_one_follows(clock: Clock) -> None:
    answers = Refreshed(clock)
    answers.ask("q", 1, taking(clock, SLOW, "a"))
    clock.now += SLOW / SHARE

    before = answers.ask("q", 2, taking(clock, SLOW, "b"))
    settle(answers)
    after = answers.ask("q", 2, lambda: pytest.fail("asked twice"))

    assert (before.value, before.version, before.is_newest) == ("a", 1, False)
    assert (after.value, after.version, after.is_newest) == ("b", 2, True)


def test_looking_takes_its_share_of_the_time_and_no_more(clock: Clock) -> None:
    answers = Refreshed(clock)
    answers.ask("q", 1, taking(clock, SLOW, "a"))
    clock.now += SLOW / SHARE - SLOW - 0.01

    answers.ask("q", 2, lambda: pytest.fail("too soon"))

    assert not answers._threads


def test_an_old_answer_is_not_given(clock: Clock) -> None:
    answers = Refreshed(clock)
    answers.ask("q", 1, taking(clock, SLOW, "a"))
    clock.now += OLD_SECONDS

    assert answers.ask("q", 2, taking(clock, SLOW, "b")).value == "b"


def test_many_who_ask_at_once_wait_for_one_search() -> None:
    answers, n_found = Refreshed(), []

    def find() -> int:
        time.sleep(0.05)
        n_found.append(1)
        return len(n_found)

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda _: answers.ask("q", 1, find).value, range(8)))

    assert given == [1] * 8


def test_a_failure_is_told_to_who_asked_and_nothing_is_kept() -> None:
    answers = Refreshed()

    with pytest.raises(ValueError, match="no figures"):
        answers.ask("q", 1, lambda: _fail())
    assert answers.ask("q", 1, lambda: "a").value == "a"


def _fail() -> str:
    raise ValueError("no figures")


def test_close_waits_for_what_goes_on(clock: Clock) -> None:
    answers, may_end = Refreshed(clock), threading.Event()
    answers.ask("q", 1, taking(clock, SLOW, "a"))
    clock.now += SLOW / SHARE
    ended = []

    def find() -> str:
        may_end.wait(10)
        clock.now += SLOW
        ended.append(True)
        return "b"

    answers.ask("q", 2, find)
    threading.Timer(0.05, may_end.set).start()
    answers.close()

    assert ended == [True]
    clock.now += SLOW / SHARE
    answers.ask("q", 3, lambda: pytest.fail("closed"))


def test_few_answers_are_kept(clock: Clock) -> None:
    answers = Refreshed(clock)
    for number in range(MOST + 5):
        answers.ask(number, 1, taking(clock, SLOW, "a"))

    assert len(answers._kept) == MOST


def test_an_answer_stays_when_the_new_one_cannot_be_found(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    def short() -> str:
        raise StoreMemoryError("memory is short")

    answers = Refreshed(clock)
    answers.ask("q", 1, taking(clock, SLOW, "a"))
    clock.now += SLOW / SHARE
    answers.ask("q", 2, short)
    settle(answers)

    answer = answers.ask("q", 2, taking(clock, SLOW, "b"))
    assert (answer.value, answer.is_newest) == ("a", False)
    assert "memory is short" in caplog.text
    settle(answers)
    assert answers.ask("q", 2, lambda: pytest.fail("asked twice")).value == "b"
