"""Reading what came in: by minute and sender, refusals by reason, dialects, what waits."""

from typing import NamedTuple

from replay_store.database import Database
from replay_store.records import IntakeMinute
from replay_store.statements import statement

__all__ = [
    "DialectCount",
    "ReasonCount",
    "SourceTotal",
    "intake_minutes",
    "n_waiting_traces",
    "newest_minute",
    "read_dialects",
    "refusals_by_reason",
    "sources",
    "state",
]

MAX_ROWS = 5_000


class ReasonCount(NamedTuple):
    """How many records of one file or door and sender were refused for one reason in one minute."""

    minute: int
    path: str
    source: str | None
    """None for files."""
    reason: str
    n: int


class SourceTotal(NamedTuple):
    """What one sender sent by one way; `n_received = n_stored + n_merged + n_rejected`."""

    source: str
    door: str
    signal: str
    newest_minute: int
    n_requests: int
    n_bytes: int
    n_received: int
    n_stored: int
    n_merged: int
    n_rejected: int
    n_redacted: int
    n_ignored: int
    max_age_ms: int | None
    max_wait_ms: int | None


class DialectCount(NamedTuple):
    """In how many traces a dialect was read."""

    dialect: str
    n_traces: int


def intake_minutes(
    database: Database, *, oldest_minute: int, limit: int = MAX_ROWS
) -> list[IntakeMinute]:
    """What was received since a minute: one row a minute, door, sender and signal, newest first."""
    rows = database.rows(statement("sql/intake_minutes"), {"oldest": oldest_minute, "limit": limit})
    return [IntakeMinute(**row) for row in rows]


def newest_minute(database: Database) -> int | None:
    """The newest minute in which anything was received; None before the first."""
    row = database.row(statement("sql/intake_newest"))
    return None if row is None else row["minute"]


def refusals_by_reason(
    database: Database, *, since_ns: int = 0, limit: int = 200
) -> list[ReasonCount]:
    """Refused records of files and doors by minute, sender and reason, newest first."""
    parameters = {"since_ns": since_ns, "limit": limit}
    return [
        ReasonCount(**row) for row in database.rows(statement("sql/intake_reasons"), parameters)
    ]


def sources(database: Database, *, oldest_minute: int) -> list[SourceTotal]:
    """What each sender sent since a minute, most first."""
    rows = database.rows(statement("sql/intake_sources"), {"oldest": oldest_minute})
    return [SourceTotal(**row) for row in rows]


def state(database: Database) -> tuple[int | None, ...]:
    """Numbers that change whenever something came in or was derived."""
    row = database.row(statement("sql/intake_state")) or {}
    return tuple(row.values())


def read_dialects(database: Database) -> list[DialectCount]:
    """The dialects found, by how many traces hold them, most first."""
    return [DialectCount(**row) for row in database.rows(statement("sql/intake_dialects"))]


def n_waiting_traces(database: Database) -> int:
    """How many traces have changed since they were last derived."""
    row = database.row(statement("sql/intake_waiting"))
    return int(row["n"]) if row else 0
