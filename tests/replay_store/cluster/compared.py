"""What lies in a cluster beside what the store holds, table by table."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import orjson

from replay_store.cluster.contract import OPEN_TRACE, SHIPPED
from replay_store.cluster.schema import Column, store_columns
from replay_store.cluster.ship_state import ShipState, ship_state
from replay_store.database import Database
from tests.replay_store.cluster.conftest import Cluster

ONCE = frozenset({"raw_output", "offered_tool"})
"""The same whoever shipped them: those of other stores are there too."""
Rows = Callable[[str], Sequence[dict[str, Any]]]
"""The rows of the relation of a table that count."""


def differences(database: Database, receiver: UUID, rows_of: Rows) -> dict[str, tuple[int, int]]:
    """Tables that are not as in the store: how many rows are missing, how many too many.

    Doubles are compared to 14 digits: ClickHouse 18.16 reads some a unit in the last place off.
    """
    found = {}
    for table, columns in store_columns(database).items():
        held = Counter(_told(row, columns) for row in _store_rows(database, table, columns))
        there = Counter(
            _told(row, columns)
            for row in rows_of(table)
            if table in ONCE or row["receiver"] == str(receiver)
        )
        missing = (held - there).total()
        extra = 0 if table in ONCE else (there - held).total()
        if missing or extra or max(there.values(), default=1) > max(held.values(), default=1):
            found[table] = (missing, extra)
    assert set(SHIPPED) == set(store_columns(database))
    return found


def _store_rows(
    database: Database, table: str, columns: Sequence[Column]
) -> Sequence[dict[str, Any]]:
    source = "trace_open" if table == OPEN_TRACE else table
    names = ", ".join(column.name for column in columns)
    sql = f"select to_json(line)::varchar as line from (select {names} from {source}) as line"
    return [orjson.loads(row["line"]) for row in database.rows(sql)]


def _told(row: dict[str, Any], columns: Sequence[Column]) -> bytes:
    return orjson.dumps([_plain(row[column.name], column.duck_type) for column in columns])


def _plain(value: Any, duck_type: str) -> Any:
    if value is None:
        return None
    if duck_type == "BOOLEAN":
        return int(value)
    if duck_type == "DOUBLE":
        return f"{value:.14g}"
    if duck_type == "VARCHAR[]" and isinstance(value, str):
        return orjson.loads(value)
    return value


def rows_in(cluster: Cluster, name: str) -> Rows:
    """Of a database of a real cluster."""

    def rows_of(table: str) -> list[dict[str, Any]]:
        text = cluster.ask(
            f"select * from {name}.{table} format JSONEachRow",
            output_format_json_quote_64bit_integers=0,
        )
        return [orjson.loads(line) for line in text.splitlines()]

    return rows_of


def state_of(database: Database) -> ShipState:
    """Of a store that ships."""
    state = ship_state(database)
    assert state is not None
    return state


def is_equal(database: Database, rows_of: Rows) -> bool:
    """Whether every table is in the cluster as in the store; the failure names those that are not."""
    assert differences(database, state_of(database).receiver, rows_of) == {}
    return True
