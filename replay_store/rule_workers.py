"""Which agents read by which version: as they tell of themselves, and as their traces say."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Final

from replay_store.database import Database
from replay_store.reader import record_of
from replay_store.records import RuleWorker
from replay_store.rule_store import RULE_SET
from replay_store.statements import statement

__all__ = ["ReadBy", "WorkerLog", "read_by", "rule_workers"]

SAME_NS: Final = 300_000_000_000
"""Nothing new is kept of an agent within five minutes."""
MAX_WORKERS: Final = 1_000
"""Agents that are kept of one server's life: more are no agents."""


@dataclass(frozen=True, slots=True)
class ReadBy:
    """What the traces of one service's instance were read with, by version."""

    service_name: str | None
    instance: str | None
    """`service.instance.id`; None where nobody said."""
    rule_version: str | None
    """As facts name it."""
    n: int
    """Observations."""
    last_time_ns: int


class WorkerLog:
    """Keeps what agents tell of themselves: at once when it is new, else every few minutes.

    Args:
        database: Where to.
        clock: The time now.
    """

    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock
        self._last: dict[str, RuleWorker] = {}
        self._lock = Lock()

    def note(
        self, worker: str, version: str | None, refused: str | None, problem: str | None
    ) -> None:
        """Keep one look of an agent."""
        told = RuleWorker(RULE_SET, worker, version, refused, problem, self._clock())
        with self._lock:
            if not self._is_news(told):
                return
            self._last[worker] = told
        with self._database.transaction() as cursor:
            cursor.execute(statement("sql/rule_worker_insert"), asdict(told)).fetchall()

    def _is_news(self, told: RuleWorker) -> bool:
        known = self._last.get(told.worker)
        if known is None:
            return len(self._last) < MAX_WORKERS
        before = (known.version, known.refused_version, known.problem)
        is_other = before != (told.version, told.refused_version, told.problem)
        return is_other or told.time_ns - known.time_ns >= SAME_NS


def rule_workers(database: Database, since_ns: int) -> list[RuleWorker]:
    """Agents as they told of themselves last, since a moment, by name; empty without any."""
    rows = database.rows(
        statement("sql/rule_workers"), {"rule_set": RULE_SET, "since_ns": since_ns}
    )
    return [record_of(RuleWorker, row) for row in rows]


def read_by(database: Database, start_time_ns: int, end_time_ns: int) -> list[ReadBy]:
    """By which versions the observations of a range were made, the latest first."""
    parameters = {"start_time_ns": start_time_ns, "end_time_ns": end_time_ns}
    return [ReadBy(**row) for row in database.rows(statement("sql/rule_readers"), parameters)]
