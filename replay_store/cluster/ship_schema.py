"""Making every named node of a cluster ready for what this version ships."""

from collections.abc import Iterator, Mapping
from typing import Final

import orjson

from replay_store.cluster.client import Client, Node
from replay_store.cluster.contract import HEAD, local_table, shipped_table
from replay_store.cluster.schema import (
    add_columns,
    local_ddl,
    relations_ddl,
    shipped_columns,
    store_columns,
)
from replay_store.database import Database

__all__ = ["make_ready", "missing"]

_COLUMNS: Final = (
    "select table, name, type from system.columns where database = '{}' format JSONEachRow"
)
_DATABASE: Final = "select count() from system.databases where name = '{}'"

Known = Mapping[str, Mapping[str, str]]
"""Type of each column of each table that a node has."""


def missing(client: Client, database: Database) -> bool:
    """Whether any node lacks a table or a column: then it lacks rows too."""
    wanted = shipped_columns(store_columns(database))
    return any(
        not wanted[table].keys() <= known.get(local_table(table), {}).keys()
        for known in (_known(client, node) for node in client.url.nodes)
        for table in wanted
    )


def make_ready(client: Client, database: Database) -> None:
    """Make what is missing on each node; what a newer version added stays.

    Raises:
        ClusterError: A node refused or did not answer.
    """
    wanted = shipped_columns(store_columns(database))
    for node in client.url.nodes:
        for sql in _local(client, node, wanted):
            client.ask(sql, node=node)
    for node in client.url.nodes:
        for sql in _relations(client, node, wanted):
            client.ask(sql, node=node)


def _local(client: Client, node: Node, wanted: Known) -> Iterator[str]:
    name = client.url.database
    if client.ask(_DATABASE.format(name), node=node).strip() == b"0":
        yield f"create database if not exists {name}"
    known = _known(client, node)
    for table, columns in wanted.items():
        held = known.get(local_table(table))
        if held is None:
            yield local_ddl(table, columns, name)
        else:
            more = {column: kind for column, kind in columns.items() if column not in held}
            yield from add_columns(table, more, name)


def _relations(client: Client, node: Node, wanted: Known) -> Iterator[str]:
    known = _known(client, node)
    for table in wanted:
        held = known[local_table(table)]
        last_made = known.get(shipped_table(table) if table == HEAD else table, {})
        if held.keys() != last_made.keys():
            yield from relations_ddl(table, held, client.url.database, client.url.cluster)


def _known(client: Client, node: Node) -> Known:
    found: dict[str, dict[str, str]] = {}
    for line in client.ask(_COLUMNS.format(client.url.database), node=node).splitlines():
        row = orjson.loads(line)
        found.setdefault(row["table"], {})[row["name"]] = row["type"]
    return found
