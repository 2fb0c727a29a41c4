"""One thread that commits what many senders deliver: in groups, with derive between commits.

A delivery is whole: all of it is in one transaction, with the row that counts it. Its future is
resolved after the commit has returned, so an acknowledgement given then survives a kill.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import duckdb
import pyarrow as pa

from replay_store.database import Database
from replay_store.errors import StoreFullError, StoreMemoryError, StoreWriteError
from replay_store.free_space import has_room, is_full
from replay_store.records import IntakeMinute
from replay_store.upkeep import Pace, Upkeep
from replay_store.writer import Batch, StoredByFile, Writer, Written

__all__ = ["Committer", "Delivery", "Pace"]

_LOG: Final = logging.getLogger(__name__)
_NS_PER_MINUTE: Final = 60_000_000_000
_NS_PER_MS: Final = 1_000_000
_FAILURES: Final = (
    duckdb.Error,
    pa.ArrowException,
    StoreMemoryError,
    ValueError,
    TypeError,
    OverflowError,
)
"""For which a commit can fail without a defect of the writer's: nothing of it was kept."""
_PACE: Final = Pace()
_GLANCE_SECONDS: Final = 0.01
"""How often a group that waits looks whether what was to come has been given up."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """The records of one request, decoded and mapped."""

    file_id: UUID
    """Stamped on each of its records."""
    door: str
    source: str
    signal: str
    received_time_ns: int
    n_bytes: int
    batch: Batch = field(default_factory=Batch)
    n_repaired: int = 0
    n_redacted: int = 0
    n_ignored: int = 0
    max_age_ms: int | None = None


@dataclass(frozen=True, slots=True)
class _Waiting:
    delivery: Delivery
    future: "Future[Written]"


class Committer:
    """Owns the writer thread. Deliveries from any thread; `close` commits what was accepted.

    Args:
        database: The store.
        pace: How commits and derives are timed.
        clock_ns: Now, since the epoch.
        has_room: Whether the disk can take another commit; a commit is not tried without.
    """

    def __init__(
        self,
        database: Database,
        *,
        pace: Pace = _PACE,
        clock_ns: Callable[[], int] = time.time_ns,
        has_room: Callable[[Database], bool] = has_room,
    ) -> None:
        self._database = database
        self._writer = Writer(database)
        self._pace = pace
        self._clock_ns = clock_ns
        self._has_room = has_room
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._n_coming = 0
        self._is_open = False
        self._upkeep = Upkeep(database, pace, clock_ns)
        self._thread = threading.Thread(target=self._run, name="committer", daemon=True)
        self._has_failed = False

    @property
    def is_alive(self) -> bool:
        """Whether deliveries are committed: false before `start`, after `close` and after a defect."""
        return self._thread.is_alive() and not self._has_failed

    def start(self) -> None:
        """Begin to commit."""
        self._database.sealed_ids.watch_beside()
        self._database.raw_ids.watch_beside()
        self._is_open = True
        self._thread.start()

    def submit(self, delivery: Delivery) -> "Future[Written]":
        """Hand over one delivery.

        Returns:
            Resolved after its commit; fails with StoreWriteError, or StoreFullError when the disk
            is full, and then nothing of the delivery was kept.

        Raises:
            StoreWriteError: The committer is closed.
        """
        future: Future[Written] = Future()
        with self._gate:
            if not self._is_open:
                raise StoreWriteError("store: closing: nothing more is taken; send it again later")
            self._queue.put(_Waiting(delivery, future))
        return future

    @contextmanager
    def coming(self) -> Iterator[None]:
        """Inside the block a delivery is made ready: a group waits for it a little.

        Submit it inside the block, so that the group is not closed between.
        """
        with self._gate:
            self._n_coming += 1
        try:
            yield
        finally:
            with self._gate:
                self._n_coming -= 1

    def close(self) -> None:
        """Commit what was handed over, then end the thread. A second call does nothing."""
        with self._gate:
            was_open, self._is_open = self._is_open, False
            if was_open:
                self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        group: list[_Waiting] = []
        try:
            is_running = True
            while is_running:
                group, is_running = self._gather()
                if group:
                    self._commit(group)
                if is_running:
                    self._upkeep.run(is_more_coming=bool(group) or self._n_coming > 0)
        finally:
            self._abandon(group)

    def _abandon(self, group: Sequence[_Waiting]) -> None:
        """After a defect: nobody waits for an answer that cannot come."""
        with self._gate:
            self._has_failed, self._is_open = self._is_open, False
        left = [*group]
        while not self._queue.empty():
            waiting = self._queue.get()
            if waiting is not None:
                left.append(waiting)
        for waiting in left:
            if not waiting.future.done():
                waiting.future.set_exception(StoreWriteError("store: the writer stopped; restart"))

    def _gather(self) -> tuple[list[_Waiting], bool]:
        """The next group, empty when it is time to derive; and whether to go on after it."""
        try:
            first = self._queue.get(timeout=self._upkeep.idle_seconds())
        except queue.Empty:
            return [], True
        if first is None:
            return [], False
        group, n_records = [first], first.delivery.batch.n_records
        began = time.monotonic()
        while n_records < self._pace.group_records:
            try:
                more = self._queue.get(timeout=self._patience(began))
            except queue.Empty:
                if self._patience(began):
                    continue
                break
            if more is None:
                return group, False
            group.append(more)
            n_records += more.delivery.batch.n_records
        return group, True

    def _patience(self, began: float) -> float:
        """How long a group goes on waiting without looking; 0 when it is closed."""
        waited = time.monotonic() - began
        if self._n_coming:
            return min(max(self._pace.gather_most_seconds - waited, 0.0), _GLANCE_SECONDS)
        return max(self._pace.gather_seconds - waited, 0.0)

    def _commit(self, group: Sequence[_Waiting]) -> None:
        """Commit a group; when it fails for a reason of one delivery's, each on its own."""
        try:
            self._commit_together(group)
        except StoreFullError as error:
            for waiting in group:
                waiting.future.set_exception(error)
        except StoreWriteError as error:
            if len(group) == 1:
                _LOG.exception("a delivery could not be committed")
                group[0].future.set_exception(error)
                return
            for waiting in group:
                self._commit([waiting])

    def _commit_together(self, group: Sequence[_Waiting]) -> None:
        if not self._has_room(self._database):
            raise StoreFullError("store: the disk is full: expected room; free some, then retry")
        batch = _joined([waiting.delivery.batch for waiting in group])
        now = self._clock_ns()
        accounts: dict[UUID, IntakeMinute] = {}

        def account(stored: StoredByFile) -> Sequence[IntakeMinute]:
            for waiting in group:
                line = _account(waiting.delivery, stored[waiting.delivery.file_id], now)
                accounts[waiting.delivery.file_id] = line
            return list(accounts.values())

        try:
            written = self._writer.write_accounted(batch, account)
        except _FAILURES as error:
            raise _write_error(error) from error
        if written.n_stored:
            self._upkeep.fall_behind(written.n_stored)
        for waiting in group:
            line = accounts[waiting.delivery.file_id]
            waiting.future.set_result(Written(line.n_stored, line.n_merged))


def _joined(batches: Sequence[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    joined = Batch()
    for batch in batches:
        joined.add(batch)
    return joined


def _account(delivery: Delivery, n_stored: int, now_ns: int) -> IntakeMinute:
    batch = delivery.batch
    return IntakeMinute(
        minute=delivery.received_time_ns // _NS_PER_MINUTE,
        door=delivery.door,
        source=delivery.source,
        signal=delivery.signal,
        n_requests=1,
        n_bytes=delivery.n_bytes,
        n_received=batch.n_records + len(batch.rejects),
        n_stored=n_stored,
        n_merged=batch.n_records - n_stored,
        n_rejected=len(batch.rejects),
        n_repaired=delivery.n_repaired,
        n_redacted=delivery.n_redacted,
        n_ignored=delivery.n_ignored,
        max_age_ms=delivery.max_age_ms,
        max_wait_ms=max(now_ns - delivery.received_time_ns, 0) // _NS_PER_MS,
    )


def _write_error(error: Exception) -> StoreWriteError:
    if is_full(error):
        return StoreFullError("store: the disk is full: expected room; free some, then retry")
    return StoreWriteError(f"store: the commit failed ({type(error).__name__}); nothing was kept")
