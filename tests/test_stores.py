"""A store that tests begin with is the one that the product opens."""

from pathlib import Path
from typing import Any

from replay_store import Database
from tests.stores import lay_store, memory_store

SCHEMA = (
    "select table_name, sql from duckdb_tables() where database_name = 'store' order by all",
    "select view_name, sql from duckdb_views() "
    "where database_name = 'store' and not internal order by all",
    "select function_name, parameters, macro_definition from duckdb_functions() "
    "where database_name = 'store' and not internal order by all",
    "select table_name, index_name, sql from duckdb_indexes() order by all",
    "select table_name, constraint_text from duckdb_constraints() "
    "where database_name = 'store' order by all",
    "select sequence_name from duckdb_sequences() where database_name = 'store' order by all",
    "select value from duckdb_settings() where name = 'memory_limit'",
)


def _content(database: Database) -> dict[str, Any]:
    tables = database.rows("select table_name from duckdb_tables() where database_name = 'store'")
    return {
        row["table_name"]: database.rows(f"from {row['table_name']} order by all") for row in tables
    }


def _without_times(content: dict[str, Any]) -> dict[str, Any]:
    ledger = [row | {"applied_time_ns": None} for row in content["migration"]]
    return content | {"migration": ledger}


def test_it_has_the_schema_and_the_rows_of_one_that_was_migrated() -> None:
    with Database.open() as migrated, memory_store() as copied:
        for question in SCHEMA:
            assert copied.rows(question) == migrated.rows(question)
        assert _without_times(_content(copied)) == _without_times(_content(migrated))


def test_nothing_of_one_store_is_in_the_next_or_in_another() -> None:
    with memory_store() as one, memory_store() as other:
        with one.transaction() as cursor:
            cursor.execute("update store_state set version = 7")
        with other.transaction() as cursor:
            cursor.execute("create table stray as select 1 as n")
        assert one.row("select version from store_state") == {"version": 7}
        assert other.row("select version from store_state") == {"version": 0}
    with memory_store() as one, memory_store() as other, Database.open() as migrated:
        for database in (one, other):
            assert _without_times(_content(database)) == _without_times(_content(migrated))


def test_a_store_that_is_laid_is_the_one_that_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    lay_store(path)
    with Database.open(path) as laid, Database.open() as migrated:
        for question in SCHEMA:
            assert laid.rows(question) == migrated.rows(question)
        assert _without_times(_content(laid)) == _without_times(_content(migrated))


def test_nothing_is_laid_over_a_store_or_where_there_is_no_folder(tmp_path: Path) -> None:
    held = tmp_path / "held.duckdb"
    held.write_text("mine")
    lay_store(held)
    lay_store(tmp_path / "none" / "store.duckdb")

    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("held.duckdb", "mine")
    ]
