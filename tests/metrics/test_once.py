"""One report asks each question once."""

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from metrics import report
from metrics.errors import MetricError
from metrics.once import Once
from metrics.statements import Row
from tests.metrics.conftest import ALL, Store


class Counting:
    """A store that counts, and may refuse."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[str] = []
        self.error = error
        self._lock = threading.Lock()

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        with self._lock:
            self.asked.append(sql)
        if self.error is not None:
            raise self.error
        return [{"sql": sql, **(parameters or {})}]


def test_equal_questions_share_one_answer() -> None:
    counting = Counting()
    once = Once(counting)
    assert once.rows("a", {"x": 1}) is once.rows("a", {"x": 1})
    assert once.rows("a", {"x": 2}) == [{"sql": "a", "x": 2}]
    assert once.rows("b") == [{"sql": "b"}]
    assert counting.asked == ["a", "a", "b"]


def test_threads_that_ask_at_once_share_too() -> None:
    counting = Counting()
    once = Once(counting)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: once.rows("a"), range(50)))
    assert counting.asked == ["a"]
    assert all(rows == [{"sql": "a"}] for rows in found)


def test_an_error_reaches_everyone_who_asks_and_is_not_remembered() -> None:
    counting = Counting(MetricError("no"))
    once = Once(counting)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(once.rows, "a") for _ in range(20)]
        assert all(isinstance(one.exception(), MetricError) for one in asked)
    counting.error = None
    n_refused = len(counting.asked)
    assert once.rows("a") == once.rows("a") == [{"sql": "a"}]
    assert len(counting.asked) == n_refused + 1


def test_a_report_asks_no_question_twice(store: Store) -> None:
    class Recorder(Counting):
        def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
            super().rows(sql + repr(sorted((parameters or {}).items(), key=str)))
            return database.rows(sql, parameters)

    store.call(1, 0)
    database, recorder = store.database, Recorder()
    report(recorder, ALL)
    assert len(recorder.asked) == len(set(recorder.asked))
