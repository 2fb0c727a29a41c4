"""Looking for words in all that spans and logs say: slice by slice, newest first, told as it goes.

No index of words is kept: a search reads the text of the chosen time, says how far it is, and can be
stopped.
"""

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import duckdb

from replay_store.database import Database
from replay_store.errors import StoreMemoryError
from replay_store.statements import statement

__all__ = ["MAX_FOUND", "SearchState", "TextSearch"]

MAX_FOUND: Final = 1_000
"""Traces after which a search stops: nobody reads more, and the words can be made narrower."""
SLICE_ROWS: Final = 50_000
_WORDS: Final = "/* words */ true"
_KINDS: Final = ("span", "log")
_COLUMNS: Final = ("text_1", "text_2")
"""What each kind of row says, as its statement names it."""


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


class _Part(NamedTuple):
    """Rows of one table between two numbers, both inclusive."""

    kind: str
    first: int
    last: int

    @property
    def n_rows(self) -> int:
        return self.last - self.first + 1

    def slices(self, n_rows: int) -> "Iterator[_Part]":
        """The same in parts of so many rows, the last rows first."""
        for top in range(self.last, self.first - 1, -n_rows):
            yield _Part(self.kind, max(self.first, top - n_rows + 1), top)


class TextSearch:
    """One search; runs in a thread of its own from `start` on.

    Args:
        database: The store.
        words: Each must be in the same span or log record; letters of any case match.
        start_time_ns: Earliest start of a span or time of a record, inclusive; None is no bound.
        end_time_ns: Latest, exclusive; None is no bound.
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
        self._sql = {
            kind: statement(f"sql/text_slice_{kind}").replace(_WORDS, condition) for kind in _KINDS
        }
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
            for part, fraction in self._parts():
                self._keep(self._read(part), fraction)
                if self._stopped.is_set() or len(self._found) >= MAX_FOUND:
                    break
        except (duckdb.Error, StoreMemoryError):
            self._stopped.set()
        with self._lock:
            self._is_done = True

    def _parts(self) -> Iterator[tuple[_Part, float]]:
        """What to read, and which share of all rows is read with it."""
        rows = self._database.rows(statement("sql/text_rows"))
        tables = [
            _Part(row["kind"], row["first_row"], row["last_row"])
            for row in rows
            if row["first_row"] is not None
        ]
        n_rows, n_read = sum(table.n_rows for table in tables), 0
        for table in tables:
            for part in table.slices(self._slice_rows):
                n_read += part.n_rows
                yield part, n_read / n_rows

    def _read(self, part: _Part) -> list[str]:
        bounds = {"first_row": part.first, "last_row": part.last}
        rows = self._database.rows(self._sql[part.kind], self._parameters | bounds)
        return [row["trace_id"] for row in rows]

    def _keep(self, trace_ids: Iterable[str], fraction: float) -> None:
        with self._lock:
            self._found |= dict.fromkeys(trace_ids)
            self._fraction = fraction


def _condition(words: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Every word in one row, each in one of the ways in which JSON spells it."""
    parts: list[str] = []
    parameters: dict[str, Any] = {}
    for number, word in enumerate(words):
        ways: list[str] = []
        for way, spelling in enumerate(_spellings(word.lower())):
            name = f"word_{number}_{way}"
            parameters[name] = spelling
            ways += [f"contains({column}, ${name})" for column in _COLUMNS]
        parts.append(f"({' or '.join(ways)})")
    return " and ".join(parts) or "true", parameters


def _spellings(word: str) -> list[str]:
    """The word as it stands in a value, and in JSON within a value, whose own JSON may be ASCII."""
    once = json.dumps(word, ensure_ascii=False)[1:-1]
    twice = json.dumps(once, ensure_ascii=False)[1:-1]
    in_ascii = json.dumps(json.dumps(word)[1:-1])[1:-1]
    return list(dict.fromkeys((once, twice, in_ascii)))
