"""`toolsight doctor`: what it tells, what it mends, and how it ends."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, derive
from replay_store.records import Span
from tests.serving import serving, toolsight

MakeSpan = Callable[..., Span]


@pytest.fixture
def db(tmp_path: Path, make_span: MakeSpan) -> Path:
    path = tmp_path / "store.duckdb"
    batch = Batch(spans=[make_span(trace_id=f"{n:032x}") for n in range(1, 4)])
    map_batch(batch)
    with Database.open(path) as database:
        Writer(database).write(batch)
        derive(database)
    return path


def doctor(db: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", "--db", str(db), *arguments])


def change(db: Path, sql: str) -> None:
    with Database.open(db) as database, database.transaction() as cursor:
        cursor.execute(sql)


def test_a_sound_store_is_said_to_be_sound(db: Path) -> None:
    result = doctor(db)

    assert (result.exit_code, result.stderr) == (0, "")
    assert "3 spans" in result.stdout
    assert result.stdout.rstrip().endswith("The store is sound.")


def test_what_is_wrong_is_named_with_what_to_do_and_mended_when_asked(db: Path) -> None:
    change(db, "insert into span from span limit 1")
    change(db, "delete from span_role where trace_id = (select max(trace_id) from span)")

    told = doctor(db, "--json")
    assert told.exit_code == 1
    body = json.loads(told.stdout)
    wrong = {check["check"]: check for check in body["checks"] if check["n_wrong"]}
    assert body["is_sound"] is False
    assert wrong.keys() == {"spans_twice", "unmapped"}
    assert wrong["unmapped"] == {
        "check": "unmapped", "n_wrong": 1, "n_looked": 3, "example": f"{3:032x}"
    }  # fmt: skip

    text = doctor(db)
    assert text.exit_code == 1
    assert f"every span is mapped: not so, such as {3:032x}: run it again with --repair" in (
        text.stdout
    )
    mended = doctor(db, "--repair")
    assert (mended.exit_code, "The store is sound." in mended.stdout) == (0, True)
    assert doctor(db).exit_code == 0


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    result = doctor(tmp_path / "none.duckdb")

    assert result.exit_code == 1
    assert "no such store" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_can_be_read_is_written_to_a_new_store(db: Path, tmp_path: Path) -> None:
    result = doctor(db, "--salvage", str(tmp_path / "new.duckdb"))

    assert result.exit_code == 0, result.output
    assert "No row was lost." in result.stdout
    assert doctor(tmp_path / "new.duckdb").exit_code == 0
    again = doctor(db, "--salvage", str(tmp_path / "new.duckdb"))
    assert again.exit_code == 1
    assert "is there already" in again.stderr


@pytest.mark.slow
def test_a_served_store_is_looked_at_and_not_salvaged(db: Path, tmp_path: Path) -> None:
    with serving(db):
        looked, refused = (
            toolsight("doctor", "--db", str(db), *more, cwd=tmp_path)
            for more in ((), ("--salvage", str(tmp_path / "new.duckdb")))
        )
        told, _ = looked.communicate(timeout=60)
        _, why = refused.communicate(timeout=60)

    assert (looked.returncode, "The store is sound." in told) == (0, True)
    assert (refused.returncode, "stop the server first" in why) == (1, True)
