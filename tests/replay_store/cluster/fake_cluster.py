"""A cluster in memory that does what the contract says of ClickHouse, and fails when it is told to."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from replay_store.cluster.client import Client, ClusterUrl, Node
from replay_store.cluster.contract import ARRIVED, CONTENT, HEAD, local_table
from replay_store.cluster.schema import shipped_columns, store_columns
from replay_store.database import Database
from replay_store.errors import ClusterUnreachableError

URL = ClusterUrl.parse("clickhouse://fake:8123/toolsight")
_ONCE = {"raw_output": ("raw_id",), "offered_tool": ("catalogue_hash", "position")}


class FakeCluster(Client):
    """One node; its tables are there from the beginning unless `is_empty`."""

    def __init__(self, database: Database, *, is_empty: bool = False) -> None:
        super().__init__(URL)
        self._columns = shipped_columns(store_columns(database))
        self._is_empty = is_empty
        self._rows: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = defaultdict(dict)
        self.n_inserts = 0
        self.fail_at: int | None = None
        """Of the inserts to come the one, counted from 0, that fails."""
        self.is_taken = False
        """Whether it is taken although it fails: only its answer is lost."""
        self.meanwhile: Callable[[], None] | None = None
        """What happens, once, while the next insert is under way."""
        self.asked: list[str] = []

    def ask(self, sql: str, *, node: Node | None = None) -> bytes:
        if "system.databases" in sql:
            return b"1"
        if "system.columns" in sql:
            return b"".join(self._known()) if not self._is_empty else b""
        self.asked.append(sql)
        if "create table" in sql:
            self._is_empty = False
        return b""

    def insert(self, relation: str, lines: bytes) -> None:
        self.n_inserts += 1
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        fails = self.fail_at == 0
        if self.fail_at is not None:
            self.fail_at -= 1
        if fails and not self.is_taken:
            raise ClusterUnreachableError("gone")
        table = relation.removesuffix("_local")
        for line in lines.splitlines():
            row = orjson.loads(line)
            assert row.keys() == set(self._columns[table]), table
            self._rows[table][_key(table, row)] = row
        if fails:
            raise ClusterUnreachableError("no answer")

    def rows_of(self, table: str) -> list[dict[str, Any]]:
        """The rows that count."""
        which = "base_version" if table in {*ARRIVED, *CONTENT} else "ship_version"
        counts: dict[tuple[str, str], int] = {}
        for head in self._rows[HEAD].values():
            unit = (head["receiver"], head["ship_unit"])
            counts[unit] = max(counts.get(unit, 0), head[which])
        found = [
            row
            for row in self._rows[table].values()
            if counts.get((row["receiver"], row["ship_unit"])) == row["ship_version"]
        ]
        if table not in _ONCE:
            return found
        return list({tuple(row[name] for name in _ONCE[table]): row for row in found}.values())

    def _known(self) -> Iterator[bytes]:
        for table, columns in self._columns.items():
            made = (
                (local_table(table), f"{table}_shipped")
                if table == HEAD
                else (
                    local_table(table),
                    table,
                )
            )
            for name in made:
                for column, kind in columns.items():
                    yield orjson.dumps({"table": name, "name": column, "type": kind}) + b"\n"


def _key(table: str, row: dict[str, Any]) -> tuple[Any, ...]:
    """What ReplacingMergeTree makes one row of."""
    if table == HEAD:
        return row["receiver"], row["ship_unit"], row["base_version"], row["ship_version"]
    return tuple(
        row[name] for name in ("receiver", "ship_unit", "ship_version", "ship_key", "ship_row")
    )
