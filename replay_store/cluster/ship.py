"""Sends what a store holds to a cluster, beside the writer: in order, and again until it is there.

What waits is written down in the transaction that makes it so, and forgotten only after the cluster has
it. Each try reads what waits as it is then and gives it a version that was never given out before, so
that a try that was cut off, or whose answer was lost, counts once or not at all.
"""

import logging
import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

import duckdb

from replay_store.cluster.client import Client
from replay_store.cluster.contract import local_table, shipped_table
from replay_store.cluster.schema import store_columns
from replay_store.cluster.ship_batch import Batch, Store, read_blocks, read_units
from replay_store.cluster.ship_schema import make_ready, missing
from replay_store.cluster.ship_state import (
    claim_version,
    register,
    start_over,
    tell_problem,
    told_shipped,
)
from replay_store.cluster.spool import Spool
from replay_store.database import Database
from replay_store.errors import StoreError

__all__ = ["Pace", "Shipper"]

_LOG: Final = logging.getLogger(__name__)
_PATIENCE_SECONDS: Final = 1.0
"""How long a server that is told to stop waits for a batch under way; it is sent again later."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often, and how much at a time."""

    every_seconds: float = 5.0
    """Between looks for what waits: a trace that goes on is shipped no more often than that."""
    units: int = 2_000
    """Rows of the outbox a batch."""
    share: float = 0.05
    """Of the time, at most, that goes into looking for blocks that changed."""
    first_pause_seconds: float = 1.0
    """After the first failure; each further one doubles it."""
    longest_pause_seconds: float = 60.0


class Shipper:
    """One thread that ships; one for each store.

    Args:
        database: The store.
        client: The cluster.
        pace: How often, and how much at a time.
        jitter: A number in [0, 1), drawn anew each time.
    """

    def __init__(
        self,
        database: Database,
        client: Client,
        *,
        pace: Pace | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._client = client
        self._pace = pace or Pace()
        self._jitter = jitter
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="shipper", daemon=True)
        self._store: Store | None = None
        self._next_look = float("-inf")
        self._n_failures = 0
        self._is_told = False

    def start(self) -> None:
        """Begin to ship."""
        register(self._database, self._client.url.place)
        self._thread.start()

    def close(self) -> None:
        """Ship no more. What is under way may be cut off: it is sent again. A second call is fine."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_SECONDS)
        self._client.close()

    def ship_all(self) -> None:
        """Ship until nothing waits, in the caller's thread.

        Raises:
            ClusterError: The cluster refused or did not answer.
        """
        store = self._ready()
        while self._ship_units(store):
            pass
        self._ship_blocks(store)
        self._worked(store)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                pause = self._step()
            except (StoreError, duckdb.Error, OSError) as error:
                if self._stopped.is_set():
                    return
                pause = self._failed(error)
            self._stopped.wait(pause)

    def _step(self) -> float:
        """Ship some; how long to wait before the next."""
        store = self._ready()
        is_more = self._ship_units(store)
        now = time.monotonic()
        if now >= self._next_look:
            self._ship_blocks(store)
            taken = time.monotonic() - now
            self._next_look = now + max(self._pace.every_seconds, taken / self._pace.share)
        self._worked(store)
        return 0.0 if is_more else self._pace.every_seconds

    def _ready(self) -> Store:
        """The store to read; where the cluster lacks tables, they are made and all is shipped anew."""
        if self._store is None:
            place = self._client.url.place
            state = register(self._database, place)
            if missing(self._client, self._database):
                # First: a crash between the two ships once more what is there.
                start_over(self._database, place)
            make_ready(self._client, self._database)
            columns = store_columns(self._database)
            self._store = Store(self._database, columns, state.receiver)
        return self._store

    def _ship_units(self, store: Store) -> bool:
        """Ship what has waited longest; whether there was anything."""
        if not self._database.rows("select 1 from ship_outbox limit 1"):
            return False
        with self._spool() as spool:
            claim = partial(claim_version, self._database, store.receiver)
            return self._sent(store, read_units(store, spool, claim, self._pace.units))

    def _ship_blocks(self, store: Store) -> bool:
        with self._spool() as spool:
            claim = partial(claim_version, self._database, store.receiver)
            blocks = read_blocks(store, spool, claim)
            if blocks is not None:
                with self._database.transaction() as cursor:
                    blocks.doubt(cursor)
            return self._sent(store, blocks)

    def _sent(self, store: Store, batch: Batch | None) -> bool:
        if batch is None:
            return False
        for table, lines in batch.spool.chunks():
            self._client.insert(self._relation(table), lines)
        with self._database.transaction() as cursor:
            batch.forget(cursor)
            told_shipped(cursor, store.receiver)
        return True

    def _relation(self, table: str) -> str:
        return shipped_table(table) if self._client.url.cluster else local_table(table)

    def _spool(self) -> Spool:
        path = self._database.path
        return Spool(path.parent if path else None)

    def _worked(self, store: Store) -> None:
        if self._n_failures:
            _LOG.warning("ship: %s answers again", self._client.url.place)
        self._n_failures = 0
        if not self._is_told:
            tell_problem(self._database, store.receiver, None)
            self._is_told = True

    def _failed(self, error: Exception) -> float:
        """Note what went wrong; how long to wait before the next try."""
        pace = self._pace
        self._store = None
        if not self._n_failures:
            _LOG.warning("ship: %s; it is tried again", error)
        with suppress(StoreError, duckdb.Error):  # the disk may be what is full
            state = register(self._database, self._client.url.place)
            tell_problem(self._database, state.receiver, str(error))
        self._is_told = False
        longest = pace.first_pause_seconds * 2.0 ** min(self._n_failures, 30)
        self._n_failures += 1
        return min(longest, pace.longest_pause_seconds) * (0.5 + self._jitter() / 2)
