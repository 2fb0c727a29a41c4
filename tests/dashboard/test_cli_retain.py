"""`toolsight retain` says what would go before anything goes, beside a server too."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from ingest.mapping import map_batch
from replay_store import Batch, Database, TraceFilter, Writer, derive
from replay_store.reader import get_trace
from replay_store.records import Span
from replay_store.retention import DAY_NS
from replay_store.trace_counts import count_traces
from tests.serving import serving, toolsight

MakeSpan = Callable[..., Span]
OLD, NEW = "a" * 32, "b" * 32


@pytest.fixture
def db(tmp_path: Path, make_span: MakeSpan) -> Path:
    """A trace of 40 days ago and one of just now."""
    path, now = tmp_path / "store.duckdb", time.time_ns()
    old = now - 40 * DAY_NS
    batch = Batch(
        spans=[
            make_span(trace_id=OLD, start_time_ns=old, received_time_ns=old),
            make_span(trace_id=NEW, start_time_ns=now, received_time_ns=now),
        ]
    )
    map_batch(batch)
    with Database.open(path) as database:
        Writer(database).write(batch)
        derive(database)
    return path


def retain(db: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(main, ["retain", "--db", str(db), *arguments])
    assert result.exit_code == 0, result.output
    return result


def n_traces(db: Path) -> int:
    with Database.open(db) as database:
        return count_traces(database, TraceFilter())


def test_without_apply_it_only_says_what_would_go(db: Path) -> None:
    text = retain(db, "--days", "30").stdout

    assert "would go" in text
    assert "Run it again with --apply" in text
    [day] = [line for line in text.splitlines() if line.startswith("20")]
    assert day.split()[1:] == ["1", "3"]
    assert n_traces(db) == 2


def test_with_apply_it_goes_and_a_second_time_there_is_nothing(db: Path) -> None:
    text = retain(db, "--days", "30", "--apply").stdout

    assert "Removed what was older than" in text
    assert "Kept: labels" in text
    with Database.open(db) as database:
        assert get_trace(database, OLD) is None
        assert get_trace(database, NEW) is not None
    assert retain(db, "--days", "30").stdout.startswith("Nothing is older than")


def test_json_tells_table_day_and_count(db: Path) -> None:
    said = json.loads(retain(db, "--days", "30", "--json").stdout)

    assert said["removed"] is None
    assert {line["table"]: line["n"] for line in said["expired"]} == {
        "span": 1,
        "span_role": 1,
        "trace": 1,
    }
    assert json.loads(retain(db, "--days", "30", "--apply", "--json").stdout)["removed"] == {
        "span": 1,
        "span_role": 1,
        "trace": 1,
    }


@pytest.mark.slow
def test_beside_a_server_it_goes_through_the_server(db: Path) -> None:
    with serving(db) as server:
        asked = toolsight("retain", "--days", "30", "--apply", "--db", str(db), cwd=db.parent)
        stdout, stderr = asked.communicate(timeout=60)
        assert asked.returncode == 0, stderr
        assert "Removed what was older than" in stdout
        server.process.terminate()
        server.process.wait(10)
    assert n_traces(db) == 1


@pytest.mark.slow
def test_a_backup_is_made_beside_a_server(db: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.duckdb"
    with serving(db) as server:
        asked = toolsight("backup", str(copy), "--db", str(db), cwd=db.parent)
        stdout, stderr = asked.communicate(timeout=60)
        assert asked.returncode == 0, stderr
        assert stdout.startswith(f"{copy}: ")
        assert server.get("/healthz").status == 200
    assert n_traces(copy) == 2
