"""Derive: cross-span facts by SQL, over the traces that changed, replaced as a set.

Steps run in order inside one transaction a chunk of traces; each is one file beside this one and
leaves a temporary table or fills a derived one. Readers see the state before or after, never between.
"""

from collections.abc import Callable
from typing import Final

import duckdb

from replay_store.database import Database
from replay_store.statements import statement

CHUNK: Final = 20_000
"""Traces a transaction: bounds memory and the wait of the next write."""

QUIET_NS: Final = 3_600_000_000_000
"""An hour without a new span makes a trace quiet."""

STEPS: Final = (
    "span",
    "turn",
    "lineage",
    "request",
    "execution",
    "pair_by_id",
    "pair_by_arguments",
    "pair_by_turn",
    "pair_by_order",
    "attempt",
    "call",
    "retry",
    "evaluation",
)
"""Temporary tables, each built from those before it."""

TABLES: Final = ("tool_call", "attempt", "decision", "guard_evaluation", "trace")
"""Derived tables, filled in this order."""


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


def seal(database: Database, *, quiet_before_ns: int) -> int:
    """Move the traces whose newest span came before `quiet_before_ns` to the sealed tables.

    Returns:
        How many traces were sealed. A late span opens its trace again.
    """
    with database.transaction() as cursor:
        cursor.execute(statement("derive/quiet"), {"quiet_before_ns": quiet_before_ns})
        n_quiet = _count(cursor, "from chosen")
        if n_quiet:
            _run_each(cursor, "derive/seal")
            _run_each(cursor, "derive/forget_open")
    return n_quiet


def _derive_chunk(database: Database, n_traces: int = CHUNK) -> int:
    with database.transaction() as cursor:
        cursor.execute(statement("derive/choose"), {"chunk": n_traces})
        n_chosen = _count(cursor, "from chosen")
        if not n_chosen:
            return 0
        _run_each(cursor, "derive/forget_open")
        if _count(cursor, "from trace_sealed semi join chosen using (trace_id)"):
            _run_each(cursor, "derive/forget_sealed")
        for step in STEPS:
            cursor.execute(statement(f"derive/steps/{step}"))
        for table in TABLES:
            cursor.execute(statement(f"derive/{table}"))
        cursor.execute(statement("derive/clean"))
        cursor.execute(statement("sql/bump_version"))
    return n_chosen


def _run_each(cursor: duckdb.DuckDBPyConnection, name: str) -> None:
    """Run a file of several statements; none takes parameters."""
    cursor.execute(statement(name))


def _n_dirty(database: Database) -> int:
    row = database.row("select count(distinct trace_id) as n from dirty_trace")
    return int(row["n"]) if row else 0


def _count(cursor: duckdb.DuckDBPyConnection, source: str) -> int:
    # `source` is a text of this module.
    rows = cursor.execute(f"select count(*) {source}").fetchall()
    return int(rows[0][0])
