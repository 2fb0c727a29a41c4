"""`toolsight retain --to` moves old days to files and back, after saying what it would do."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from ingest.mapping import map_batch
from replay_store import Batch, Database, TraceFilter, Writer, derive
from replay_store.derive import seal
from replay_store.records import Span
from replay_store.trace_counts import count_traces
from tests.serving import serving, toolsight

MakeSpan = Callable[..., Span]
OLD, NEW = "a" * 32, "b" * 32
START = 1_764_547_200_000_000_000


@pytest.fixture
def db(tmp_path: Path, make_span: MakeSpan) -> Path:
    """A trace of a time that is long ago, and one of far ahead."""
    path, ahead = tmp_path / "store.duckdb", 1 << 62
    batch = Batch(
        spans=[
            make_span(trace_id=OLD, start_time_ns=START, received_time_ns=START),
            make_span(trace_id=NEW, start_time_ns=ahead, received_time_ns=ahead),
        ]
    )
    map_batch(batch)
    with Database.open(path) as database:
        Writer(database).write(batch)
        derive(database)
        seal(database, quiet_before_ns=ahead)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "it's old"


def retain(db: Path, *arguments: str) -> str:
    result = run(db, *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def run(db: Path, *arguments: str, command: str = "retain") -> Result:
    return CliRunner().invoke(main, [command, "--db", str(db), *arguments])


def n_traces(db: Path) -> int:
    with Database.open(db) as database:
        return count_traces(database, TraceFilter())


def test_it_says_rows_and_bytes_by_table_and_day_and_moves_nothing(db: Path, folder: Path) -> None:
    text = retain(db, "--days", "30", "--to", str(folder))

    assert f"would move to {folder}" in text
    assert "Nothing was moved" in text
    [day] = [line.split() for line in text.splitlines() if line.startswith("2025-12-01")]
    assert day[1:3] == ["1", "3"]
    [spans] = [line.split() for line in text.splitlines() if line.startswith("span ")]
    assert spans[1] == "1"
    assert spans[3] in ("B", "KiB", "MiB")
    assert not folder.exists()


def test_it_moves_and_brings_back(db: Path, folder: Path) -> None:
    moved = json.loads(retain(db, "--days", "30", "--to", str(folder), "--apply", "--json"))

    assert {line["table"] for line in moved["moved"]} == {"span", "span_role", "trace_sealed"}
    assert all(line["n_bytes"] > 0 for line in moved["moved"])
    assert n_traces(db) == 2
    assert retain(db, "--days", "30", "--to", str(folder)).startswith("Nothing that is sealed")
    assert "2025-12-01" in retain(db, "--back")
    assert retain(db, "--back", "--day", "2024-01-01").startswith("No such day")

    assert retain(db, "--back", "--apply") == "1 trace came back into the store.\n"
    assert n_traces(db) == 2
    assert list(folder.iterdir()) == []


def test_a_folder_that_is_gone_is_said_in_a_sentence(db: Path, folder: Path) -> None:
    retain(db, "--days", "30", "--to", str(folder), "--apply")
    folder.rename(folder.with_name("away"))

    assert n_traces(db) == 1
    assert "1 moved day not reachable (2025-12-01)" in retain(db, "--back")
    assert "1 moved day not reachable (2025-12-01)" in retain(db, "--days", "30")
    found = run(db, command="doctor")
    assert found.exit_code == 1
    assert "is not there: put the folder, or the file from a copy of it, back" in found.stdout


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(db: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    result = run(db, "--days", "30", "--to", str(tmp_path / "file" / "in it"), "--apply")

    assert result.exit_code != 0
    assert "expected a folder that may be written to" in result.output
    assert n_traces(db) == 2


@pytest.mark.parametrize(
    "arguments", [(), ("--back", "--days", "3"), ("--days", "3", "--day", "2025-12-01")]
)
def test_what_does_not_go_together_is_said(db: Path, arguments: tuple[str, ...]) -> None:
    assert run(db, *arguments).exit_code == 2


def test_a_backup_says_which_days_are_not_in_it(db: Path, folder: Path, tmp_path: Path) -> None:
    assert "days" not in run(db, str(tmp_path / "before"), command="backup").stdout.split(": ")[1]
    retain(db, "--days", "30", "--to", str(folder), "--apply")

    text = run(db, str(tmp_path / "after"), command="backup").stdout

    assert "1 moved day is not in it" in text
    assert str(folder) in text


@pytest.mark.slow
def test_beside_a_server_it_goes_through_the_server(db: Path, folder: Path) -> None:
    with serving(db) as server:
        asked = toolsight(
            "retain", "--days", "30", "--to", str(folder), "--apply", "--db", str(db), cwd=db.parent
        )
        stdout, stderr = asked.communicate(timeout=120)
        assert asked.returncode == 0, stderr
        assert "Moved what was older than" in stdout
        server.process.terminate()
        server.process.wait(20)
    assert n_traces(db) == 2
