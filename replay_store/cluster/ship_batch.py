"""What is shipped at a time: read from one moment of the store into a spool, and forgotten once sent."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol
from uuid import UUID

import duckdb

from replay_store.cluster.contract import ARRIVED, BLOCKS, CONTENT, DERIVED, HEAD
from replay_store.cluster.schema import Column
from replay_store.cluster.ship_rows import (
    arrived_sql,
    block_rows_sql,
    content_sql,
    derived_sql,
    fingerprint_sql,
)
from replay_store.cluster.spool import Spool
from replay_store.database import Database
from replay_store.statements import run, statement

__all__ = ["Batch", "Blocks", "Store", "read_blocks", "read_units"]

_DOUBTED: Final = 0
"""No block has this fingerprint."""
_FETCH: Final = 200
"""Rows that are held at a time; some hold a few texts of a span."""


@dataclass(frozen=True, slots=True)
class Store:
    """What is read: a store, what its tables are like, and its name in the cluster."""

    database: Database
    columns: Mapping[str, Sequence[Column]]
    receiver: UUID


class Batch(Protocol):
    """What was read, and what is to be kept of it once it is in the cluster."""

    @property
    def spool(self) -> Spool:
        """Its rows, the heads last."""

    def forget(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Inside a transaction: it waits no more."""


@dataclass(frozen=True, slots=True)
class _Units:
    spool: Spool
    version: int
    store_version: int
    units: list[UUID]
    whole: list[UUID]

    def forget(self, cursor: duckdb.DuckDBPyConnection) -> None:
        named = {"units": self.units, "whole": self.whole}
        versions = {"version": self.version, "store_version": self.store_version}
        run(cursor, "cluster/sql/shipped_units", {**named, **versions})


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks that changed."""

    spool: Spool
    tables: list[str]
    blocks: list[int]
    fingerprints: list[int | None]

    def doubt(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Before they are sent: what the cluster has of them is known only when all of it was taken.

        A block that becomes what it was before must not be taken for shipped, if it was sent in between.
        """
        self._keep(cursor, [_DOUBTED] * len(self.blocks))

    def forget(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Inside a transaction: it waits no more."""
        self._keep(cursor, self.fingerprints)

    def _keep(self, cursor: duckdb.DuckDBPyConnection, fingerprints: Sequence[int | None]) -> None:
        columns = {"blocks": self.blocks, "fingerprints": list(fingerprints)}
        run(cursor, "cluster/sql/shipped_blocks", {"tables": self.tables, **columns})


def read_units(store: Store, spool: Spool, claim: Callable[[], int], n: int) -> Batch | None:
    """Read the traces and raw outputs that have waited longest.

    Args:
        store: The store.
        spool: Takes the rows, the heads last.
        claim: Gives a new version.
        n: How many rows of the outbox at most.

    Returns:
        None where nothing waits.
    """
    version = claim()
    with store.database.snapshot() as cursor:
        [(store_version,)] = cursor.execute("select version from main.store_state").fetchall()
        run(cursor, "cluster/sql/choose", {"n": n, "version": version})
        with store.database.whole(cursor):
            rows = _shipping(cursor)
            if not rows:
                return None
            told = {"receiver": str(store.receiver), "version": version, **_times(rows)}
            _read_units(cursor, store, spool, told)
        units, whole = [row[0] for row in rows], [row[0] for row in rows if row[1]]
    return _Units(spool, version, store_version, units, whole)


def read_blocks(store: Store, spool: Spool, claim: Callable[[], int]) -> Blocks | None:
    """Read the blocks that are not as they were shipped.

    Args:
        store: The store.
        spool: Takes the rows, the heads last.
        claim: Gives a new version; not asked where there is nothing to ship.

    Returns:
        None where all are.
    """
    with store.database.snapshot() as cursor:
        cursor.execute(f"create temp table block_now as {fingerprint_sql(store.columns)}")
        run(cursor, "cluster/sql/changed_blocks")
        changed = cursor.execute(
            "select table_name, block, fingerprint from block_changed"
        ).fetchall()
        if not changed:
            return None
        told = {"receiver": str(store.receiver), "version": claim()}
        for table in sorted({row[0] for row in changed} & BLOCKS.keys()):
            spool.add(table, _lines(cursor, block_rows_sql(table, store.columns[table]), told))
        spool.add(HEAD, _lines(cursor, statement("cluster/sql/block_heads"), told))
    return Blocks(spool, *(list(column) for column in zip(*changed, strict=True)))


def _shipping(cursor: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    """Unit, whether it is whole, and between which times what is new of it arrived."""
    sql = "select unit, is_whole, first_ns, last_ns from shipping"
    rows = cursor.execute(sql).fetchall()
    if any(is_whole for _, is_whole, *_ in rows):
        run(cursor, "cluster/sql/whole")
        rows = cursor.execute(sql).fetchall()
    return rows


def _times(rows: Sequence[tuple[Any, ...]]) -> dict[str, int]:
    firsts = [row[2] for row in rows if row[2] is not None]
    lasts = [row[3] for row in rows if row[3] is not None]
    return {"lo": min(firsts, default=0), "hi": max(lasts, default=0)}


def _read_units(
    cursor: duckdb.DuckDBPyConnection, store: Store, spool: Spool, told: Mapping[str, Any]
) -> None:
    run(cursor, "cluster/sql/arrived_record", told)
    texts = {
        **{table: arrived_sql(table, store.columns[table]) for table in ARRIVED},
        **{table: content_sql(table, store.columns[table]) for table in CONTENT},
        **{table: derived_sql(table, store.columns[table]) for table in DERIVED},
        HEAD: statement("cluster/sql/heads"),
    }
    for table, sql in texts.items():
        spool.add(table, _lines(cursor, sql, told))


def _lines(cursor: duckdb.DuckDBPyConnection, sql: str, told: Mapping[str, Any]) -> Iterator[str]:
    """One line a row; DuckDB takes only the parameters that a text names."""
    cursor.execute(sql, {name: value for name, value in told.items() if f"${name}" in sql})
    while rows := cursor.fetchmany(_FETCH):
        for (line,) in rows:
            yield line
