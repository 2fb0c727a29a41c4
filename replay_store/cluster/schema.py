"""The tables of the cluster, from the store's own: what `contract` says, as DDL.

Written in what ClickHouse 18.16 and a current one both understand.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from replay_store.cluster.contract import (
    ARRIVED,
    CONTENT,
    DERIVED,
    HEAD,
    OPEN_TRACE,
    SHIP_COLUMNS,
    SHIPPED,
    local_table,
    present_view,
    shipped_table,
)
from replay_store.database import Database

__all__ = [
    "Column",
    "add_columns",
    "clickhouse_columns",
    "clickhouse_type",
    "local_ddl",
    "node_ddl",
    "relations_ddl",
    "shipped_columns",
    "store_columns",
]

_TYPES: Final[Mapping[str, str]] = {
    "UUID": "UUID",
    "UBIGINT": "UInt64",
    "BIGINT": "Int64",
    "INTEGER": "Int32",
    "UINTEGER": "UInt32",
    "SMALLINT": "Int16",
    "USMALLINT": "UInt16",
    "UTINYINT": "UInt8",
    "DOUBLE": "Float64",
    "BOOLEAN": "UInt8",
    "VARCHAR": "String",
}
_LIST: Final = "VARCHAR[]"
_ONCE: Final[Mapping[str, str]] = {
    "raw_output": "raw_id",
    "offered_tool": "catalogue_hash, position",
}
"""Tables of which the relation holds each row once, whoever shipped it, and by what it is known."""
_HEAD_COLUMNS: Final[Mapping[str, str]] = {
    "receiver": "String",
    "ship_unit": "UUID",
    "ship_version": "UInt64",
    "base_version": "UInt64",
}
_SHARD: Final = "cityHash64(toString(ship_unit))"
_BY_UNIT: Final = "ship_unit, receiver, ship_version, ship_key, ship_row"
_BY_HOUR: Final = "ship_hour, ship_unit, receiver, ship_version, ship_key, ship_row"


class Column(NamedTuple):
    """A column of the store."""

    name: str
    duck_type: str
    is_nullable: bool


def store_columns(database: Database) -> dict[str, tuple[Column, ...]]:
    """The columns of each shipped table, in the store's order."""
    rows = database.rows(
        "select table_name, column_name, data_type, is_nullable from duckdb_columns() "
        "where database_name = 'store' and schema_name = 'main' order by table_name, column_index"
    )
    found: dict[str, list[Column]] = {}
    for row in rows:
        column = Column(row["column_name"], row["data_type"], row["is_nullable"])
        found.setdefault(row["table_name"], []).append(column)
    found[OPEN_TRACE] = [column for column in found["trace_open"] if column.name == "trace_id"]
    # A view tells no column that is never NULL; the table of the open half does.
    return {table: tuple(found.get(f"{table}_open") or found[table]) for table in SHIPPED}


def clickhouse_type(column: Column) -> str:
    """The type of a column in the cluster."""
    if column.duck_type == _LIST:
        return "Nullable(String)" if column.is_nullable else "Array(String)"
    name = _TYPES[column.duck_type]
    return f"Nullable({name})" if column.is_nullable else name


def clickhouse_columns(columns: Sequence[Column]) -> dict[str, str]:
    """Name and type of each column of a shipped table."""
    return {**SHIP_COLUMNS, **{column.name: clickhouse_type(column) for column in columns}}


def node_ddl(
    tables: Mapping[str, Sequence[Column]], database: str, cluster: str | None
) -> Iterator[str]:
    """The statements that make an empty node ready, in order.

    Args:
        tables: What `store_columns` gives.
        database: The database in ClickHouse.
        cluster: The cluster's name in `remote_servers`; None for a single node.
    """
    yield f"create database if not exists {database}"
    for table, columns in shipped_columns(tables).items():
        yield local_ddl(table, columns, database)
    for table, columns in shipped_columns(tables).items():
        yield from relations_ddl(table, columns, database, cluster)


def shipped_columns(tables: Mapping[str, Sequence[Column]]) -> dict[str, Mapping[str, str]]:
    """Name and type of the columns of every shipped table, and of the heads."""
    shipped = {table: clickhouse_columns(columns) for table, columns in tables.items()}
    return {HEAD: _HEAD_COLUMNS, **shipped}


def local_ddl(table: str, columns: Mapping[str, str], database: str) -> str:
    """What makes the table of one node that holds the rows."""
    if table == HEAD:
        key = "ship_unit, receiver, base_version"
    else:
        key = _BY_HOUR if table in DERIVED else _BY_UNIT
    return (
        f"create table if not exists {database}.{local_table(table)} ({_listed(columns)}) "
        f"engine = ReplacingMergeTree(ship_version) order by ({key})"
    )


def add_columns(table: str, columns: Mapping[str, str], database: str) -> Iterator[str]:
    """What adds columns to it."""
    for name, kind in columns.items():
        yield f"alter table {database}.{local_table(table)} add column {name} {kind}"


def relations_ddl(
    table: str, columns: Mapping[str, str], database: str, cluster: str | None
) -> Iterator[str]:
    """What makes the relations over it anew; they hold nothing themselves."""
    shipped = shipped_table(table)
    yield f"drop table if exists {database}.{shipped}"
    yield _over(shipped, local_table(table), columns, database, cluster)
    if table == HEAD:
        return
    view = present_view(table)
    yield f"drop table if exists {database}.{view}"
    yield f"create view {database}.{view} as {_present(table, columns, database)}"
    yield f"drop table if exists {database}.{table}"
    yield _over(table, view, columns, database, cluster)


def _over(
    name: str, under: str, columns: Mapping[str, str], database: str, cluster: str | None
) -> str:
    if cluster is None:
        return (
            f"create view {database}.{name} as select {', '.join(columns)} from {database}.{under}"  # noqa: S608 - names of the store's own schema
        )
    return (
        f"create table {database}.{name} ({_listed(columns)}) "
        f"engine = Distributed({cluster}, {database}, {under}, {_SHARD})"
    )


def _present(table: str, columns: Mapping[str, str], database: str) -> str:
    version = "base_version" if table in {*ARRIVED, *CONTENT} else "ship_version"
    text = (
        f"select {', '.join(columns)} from {database}.{local_table(table)} final "  # noqa: S608 - names of the store's own schema
        "where (receiver, ship_unit, ship_version) in "
        f"(select receiver, ship_unit, max({version}) from {database}.{local_table(HEAD)} "
        "group by receiver, ship_unit)"
    )
    return f"{text} limit 1 by {_ONCE[table]}" if table in _ONCE else text


def _listed(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())
