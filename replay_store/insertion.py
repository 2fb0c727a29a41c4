"""How rows of a record class go from an Arrow table into theirs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from replay_store.columns import column_names, table_name
from replay_store.records import CallEvidence

if TYPE_CHECKING:
    import duckdb

__all__ = ["column_types", "insertion"]

_SHORTENED: Final[Mapping[type, Mapping[str, str]]] = {
    CallEvidence: {
        "result": "case when evidence = 'execution' and tool_name is null then result"
        " else left(result, 500) end"
    }
}
"""Texts of which the beginning is enough, because they are kept whole elsewhere: a run's result is a
`raw_output`, unless it names no tool."""


def column_types(cursor: "duckdb.DuckDBPyConnection", record: type) -> dict[str, str]:
    """DuckDB's type of each column of a record class's table, in order."""
    rows: list[tuple[Any, ...]] = cursor.execute(
        "select column_name, data_type from duckdb_columns() "
        "where database_name = 'store' and schema_name = 'main' and table_name = $table "
        "order by column_index",
        {"table": table_name(record)},
    ).fetchall()
    return dict(rows)


def insertion(record: type, source: str) -> str:
    """The statement that inserts rows of a record class.

    Args:
        record: The class.
        source: What they are read from: a name, or one with joins; never from data.
    """
    names, shortened = column_names(record), _SHORTENED.get(record, {})
    columns, values = ", ".join(names), ", ".join(shortened.get(name, name) for name in names)
    # Identifiers come from record classes, never from data.
    return f"insert into {table_name(record)} ({columns}) select {values} from {source}"  # noqa: S608
