"""Retention: what is older than a moment goes, whole traces at a time; what people made stays.

A trace goes with everything read in it: spans, logs, mapped and derived rows, and the raw outputs
that no other trace holds. Records without a trace, and refused ones, go by their arrival. Labels,
cases, dictionaries, audit draws, alerts and the ledger stay, and each removed trace is remembered
by its id.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

import duckdb

from replay_store.columns import table_name
from replay_store.database import Database
from replay_store.derive import open_retired, recall_moved
from replay_store.of_traces import DERIVED_OF_TRACES, READ_OF_TRACES
from replay_store.reader import record_of
from replay_store.records import (
    NoiseLog,
    Reject,
    RemovedTrace,
    Reread,
    SpanLog,
    Trace,
    TraceKey,
    TraceLink,
)
from replay_store.spelling import spelled
from replay_store.statements import run, statement
from replay_store.tier.back import drop_files
from replay_store.tier.files import DAY_NS
from replay_store.tier.recall import readable_parts

__all__ = ["DAY_NS", "DayCount", "expired", "remove_expired", "removed_trace"]

CHUNK: Final = 5_000
"""Traces a transaction: bounds how long what arrives meanwhile waits for its commit."""
OF_A_TRACE: Final = (*READ_OF_TRACES, TraceKey, TraceLink, Reread)
"""Records that go with their trace."""
DERIVED: Final = (*DERIVED_OF_TRACES, Trace)
"""What is derived from them, each in two tables, goes too."""
OUTSIDE_TRACES: Final = (SpanLog, NoiseLog)
"""Records that may name no trace; they go by their arrival."""
_MOVED: Final = """
    create or replace temp table moved_before as
    select trace_id
    from tiered_trace
    where newest_time_ns < $before_ns
        and list_contains($parts, part_id)
    order by
        newest_time_ns,
        trace_id
    limit $chunk
"""
_COUNT_OF_TRACES: Final = """
    select
        trace_age.newest_time_ns // 86400000000000 as day,
        count(*) as n
    from {table}
    inner join trace_age using (trace_id)
    where trace_age.newest_time_ns < $before_ns
    group by day
    order by day
"""
_COUNT_BY_ARRIVAL: Final = """
    select
        received_time_ns // 86400000000000 as day,
        count(*) as n
    from {table}
    where {condition}
    group by day
    order by day
"""


class DayCount(NamedTuple):
    """How many rows of one table belong to one day (UTC)."""

    table: str
    day: date
    n: int


def expired(database: Database, *, before_ns: int) -> list[DayCount]:
    """What would go: rows by table and by the day of their trace's age, in both orders."""
    counted = [
        DayCount(table, _date(row["day"]), row["n"])
        for table, sql in _counts()
        for row in database.rows(sql, {"before_ns": before_ns})
    ]
    by_day = Counter[tuple[str, date]]()
    for line in counted:
        by_day[line.table, line.day] += line.n
    return [DayCount(table, day, n) for (table, day), n in sorted(by_day.items())]


def remove_expired(
    database: Database,
    *,
    before_ns: int,
    now_ns: int,
    on_progress: Callable[[int], None] | None = None,
) -> Mapping[str, int]:
    """Remove what `expired` counts, in several transactions; a stop in between loses nothing else.

    Args:
        database: The store; others may go on reading and writing it.
        before_ns: What is older goes.
        now_ns: Kept as the time of the removal.
        on_progress: Called with the number of traces removed so far.

    Returns:
        How many rows of each table were removed, by its name.
    """
    removed = Counter[str]()
    while n_traces := _remove_some(database, removed, before_ns, now_ns):
        if on_progress is not None:
            on_progress(removed["trace"])
        if n_traces < CHUNK:
            break
    removed["raw_output"] += drop_files(database)
    with database.transaction() as cursor:
        for table, condition in _untraced().items():
            removed[table] += _deleted(cursor, table, condition, {"before_ns": before_ns})
    if removed.total():
        # While somebody reads it may be refused; a later one, at the latest that of `close`, does it.
        with suppress(duckdb.TransactionException):
            database.checkpoint()
    return {table: n for table, n in sorted(removed.items()) if n}


def removed_trace(database: Database, text: str) -> RemovedTrace | None:
    """The removal of the trace that a pasted id names in full; None when none was removed."""
    for trace_id in spelled(text).trace_ids:
        row = database.row(statement("sql/removed_trace"), {"trace_id": trace_id})
        if row is not None:
            return record_of(RemovedTrace, row)
    return None


def _remove_some(database: Database, removed: Counter[str], before_ns: int, now_ns: int) -> int:
    with database.transaction() as cursor:
        bounds = {"before_ns": before_ns, "chunk": CHUNK}
        # Traces that were moved come back to go: figures then give up what they added.
        cursor.execute(_MOVED, bounds | {"parts": readable_parts(cursor)})
        recall_moved(cursor, "select trace_id from moved_before")
        cursor.execute(statement("sql/retention_choose"), bounds)
        n_traces = int(cursor.execute("select count(*) from retired").fetchall()[0][0])
        if n_traces:
            cursor.execute(statement("sql/retention_raw_chosen"))
            open_retired(cursor)
            for table, name in _tables().items():
                where = "trace_id in (select trace_id from retired)"
                removed[name] += _deleted(cursor, table, where, {})
            with database.whole(cursor):
                forgotten = cursor.execute(statement("sql/retention_raw_forget")).fetchall()
            removed["raw_output"] += int(forgotten[0][0])
            database.raw_ids.forget_found()
            cursor.execute(statement("sql/retention_remember"), {"now_ns": now_ns})
            cursor.execute(statement("sql/bump_version"))
            with database.whole(cursor):
                run(cursor, "sql/ship_retired")
    return n_traces


def _tables() -> dict[str, str]:
    """Every table that goes with a trace, and the name it is counted under."""
    names = map(table_name, DERIVED)
    derived = {f"{name}_{half}": name for name in names for half in ("open", "sealed")}
    return {table_name(record): table_name(record) for record in OF_A_TRACE} | derived


def _untraced() -> dict[str, str]:
    outside = "trace_id is null and received_time_ns < $before_ns"
    return {table_name(record): outside for record in OUTSIDE_TRACES} | {
        table_name(Reject): "received_time_ns < $before_ns"
    }


def _counts() -> list[tuple[str, str]]:
    """One query a table; a table may have two."""
    by_trace = [(name, _COUNT_OF_TRACES.format(table=name)) for name in _counted_tables()]
    by_arrival = [
        (name, _COUNT_BY_ARRIVAL.format(table=name, condition=condition))
        for name, condition in _untraced().items()
    ]
    return [*by_trace, *by_arrival, ("raw_output", statement("sql/retention_raw_count"))]


def _counted_tables() -> list[str]:
    return [table_name(record) for record in (*OF_A_TRACE, *DERIVED)]


def _deleted(
    cursor: duckdb.DuckDBPyConnection, table: str, condition: str, parameters: Mapping[str, int]
) -> int:
    """Delete rows; how many there were. Table and condition are texts of this module."""
    sql = f"delete from {table} where {condition}"  # noqa: S608
    return int(cursor.execute(sql, dict(parameters)).fetchall()[0][0])


def _date(day: int) -> date:
    return datetime.fromtimestamp(day * DAY_NS / 1e9, UTC).date()
