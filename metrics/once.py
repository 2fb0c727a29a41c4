"""A store that answers each question once: equal questions share the answer."""

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from metrics.statements import Row, Store

_Key = tuple[str, frozenset[tuple[str, Any]]]


class Once:
    """Remembers every answer. Safe for threads; a second asker waits for the first one's answer.

    A failure is told to those who wait for it and is not remembered. For one report, or several of one
    state of the store: it does not see what is written meanwhile.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._answers: dict[_Key, Future[list[Row]]] = {}

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """The answer as dictionaries, shared: not to be changed."""
        key = (sql, frozenset((parameters or {}).items()))
        with self._lock:
            known = self._answers.get(key)
            answer = self._answers.setdefault(key, Future())
        if known is None:
            try:
                answer.set_result(self._store.rows(sql, parameters))
            except BaseException as error:
                with self._lock:
                    del self._answers[key]
                answer.set_exception(error)
                raise
        return answer.result()
