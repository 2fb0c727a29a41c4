"""What would move out of the store, before anything does; and what has."""

from pathlib import Path
from typing import Final, NamedTuple

from replay_store.database import Database
from replay_store.statements import statement
from replay_store.tier.tables import DERIVED, RAW, READ

__all__ = ["MovedDay", "Planned", "folders", "moved_days", "planned"]

_COUNT: Final = """
    select
        trace_age.newest_time_ns // 86400000000000 as day,
        count(*) as n
    from {table}
    inner join trace_age using (trace_id)
    semi join trace_sealed using (trace_id)
    where trace_age.newest_time_ns < $before_ns
    group by day
    order by day
"""


class Planned(NamedTuple):
    """Rows of one table and day (since the epoch) that would move."""

    table: str
    day: int
    n_rows: int
    n_bytes: int | None
    """What they take in the store, about: a table's blocks by its rows. None before a checkpoint."""


class MovedDay(NamedTuple):
    """What of one day (since the epoch) lies in files."""

    day: int
    n_traces: int
    n_files: int
    n_bytes: int


def planned(database: Database, *, before_ns: int) -> list[Planned]:
    """What `move` would take out of the store, by table and day; empty when nothing is old enough."""
    found = []
    for table in (*DERIVED, *READ, RAW):
        sql = statement("sql/tier_raw_count") if table == RAW else _COUNT.format(table=table)
        days = database.rows(sql, {"before_ns": before_ns}, only_here=True)
        row_bytes = _row_bytes(database, table) if days else None
        for row in days:
            size = None if row_bytes is None else round(row_bytes * row["n"])
            found.append(Planned(table, int(row["day"]), int(row["n"]), size))
    return found


def moved_days(database: Database) -> list[MovedDay]:
    """The days that lie in files, oldest first; empty when none does."""
    return [MovedDay(**row) for row in database.rows(statement("sql/tier_days"))]


def folders(database: Database) -> list[str]:
    """Where the files of moved days are, by path."""
    paths = database.rows("select path from main.tier_file")
    return sorted({str(Path(row["path"]).parents[2]) for row in paths})


def _row_bytes(database: Database, table: str) -> float | None:
    """What a row of a table takes in the file, in the mean; None while nothing of it is there."""
    sql = statement("sql/tier_blocks").replace("/* table */", f"'{table}'")
    [row] = database.rows(sql, only_here=True)
    if not row["n_blocks"] or not row["n_rows"]:
        return None
    return float(row["n_blocks"] * row["block_bytes"] / row["n_rows"])
