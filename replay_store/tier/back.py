"""Moved days come back into the store, and their files go."""

from collections.abc import Callable
from typing import Final

from replay_store.database import Database
from replay_store.derive import recall_moved
from replay_store.tier.files import removed
from replay_store.tier.recall import bring, chosen, drop_empty, readable_parts

__all__ = ["CHUNK", "bring_back", "drop_files", "take_in"]

CHUNK: Final = 5_000
"""Traces a transaction: bounds how long what arrives meanwhile waits for its commit."""


def bring_back(
    database: Database, *, day: int | None = None, on_progress: Callable[[int], None] | None = None
) -> int:
    """Put moved traces back as they were; figures do not change.

    Args:
        database: The store; others may go on reading and writing it.
        day: Only those of this day since the epoch; None brings all back.
        on_progress: Called with the number of traces that are back so far.

    Returns:
        How many traces came back. Those in a file that is not there stay moved.
    """
    n_back = 0
    while n_chunk := _some_back(database, day):
        n_back += n_chunk
        if on_progress is not None:
            on_progress(n_back)
    drop_files(database)
    return n_back


def take_in(database: Database) -> int:
    """Take moved traces into a store that was made of what could be read of another; rebuild derives them.

    Returns:
        How many traces were taken in. The files stay: the other store reads them.
    """
    n_taken = 0
    while n_chunk := _some_back(database, None, is_derived=False):
        n_taken += n_chunk
    with database.transaction() as cursor:
        drop_empty(cursor, database.raw_ids)
    return n_taken


def drop_files(database: Database) -> int:
    """Remove the files of which every trace has come back or gone.

    Returns:
        How many raw outputs went with them because no trace holds them.
    """
    with database.transaction() as cursor:
        emptied = drop_empty(cursor, database.raw_ids)
    removed(emptied.paths)
    return emptied.n_raw


def _some_back(database: Database, day: int | None, *, is_derived: bool = True) -> int:
    with database.transaction() as cursor:
        cursor.execute(
            "create or replace temp table wanted as select trace_id from tiered_trace "
            "where list_contains($parts, part_id) and ($day is null or part_id in "
            "(select part_id from tier_file where tier_file.day = $day)) "
            "order by part_id, trace_id limit $n",
            {"parts": readable_parts(cursor), "day": day, "n": CHUNK},
        )
        which = "select trace_id from wanted"
        if is_derived:
            recall_moved(cursor, which)
        elif chosen(cursor, which):
            bring(cursor, is_derived=False)
        [(n_back,)] = cursor.execute("select count(*) from wanted").fetchall()
        if n_back:
            cursor.execute("update store_state set version = version + 1")
    return int(n_back)
