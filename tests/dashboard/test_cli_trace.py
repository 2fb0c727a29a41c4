"""`toolsight trace` tells one trace, whatever names it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from replay_store import Database, TraceFilter, reader
from replay_store.records import Trace
from replay_store.story import trace_steps

Tell = Callable[..., Result]


@pytest.fixture(scope="module")
def db(sample_copy: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_copy(tmp_path_factory.mktemp("told") / "store.duckdb")


@pytest.fixture(scope="module")
def failed(db: Path) -> tuple[Trace, list[str]]:
    """A trace that failed with failed calls, and the tools of its steps."""
    with Database.open(db) as database:
        trace = next(
            trace
            for trace in reader.find_traces(database, TraceFilter(status="error"), limit=1000)
            if trace.n_noise and trace.n_tool_errors
        )
        steps = trace_steps(database, trace.trace_id)
    return trace, [step.subject or "" for step in steps]


def told(db: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["trace", "--db", str(db), *arguments])


def test_the_terminal_tells_the_story_from_a_line_of_a_log(
    db: Path, failed: tuple[Trace, list[str]]
) -> None:
    trace, tools = failed
    result = told(db, f'ERROR trace_id="{trace.trace_id.upper()}" timeout')

    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == trace.trace_id
    assert "First fault" in lines
    assert "[S3 §" in result.output
    story = lines[next(n for n, line in enumerate(lines) if line.startswith(" #")) + 2 :]
    assert [tool in line for tool, line in zip(tools, story, strict=False)] == [True] * len(tools)
    assert any(line.startswith("noise ") for line in lines)


def test_json_has_the_same_steps_and_what_speaks_for_each_hint(
    db: Path, failed: tuple[Trace, list[str]]
) -> None:
    trace, tools = failed
    found = json.loads(told(db, trace.trace_id[:12], "--json").output)

    assert found["trace"]["trace_id"] == trace.trace_id
    assert [step["subject"] or "" for step in found["steps"]] == tools
    assert found["is_determined"] is True
    assert found["hints"][0]["layer"] == "planning"
    assert {"n", "n_failed"} == set(found["hints"][0]["measured"])
    assert len(found["noise"]) == trace.n_noise


def test_chinese_is_spoken_on_request(db: Path, failed: tuple[Trace, list[str]]) -> None:
    assert "首个故障" in told(db, failed[0].trace_id, "--lang", "zh").output


def test_several_are_listed_and_none_says_why(db: Path, failed: tuple[Trace, list[str]]) -> None:
    several = told(db, f"{failed[0].trace_id} {_another(db, failed[0])}")
    none = told(db, "9" * 32)

    assert (several.exit_code, none.exit_code) == (1, 1)
    assert "2 traces are named by this" in several.output
    assert failed[0].trace_id in several.output
    assert "was ever seen here" in none.output


def _another(db: Path, trace: Trace) -> str:
    with Database.open(db) as database:
        newest = reader.find_traces(database, TraceFilter(), limit=2)
    return next(other.trace_id for other in newest if other.trace_id != trace.trace_id)
