"""Recorded observations as the dictionary in force reads them: one row of counts each."""

from collections.abc import Callable, Mapping
from typing import Final

from replay_store.backtest import OnProgress
from replay_store.backtest_frame import CHUNK, FrameFilter, Input, distinct_inputs, recorded_inputs
from replay_store.columns import arrow_table
from replay_store.database import Database
from replay_store.records import Reread
from replay_store.rereading import Rereading, reread
from replay_store.rule_store import StoredRules
from replay_store.statements import statement

_TYPES: Final[Mapping[str, str]] = {
    "trace_id": "UUID",
    "span_id": "UBIGINT",
    "time_ns": "BIGINT",
    "hour": "INTEGER",
    "rule_version": "VARCHAR",
    "snapshot_hash": "VARCHAR",
    "n_cells": "INTEGER",
    "n_multi_source_cells": "INTEGER",
    "n_conflicts": "INTEGER",
    "n_unknown": "INTEGER",
    "n_unparsed": "INTEGER",
    "mean_confidence": "DOUBLE",
    "created_time_ns": "BIGINT",
}


def reread_all(
    database: Database,
    stored: StoredRules,
    clock: Callable[[], int],
    *,
    on_progress: OnProgress | None = None,
) -> int:
    """Add the missing `reread` rows of one version; may be broken off and called again.

    Observations that were made with these very files need none: their recorded counts apply. Those
    whose raw outputs were not all recorded whole get none either: counting what is left would hide
    the rest. Rows of other versions stay.

    Args:
        database: The store.
        stored: The version that reads, usually the one in force.
        clock: The time now.
        on_progress: Called with the distinct inputs read, and those there are to read.

    Returns:
        How many observations were read again.
    """
    inputs = unread_inputs(database, stored)
    rows: list[Reread] = []
    n_read = 0
    for index, (item, recorded) in enumerate(recorded_inputs(database, inputs), 1):
        reading = reread(recorded, stored.rule_set)
        rows += _rows(item, reading, stored.version, clock())
        if index % CHUNK == 0 or index == len(inputs):
            _write(database, rows)
            n_read, rows = n_read + len(rows), []
            if on_progress is not None:
                on_progress(index, len(inputs))
    return n_read


def unread_inputs(database: Database, stored: StoredRules) -> list[Input]:
    """The distinct inputs of which one version has no counts yet, and can have them."""
    wanted = FrameFilter(unread_by=stored.version, read_sha256=stored.rule_set.sha256)
    return [item for item in distinct_inputs(database, wanted) if item.is_whole]


def _rows(item: Input, reading: Rereading, version: str, now: int) -> list[Reread]:
    health = reading.health
    return [
        Reread(
            trace_id=occurrence.trace_id,
            span_id=occurrence.span_id,
            time_ns=occurrence.time_ns,
            hour=occurrence.hour,
            rule_version=version,
            snapshot_hash=reading.snapshot_hash,
            n_cells=health.n_cells,
            n_multi_source_cells=health.n_multi_source_cells,
            n_conflicts=health.n_conflicts,
            n_unknown=health.n_unknown,
            n_unparsed=health.n_unparsed,
            mean_confidence=health.mean_confidence,
            created_time_ns=now,
        )
        for occurrence in item.occurrences
    ]


def _write(database: Database, rows: list[Reread]) -> None:
    if not rows:
        return
    with database.transaction() as cursor:
        cursor.register("batch", arrow_table(rows, _TYPES))
        cursor.execute(statement("sql/backtest_insert_reread")).fetchall()
        cursor.execute(statement("sql/bump_version")).fetchall()
