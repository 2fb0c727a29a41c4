"""What is due between commits: deriving what came, sealing what rests, folding the counts of minutes."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import duckdb

from replay_store.database import Database
from replay_store.derive import QUIET_NS, derive_some, seal
from replay_store.derive_turns import DeriveTurns
from replay_store.errors import StoreMemoryError
from replay_store.free_space import is_full
from replay_store.statements import statement

__all__ = ["Pace", "Upkeep"]

_LOG: Final = logging.getLogger(__name__)
_NS_PER_MINUTE: Final = 60_000_000_000
_LATE_MINUTES: Final = 60
"""How long after its minute a row may still come and be folded."""
_DERIVE_TRACES: Final = 2_000
"""Traces derived at a time: bounds how long the next commit waits. Fewer while memory is short."""
_PAUSE_SECONDS: Final = 0.1
"""When nothing came for so long, no more is expected."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How commits and derives are timed."""

    gather_seconds: float = 0.02
    """How long a group waits for more, counted from its first delivery."""
    gather_most_seconds: float = 0.2
    """How long it waits where more is known to come: a commit costs nearly as much for one delivery
    as for ten."""
    group_records: int = 8192
    """Records that close a group at once."""
    derive_seconds: float = 0.5
    """From the start of one derive to the start of the next, at least; the first after a rest starts
    at once. Half of the second within which all can be asked for; deriving has the other half. More
    where more comes than 1,000 records a second (see `DeriveTurns`)."""
    derive_share: float = 1 / 2
    """The part of the time that deriving may take: a slow machine derives less often. At a third of it a
    span was to be had 0.8 to 0.9 s after its acknowledgement at 1,000 a second, at half 0.5 to 0.6 s."""
    seal_seconds: float = 60.0
    """Often, so that each time moves little: commits wait meanwhile."""


class Upkeep:
    """Derives and seals when it is time; used by the writer's thread alone.

    A full disk or short memory only makes it late.

    Args:
        database: The store.
        pace: How derives and seals are timed.
        clock_ns: Now, since the epoch.
    """

    def __init__(self, database: Database, pace: Pace, clock_ns: Callable[[], int]) -> None:
        self._database = database
        self._seal_every = pace.seal_seconds
        self._clock_ns = clock_ns
        self._is_behind = True
        """Whether something may have to be derived: at first, what a crash left."""
        self._turns = DeriveTurns(pace.derive_seconds, pace.derive_share)
        self._n_traces = _DERIVE_TRACES
        self._last_seal = float("-inf")
        self._folded_minute = 0

    def fall_behind(self, n_records: int) -> None:
        """So many records came that have to be derived."""
        self._is_behind = True
        self._turns.came(n_records)

    def idle_seconds(self) -> float:
        """How long to wait for more before `run` is asked; 0 when it has something to do now."""
        now = time.monotonic()
        if self._is_behind:
            soon = max(self._turns.wait(now, is_more_coming=False), _PAUSE_SECONDS)
            return min(soon, self._turns.wait(now, is_more_coming=True))
        return min(max(self._last_seal + self._seal_every - now, 0.0), self._seal_every)

    def run(self, *, is_more_coming: bool) -> None:
        """Do what is due.

        Args:
            is_more_coming: Whether there is more to commit now or soon.
        """
        now = time.monotonic()
        try:
            if self._is_behind and not self._turns.wait(now, is_more_coming=is_more_coming):
                self._derive(now)
            if now - self._last_seal >= self._seal_every:
                self._last_seal = now
                seal(self._database, quiet_before_ns=self._clock_ns() - QUIET_NS)
                self._fold()
        except StoreMemoryError as error:
            _LOG.warning("derive waits: %s", error)
        except duckdb.Error as error:
            if not is_full(error):
                raise
            _LOG.warning("derive waits: the disk is full")

    def _derive(self, now: float) -> None:
        self._turns.begin(now)
        n_asked, n_derived = self._n_traces, 0
        try:
            n_derived = derive_some(self._database, n_asked)
            self._n_traces = min(2 * n_asked, _DERIVE_TRACES)
            self._is_behind = n_derived >= n_asked
        except StoreMemoryError:
            self._n_traces = max(n_asked // 2, 1)
            raise
        finally:
            is_backlog = not 0 < n_derived < n_asked
            self._turns.end(time.monotonic(), is_backlog=is_backlog)

    def _fold(self) -> None:
        newest = self._clock_ns() // _NS_PER_MINUTE - 2
        bounds = {"oldest": self._folded_minute - _LATE_MINUTES, "newest": newest}
        with self._database.transaction() as cursor:
            cursor.execute(statement("sql/intake_fold"), bounds)
            cursor.execute(statement("sql/intake_refold"))
        self._folded_minute = newest
