"""Looking for words in everything that spans say: slice by slice, newest first, told as it goes.

No index of words is kept: a search reads the text of the chosen time, says how far it is, and can be
stopped.
"""

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from replay_store.database import Database
from replay_store.statements import statement

__all__ = ["MAX_FOUND", "SearchState", "TextSearch"]

MAX_FOUND: Final = 1_000
"""Traces after which a search stops: nobody reads more, and the words can be made narrower."""
SLICE_ROWS: Final = 50_000
_WORDS: Final = "/* words */ true"


@dataclass(frozen=True, slots=True)
class SearchState:
    """How far a search is."""

    fraction: float
    """Read so far, in [0, 1]."""
    trace_ids: tuple[str, ...]
    """Found so far, those of newer rows first."""
    is_done: bool
    is_stopped: bool
    """A person stopped it, or the store was closed; what was found stays."""
    is_full: bool
    """It stopped at `MAX_FOUND`."""


class TextSearch:
    """One search; runs in a thread of its own from `start` on.

    Args:
        database: The store.
        words: Each must be in the same span; letters of any case match.
        start_time_ns: Earliest start of a span, inclusive; None is no bound.
        end_time_ns: Latest start, exclusive; None is no bound.
        slice_rows: Rows that are read between two looks at `stop`.
    """

    def __init__(
        self,
        database: Database,
        words: Sequence[str],
        *,
        start_time_ns: int | None = None,
        end_time_ns: int | None = None,
        slice_rows: int = SLICE_ROWS,
    ) -> None:
        self._database = database
        condition, parameters = _condition(words)
        self._sql = statement("sql/text_slice").replace(_WORDS, condition)
        self._parameters = parameters | {"start_time_ns": start_time_ns, "end_time_ns": end_time_ns}
        self._slice_rows = slice_rows
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._found: dict[str, None] = {}
        self._fraction = 0.0
        self._is_done = False

    @property
    def state(self) -> SearchState:
        """How far it is now; from any thread."""
        with self._lock:
            found = tuple(self._found)[:MAX_FOUND]
            return SearchState(
                fraction=self._fraction,
                trace_ids=found,
                is_done=self._is_done,
                is_stopped=self._stopped.is_set(),
                is_full=len(self._found) >= MAX_FOUND,
            )

    def start(self) -> None:
        """Begin, in a thread that ends with the process."""
        threading.Thread(target=self.run, name="text search", daemon=True).start()

    def stop(self) -> None:
        """End it after the slice that is being read."""
        self._stopped.set()

    def run(self) -> None:
        """Read everything here, until the end, a stop, or `MAX_FOUND` traces."""
        try:
            for first, last, fraction in self._slices():
                self._keep(self._read(first, last), fraction)
                if self._stopped.is_set() or len(self._found) >= MAX_FOUND:
                    break
        except duckdb.Error:
            self._stopped.set()
        with self._lock:
            self._is_done = True

    def _slices(self) -> Iterable[tuple[int, int, float]]:
        bounds = self._database.row(statement("sql/text_rows"))
        if bounds is None or bounds["first_row"] is None:
            return
        first, last = int(bounds["first_row"]), int(bounds["last_row"])
        n_rows = last - first + 1
        for top in range(last, first - 1, -self._slice_rows):
            bottom = max(first, top - self._slice_rows + 1)
            yield bottom, top, (last - bottom + 1) / n_rows

    def _read(self, first: int, last: int) -> list[str]:
        bounds = {"first_row": first, "last_row": last}
        return [
            row["trace_id"] for row in self._database.rows(self._sql, self._parameters | bounds)
        ]

    def _keep(self, trace_ids: Iterable[str], fraction: float) -> None:
        with self._lock:
            self._found |= dict.fromkeys(trace_ids)
            self._fraction = fraction


def _condition(words: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Every word in one span, each in one of the ways in which JSON spells it."""
    parts: list[str] = []
    parameters: dict[str, Any] = {}
    for number, word in enumerate(words):
        ways: list[str] = []
        for way, spelling in enumerate(_spellings(word.lower())):
            name = f"word_{number}_{way}"
            parameters[name] = spelling
            ways += [f"contains({column}, ${name})" for column in ("attributes", "events")]
        parts.append(f"({' or '.join(ways)})")
    return " and ".join(parts) or "true", parameters


def _spellings(word: str) -> list[str]:
    """The word as it stands in a value, and in JSON within a value, whose own JSON may be ASCII."""
    once = json.dumps(word, ensure_ascii=False)[1:-1]
    twice = json.dumps(once, ensure_ascii=False)[1:-1]
    in_ascii = json.dumps(json.dumps(word)[1:-1])[1:-1]
    return list(dict.fromkeys((once, twice, in_ascii)))
