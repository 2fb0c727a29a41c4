"""Derive: cross-span facts by SQL, over the traces that changed, replaced as a set.

Steps run in order inside one transaction a chunk of traces; each is one file beside this one and
leaves a temporary table or fills a derived one. Readers see the state before or after, never between.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import duckdb

from replay_store.database import Database
from replay_store.derive import rollups
from replay_store.derive.labelled import look_for_labelled
from replay_store.derive.order import NAMED, STEPS
from replay_store.errors import StoreMemoryError
from replay_store.statements import parsed, run, statement
from replay_store.tier import recall

CHUNK: Final = 20_000
"""Traces a transaction: bounds memory and the wait of the next write."""

QUIET_NS: Final = 900_000_000_000
"""A quarter of an hour without a new span makes a trace quiet: the open tables, in which each derive
looks for the rows it replaces, stay small."""

_LEAST: Final = 50
"""Traces a transaction, of which fewer would save no memory that counts."""

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
    while n_chunk := derive_some(database, CHUNK):
        n_done += n_chunk
        if on_progress is not None:
            on_progress(min(n_done, n_total), n_total)
    if n_done:
        seal(database, quiet_before_ns=0)
    return n_done


def derive_some(database: Database, n_traces: int) -> int:
    """Bring at most so many changed traces up to date.

    In one transaction, and one more for each day of which late spans opened sealed traces again.

    Returns:
        How many traces were derived; fewer than asked for when no more had changed.
    """
    n_derived, is_more = 0, True
    while is_more and n_derived < n_traces:
        chunk = partial(_derive_chunk, database, n_traces - n_derived)
        n_chunk, is_more = database.with_room(chunk)
        n_derived += n_chunk
    return n_derived


def derive_within(database: Database, n_traces: int) -> int:
    """As `derive_some`, but of fewer traces where so many exceed the bound on memory.

    Returns:
        How many traces were derived, perhaps fewer than asked for; 0 when none had changed.
    """
    while n_traces >= 2 * _LEAST:
        try:
            return _derive_chunk(database, n_traces).n_derived
        except StoreMemoryError:
            n_traces //= 2
    return derive_some(database, n_traces)


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
    look_for_labelled(database)
    n_sealed = 0

    def seal_chunk() -> int:
        return _seal_chunk(database, quiet_before_ns, most_open)

    while n_chunk := database.with_room(seal_chunk):
        n_sealed += n_chunk
    return n_sealed


def _seal_chunk(database: Database, quiet_before_ns: int, most_open: int) -> int:
    bounds = {"quiet_before_ns": quiet_before_ns, "most_open": most_open, "chunk": SEAL_CHUNK}
    with database.transaction() as cursor:
        run(cursor, "derive/quiet", bounds)
        n_quiet = _n_chosen(cursor)
        if n_quiet:
            rollups.add(cursor)
            run(cursor, "derive/seal")
            database.sealed_ids.add(cursor, "chosen")
            run(cursor, "derive/forget_open")
    return n_quiet


def open_retired(cursor: duckdb.DuckDBPyConnection) -> None:
    """Take the traces of the temporary table `retired` out of the rollups: all of them are open then."""
    _reopen(cursor, "select trace_id from trace_sealed semi join retired using (trace_id)")


class _Chunk(NamedTuple):
    n_derived: int
    is_more: bool
    """Whether traces were set apart that had changed too."""


def _derive_chunk(database: Database, n_traces: int) -> _Chunk:
    n_apart = 0
    with database.transaction() as cursor:
        run(cursor, "derive/changed", {"chunk": n_traces})
        if recall_moved(cursor, "select trace_id from changed"):
            run(cursor, "derive/changed", {"chunk": n_traces})
        may_be_sealed = database.sealed_ids.may_hold(cursor, "changed")
        run(cursor, "derive/choose", {"may_be_sealed": may_be_sealed})
        if may_be_sealed:
            [(n_apart,)] = run(cursor, "derive/apart", {"near_ns": NEAR_NS}).fetchall()
        _link(cursor)
        n_chosen, n_open, n_sealed, *times = _arrival(cursor)
        if not n_chosen:
            return _Chunk(0, is_more=False)
        if n_sealed:
            _reopen(cursor, "select trace_id from chosen where is_sealed")
        if n_open or n_sealed:
            run(cursor, "derive/forget_open")
        facts = _run_steps(cursor, dict(zip(_ARRIVAL, times, strict=True)))
        if facts & NAMED.when:
            _reopen_named(cursor)
        run(cursor, "derive/clean")
        run(cursor, "sql/bump_version")
        run(cursor, "derive/ship")
    return _Chunk(int(n_chosen), n_apart > 0)


def recall_moved(cursor: duckdb.DuckDBPyConnection, which: str) -> bool:
    """Bring traces that were moved out of the store back, sealed as they were.

    Args:
        cursor: Inside a transaction.
        which: A query of trace ids.

    Returns:
        Whether any came back.
    """
    if not recall.chosen(cursor, which):
        return False
    if _rows(cursor, "select 1 from trace semi join recalled using (trace_id) limit 1"):
        # Derived from late spans alone, while the files were not there: that is taken back.
        _reopen(cursor, "select trace_id from trace_sealed semi join recalled using (trace_id)")
        run(cursor, "derive/forget_recalled")
    recall.bring(cursor)
    return True


def _reopen(cursor: duckdb.DuckDBPyConnection, which: str) -> None:
    """Open sealed traces again, so that the rollups hold them no more."""
    cursor.execute(f"create or replace temp table rolled as {which}")
    rollups.open_again(cursor)


def _reopen_named(cursor: duckdb.DuckDBPyConnection) -> None:
    """Open the sealed traces that a derived one names as its task: they do not count alone any more."""
    recall_moved(cursor, statement("derive/named_tasks"))
    for name in NAMED.names:
        run(cursor, f"derive/{name}")
    if _rows(cursor, "select 1 from rolled limit 1"):
        rollups.open_again(cursor)


def _link(cursor: duckdb.DuckDBPyConnection) -> None:
    """Let the traces that are linked to chosen ones join them, until none is missing."""
    window = _near(cursor)
    if window is None or not run(cursor, "derive/linkable", window).fetchall():
        return
    before, chosen = 0, _n_chosen(cursor)
    while before != chosen:
        run(cursor, "derive/link_edge", _near(cursor))
        recall_moved(cursor, "select trace_id from d_edge union select other_id from d_edge")
        run(cursor, "derive/link_join")
        before, chosen = chosen, _n_chosen(cursor)
    run(cursor, "derive/link_forget")
    run(cursor, "derive/link", dict(zip(_ARRIVAL, _arrival(cursor)[3:], strict=True)))
    run(cursor, "derive/link_head")


def _near(cursor: duckdb.DuckDBPyConnection) -> dict[str, int] | None:
    """Between which times the keys arrived that can link a chosen trace; None when none is chosen."""
    first_ns, last_ns = _rows(cursor, "select min(first_ns), max(last_ns) from chosen")[0]
    if first_ns is None:
        return None
    return {"from_ns": first_ns - NEAR_NS, "to_ns": last_ns + NEAR_NS}


def _arrival(cursor: duckdb.DuckDBPyConnection) -> tuple[int, ...]:
    """How many traces are chosen, open and sealed, and the times of `_ARRIVAL`."""
    times: tuple[int, ...] = run(cursor, "derive/arrival").fetchall()[0]
    return times


def _n_chosen(cursor: duckdb.DuckDBPyConnection) -> int:
    return int(_rows(cursor, "select count(*) from chosen")[0][0])


def _run_steps(cursor: duckdb.DuckDBPyConnection, arrival: Mapping[str, int]) -> set[str]:
    """Run what the chosen traces need.

    Returns:
        The facts that hold of them.
    """
    run(cursor, "derive/empty")
    facts: set[str] = set()
    for step in STEPS:
        if step.when and not facts & step.when:
            continue
        for name in step.names:
            run(cursor, f"derive/{name}", arrival)
        if step.look:
            told = run(cursor, f"derive/{step.look}", arrival).fetchall()
            facts.update(fact for (fact,) in told)
    return facts


def _n_dirty(database: Database) -> int:
    row = database.row("select count(distinct trace_id) as n from dirty_trace")
    return int(row["n"]) if row else 0


def _rows(cursor: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return cursor.execute(parsed(cursor, sql)[0]).fetchall()
