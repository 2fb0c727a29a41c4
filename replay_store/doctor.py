"""Is the store sound? Every block is read, and what has to hold between tables is counted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import duckdb

from replay_store.database import Database
from replay_store.statements import statement
from replay_store.tier.check import unsound_files

__all__ = ["Check", "Finding", "OnProgress", "examine", "tables_of"]

OnProgress = Callable[[int, int], None]
"""What is done, and how much there is."""


class Check(StrEnum):
    """What is looked at, in order."""

    BLOCKS = "blocks"
    """Every value of every table can be read and is what was written (DuckDB's checksums)."""
    LEDGER = "ledger"
    """Received = stored + merged + refused, for each file and each minute."""
    SPANS_TWICE = "spans_twice"
    """A record is stored once."""
    UNMAPPED = "unmapped"
    """Every span is mapped."""
    UNDERIVED = "underived"
    """Every trace with spans is derived or waits for it, and none without."""
    ROLLUPS = "rollups"
    """The rollups hold the sealed traces."""
    RAW_OUTPUTS = "raw_outputs"
    """Every recorded answer has its text."""
    MOVED_DAYS = "moved_days"
    """The files of moved days are there and can be read, with as many rows as were put there."""


_COUNT: Final = """
    select
        count(*) as n_looked,
        count(*) filter (where is_wrong) as n,
        min(example) filter (where is_wrong) as example
    from ({})
"""
_BETWEEN_TABLES: Final = tuple(
    check for check in Check if check not in (Check.BLOCKS, Check.MOVED_DAYS)
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    check: Check
    n: int
    """How many are wrong; 0 when it is sound."""
    n_looked: int
    """Of how many: tables, files and minutes, records, spans, traces, tools, answers, files."""
    example: str | None = None
    """One that is wrong: a table with the reason, a path, a trace id, a tool."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return self.n == 0


def examine(database: Database, *, on_progress: OnProgress | None = None) -> list[Finding]:
    """Look at everything; changes nothing.

    Where a block cannot be read, the checks that need its table are left out: only `BLOCKS` is told
    of then, and those that can still be counted.

    Args:
        database: The store; it may be in use.
        on_progress: Called after each table and each check.
    """
    tables = tables_of(database)
    n_total = len(tables) + len(_BETWEEN_TABLES) + 1
    unread: dict[str, str] = {}
    for place, table in enumerate(tables, 1):
        if (why := _unreadable(database, table)) is not None:
            unread[table] = why
        if on_progress is not None:
            on_progress(place, n_total)
    example = next((f"{table}: {why}" for table, why in unread.items()), None)
    found = [Finding(Check.BLOCKS, len(unread), len(tables), example)]
    for place, check in enumerate(_BETWEEN_TABLES, len(tables) + 1):
        if (finding := _look(database, check)) is not None:
            found.append(finding)
        if on_progress is not None:
            on_progress(place, n_total)
    found.append(_moved_days(database))
    if on_progress is not None:
        on_progress(n_total, n_total)
    return found


def tables_of(database: Database) -> Mapping[str, list[str]]:
    """The names of every table, each with its columns in order."""
    rows = database.rows(statement("sql/doctor_columns"))
    return {row["table_name"]: row["column_names"] for row in rows}


def _unreadable(database: Database, table: str) -> str | None:
    """Why a table cannot be read to its end; None when it can."""
    try:
        database.row(f'select count(*), bit_xor(hash(read)) from main."{table}" as read')  # noqa: S608
    except duckdb.Error as error:
        return str(error).splitlines()[0]
    return None


def _moved_days(database: Database) -> Finding:
    n_files, wrong = unsound_files(database)
    example = next((f"{path}: {why}" for path, why in wrong.items()), None)
    return Finding(Check.MOVED_DAYS, len(wrong), n_files, example)


def _look(database: Database, check: Check) -> Finding | None:
    """What a check between tables finds; None when one of its tables cannot be read."""
    if check is Check.ROLLUPS and database.missing_days:
        return None
    try:
        [row] = database.rows(_COUNT.format(statement(f"sql/doctor_{check}")))
    except duckdb.Error:
        return None
    return Finding(check, **row)
