"""Derive: cross-span facts by SQL, over the traces that changed, replaced as a set.

Steps run in order inside one transaction a chunk of traces; each is one file beside this one and
leaves a temporary table or fills a derived one. Readers see the state before or after, never between.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import duckdb

from replay_store.database import Database
from replay_store.derive import rollups
from replay_store.derive.order import STEPS
from replay_store.statements import statement

CHUNK: Final = 20_000
"""Traces a transaction: bounds memory and the wait of the next write."""

QUIET_NS: Final = 900_000_000_000
"""A quarter of an hour without a new span makes a trace quiet: the open tables, in which each derive
looks for the rows it replaces, stay small."""

MOST_OPEN: Final = 5_000
"""Traces that stay open although more came after them; figures read open traces row by row."""

SEAL_CHUNK: Final = 100_000
"""Traces sealed in one transaction."""

NEAR_NS: Final = 3_600_000_000_000
"""How long before or after each other traces arrive that can still be linked."""

_ARRIVAL: Final = ("first_ns", "last_ns", "known_first_ns", "known_last_ns")
"""Between which times the rows of a chunk arrived: new ones, and those derived before."""


def derive(database: Database, *, on_progress: Callable[[int, int], None] | None = None) -> int:
    """Bring the derived rows of every changed trace up to date.

    Args:
        database: The store.
        on_progress: Called after each chunk with the traces done and the traces there were.

    Returns:
        How many traces were derived; 0 when none had changed.
    """
    n_total = _n_dirty(database)
    n_done = 0
    while n_chunk := _derive_chunk(database):
        n_done += n_chunk
        if on_progress is not None:
            on_progress(min(n_done, n_total), n_total)
    if n_done:
        seal(database, quiet_before_ns=0)
    return n_done


def derive_some(database: Database, n_traces: int) -> int:
    """Bring at most so many changed traces up to date, in one transaction.

    Returns:
        How many traces were derived; fewer than asked for when no more had changed.
    """
    return _derive_chunk(database, n_traces)


def catch_up(database: Database, *, now_ns: int) -> int:
    """What a store needs when it is opened: traces a crash left underived, quiet ones sealed.

    Returns:
        How many traces were derived.
    """
    n_derived = derive(database)
    seal(database, quiet_before_ns=now_ns - QUIET_NS)
    return n_derived


def seal(database: Database, *, quiet_before_ns: int, most_open: int = MOST_OPEN) -> int:
    """Move traces to the sealed tables, and what they add to figures into the rollups.

    Args:
        database: The store.
        quiet_before_ns: Traces whose newest span came before this are sealed.
        most_open: How many stay open at most, those with the newest spans.

    Returns:
        How many traces were sealed. A late span opens its trace again.
    """
    n_sealed = 0
    while n_chunk := _seal_chunk(database, quiet_before_ns, most_open):
        n_sealed += n_chunk
    return n_sealed


def _seal_chunk(database: Database, quiet_before_ns: int, most_open: int) -> int:
    bounds = {"quiet_before_ns": quiet_before_ns, "most_open": most_open, "chunk": SEAL_CHUNK}
    with database.transaction() as cursor:
        cursor.execute(statement("derive/quiet"), bounds)
        n_quiet = _n_chosen(cursor)
        if n_quiet:
            rollups.add(cursor)
            _run_each(cursor, "derive/seal")
            _run_each(cursor, "derive/forget_open")
    return n_quiet


def open_retired(cursor: duckdb.DuckDBPyConnection) -> None:
    """Take the traces of the temporary table `retired` out of the rollups: all of them are open then."""
    _reopen(cursor, "select trace_id from trace_sealed semi join retired using (trace_id)")


def _derive_chunk(database: Database, n_traces: int = CHUNK) -> int:
    with database.transaction() as cursor:
        cursor.execute(statement("derive/choose"), {"chunk": n_traces})
        _link(cursor)
        n_chosen, n_open, n_sealed, *times = _arrival(cursor)
        if not n_chosen:
            return 0
        if n_sealed:
            _reopen(cursor, "select trace_id from chosen where is_sealed")
        if n_open or n_sealed:
            _run_each(cursor, "derive/forget_open")
        _run_steps(cursor, dict(zip(_ARRIVAL, times, strict=True)))
        _reopen_named(cursor)
        cursor.execute(statement("derive/clean"))
        cursor.execute(statement("sql/bump_version"))
    return int(n_chosen)


def _reopen(cursor: duckdb.DuckDBPyConnection, which: str) -> None:
    """Open sealed traces again, so that the rollups hold them no more."""
    cursor.execute(f"create or replace temp table rolled as {which}")
    rollups.open_again(cursor)


def _reopen_named(cursor: duckdb.DuckDBPyConnection) -> None:
    """Open the sealed traces that a derived one names as its task: they do not count alone any more."""
    cursor.execute(statement("derive/rollup/named"))
    if _rows(cursor, "select 1 from rolled limit 1"):
        rollups.open_again(cursor)


def _link(cursor: duckdb.DuckDBPyConnection) -> None:
    """Let the traces that are linked to chosen ones join them, until none is missing."""
    window = _near(cursor)
    if window is None or not cursor.execute(statement("derive/linkable"), window).fetchall():
        return
    before, chosen = 0, _n_chosen(cursor)
    while before != chosen:
        cursor.execute(statement("derive/link_edge"), _near(cursor))
        _run_each(cursor, "derive/link_join")
        before, chosen = chosen, _n_chosen(cursor)
    _run_each(cursor, "derive/link_forget")
    cursor.execute(statement("derive/link"), dict(zip(_ARRIVAL, _arrival(cursor)[3:], strict=True)))
    _run_each(cursor, "derive/link_head")


def _near(cursor: duckdb.DuckDBPyConnection) -> dict[str, int] | None:
    """Between which times the keys arrived that can link a chosen trace; None when none is chosen."""
    first_ns, last_ns = _rows(cursor, "select min(first_ns), max(last_ns) from chosen")[0]
    if first_ns is None:
        return None
    return {"from_ns": first_ns - NEAR_NS, "to_ns": last_ns + NEAR_NS}


def _arrival(cursor: duckdb.DuckDBPyConnection) -> tuple[int, ...]:
    """How many traces are chosen, open and sealed, and the times of `_ARRIVAL`."""
    return _rows(cursor, statement("derive/arrival"))[0]


def _n_chosen(cursor: duckdb.DuckDBPyConnection) -> int:
    return int(_rows(cursor, "select count(*) from chosen")[0][0])


def _run_steps(cursor: duckdb.DuckDBPyConnection, arrival: Mapping[str, int]) -> None:
    _run_each(cursor, "derive/empty")
    for step in STEPS:
        if step.needs is None or _rows(cursor, step.needs, arrival):
            for name in step.names:
                sql = statement(f"derive/{name}")
                cursor.execute(sql, _used(sql, arrival))


def _used(sql: str, arrival: Mapping[str, int]) -> Mapping[str, int]:
    """DuckDB takes no parameter that a statement does not name; a step names all four or none."""
    return arrival if "$first_ns" in sql else {}


def _run_each(cursor: duckdb.DuckDBPyConnection, name: str) -> None:
    """Run a file of several statements; none takes parameters."""
    cursor.execute(statement(name))


def _n_dirty(database: Database) -> int:
    row = database.row("select count(distinct trace_id) as n from dirty_trace")
    return int(row["n"]) if row else 0


def _rows(
    cursor: duckdb.DuckDBPyConnection, sql: str, arrival: Mapping[str, int] | None = None
) -> list[tuple[Any, ...]]:
    return cursor.execute(sql, _used(sql, arrival or {})).fetchall()
