"""SQL files are read and parsed once, and run with what each statement names."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest

from replay_store import Database, statements
from replay_store.statements import parsed, run, statement
from tests.stores import memory_store


@pytest.fixture
def database() -> Iterator[Database]:
    with memory_store() as opened:
        yield opened


def test_a_text_is_parsed_once(database: Database) -> None:
    with database.transaction() as cursor:
        first = parsed(cursor, "select 1 as one; select 2 as two")
        assert parsed(cursor, "select 1 as one; select 2 as two") is first
        assert [part.query.strip() for part in first] == ["select 1 as one;", "select 2 as two"]


def test_texts_are_forgotten_when_there_are_too_many(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "_PARSED", {})
    monkeypatch.setattr(statements, "_MOST", 2)
    with database.transaction() as cursor:
        for number in range(5):
            answer = cursor.execute(parsed(cursor, f"select {number}")[0]).fetchall()
            assert answer == [(number,)]
            assert len(statements._PARSED) <= 2


def test_each_statement_of_a_file_is_given_what_it_names(database: Database) -> None:
    with database.transaction() as cursor:
        run(cursor, "derive/changed", {"chunk": 10, "unknown": 1})
        assert cursor.execute("select count(*) from changed").fetchall() == [(0,)]


def test_a_parameter_that_is_named_and_not_given_is_an_error(database: Database) -> None:
    with pytest.raises(KeyError, match="chunk"), database.transaction() as cursor:
        run(cursor, "derive/changed")


def test_a_parameter_that_a_question_does_not_name_is_an_error(database: Database) -> None:
    with pytest.raises(duckdb.Error, match="mismatch"):
        database.rows("select $known as one", {"known": 1, "unknown": 1})


def test_what_is_parsed_may_be_asked_of_several_stores_at_a_time(database: Database) -> None:
    text = statement("sql/store_version")
    with memory_store() as other:
        before = other.row(text)
        with database.transaction() as cursor:
            run(cursor, "sql/bump_version")
        with ThreadPoolExecutor(8) as pool:
            answers = list(
                pool.map(lambda number: (database, other)[number % 2].row(text), range(64))
            )
    assert answers[1::2] == [before] * 32
    assert answers[0] != before
    assert answers[::2] == [answers[0]] * 32
