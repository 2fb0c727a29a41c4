"""Records are the schema: every record class is a table with the same columns in the same order."""

import re
from collections.abc import Iterator
from dataclasses import fields

import pytest

from replay_store.database import Database
from replay_store.records import RECORDS


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with Database.open() as database:
        yield database


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _columns(database: Database, table: str) -> list[str]:
    sql = """
        select column_name from information_schema.columns
        where table_catalog = 'store' and table_name = $table order by ordinal_position
    """
    return [row["column_name"] for row in database.rows(sql, {"table": table})]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_a_record_has_the_columns_of_its_table_in_order(
    database: Database, record: type[object]
) -> None:
    names = [field.name for field in fields(record)]  # type: ignore[arg-type]

    assert _columns(database, _snake(record.__name__)) == names


def test_no_record_is_left_out_of_the_list() -> None:
    import replay_store.records as package

    classes = {
        value
        for name in package.__all__
        if isinstance(value := getattr(package, name), type)
        and hasattr(value, "__dataclass_fields__")
    }

    assert classes == set(RECORDS)
