"""The commands over a store in a temporary folder and tiny OTLP files."""

import json
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from ingest import import_paths
from replay_store import Database

Toolsight = Callable[..., Result]
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
START_NS = 1_780_000_000_000_000_000


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "store.duckdb"


@pytest.fixture
def toolsight(db: Path, monkeypatch: pytest.MonkeyPatch) -> Toolsight:
    """Runs one command over the store of this test."""
    monkeypatch.delenv("TOOLSIGHT_DB", raising=False)

    def run(command: str, *arguments: str) -> Result:
        return CliRunner().invoke(main, [command, "--db", str(db), *arguments])

    return run


def _attribute(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def _span(
    index: int, name: str, attributes: Mapping[str, str] | None = None, *, is_error: bool = False
) -> dict[str, Any]:
    return {
        "traceId": TRACE_ID,
        "spanId": f"{index:016x}",
        "parentSpanId": "" if index == 1 else f"{1:016x}",
        "name": name,
        "startTimeUnixNano": str(START_NS + index * 1_000_000_000),
        "endTimeUnixNano": str(START_NS + index * 1_000_000_000 + 250_000_000),
        "attributes": [_attribute(key, value) for key, value in (attributes or {}).items()],
        "status": {"code": 2} if is_error else {},
    }


def _otlp(*spans: dict[str, Any]) -> str:
    return json.dumps(
        {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "t"}, "spans": spans}]}]}
    )


@pytest.fixture
def trace_file(tmp_path: Path) -> Path:
    """One agent run that calls a tool in vain and then with success."""
    call = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "query_order"}
    path = tmp_path / "run.json"
    path.write_text(
        _otlp(
            _span(1, "invoke_agent shop", {"gen_ai.operation.name": "invoke_agent"}),
            _span(2, "execute_tool query_order", call, is_error=True),
            _span(3, "execute_tool query_order", call),
        ),
        encoding="utf-8",
    )
    return path


def test_a_file_is_read_and_the_next_step_is_named(
    toolsight: Toolsight, trace_file: Path, db: Path
) -> None:
    result = toolsight("ingest", str(trace_file))

    assert result.exit_code == 0, result.output
    assert "1 trace, 1 of them with an error" in result.stdout
    assert f"toolsight serve --db {db}" in result.stdout
    assert f"/trace?trace_id={TRACE_ID}" in result.stdout
    assert result.stderr == f"reading {trace_file}\n"


def test_the_same_file_twice_counts_once(toolsight: Toolsight, trace_file: Path) -> None:
    toolsight("ingest", str(trace_file))

    result = toolsight("ingest", "--json", str(trace_file))

    line = json.loads(result.stdout)[0]
    assert result.exit_code == 0
    assert (line["n_records"], line["n_stored"], line["n_merged"]) == (3, 0, 3)


def test_a_bad_record_is_told_and_takes_no_good_one_with_it(
    toolsight: Toolsight, tmp_path: Path
) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text(_otlp(_span(1, "good")) + '\n{"resourceSpans": [\n', encoding="utf-8")

    result = toolsight("ingest", str(path))

    assert result.exit_code == 0
    assert "line 2" in result.stdout
    assert "1 trace" in result.stdout


@pytest.mark.parametrize("content", [b"", b"just text\n", b"\x00\xff\x1b[2J"])
def test_when_nothing_can_be_read_the_status_is_1(
    toolsight: Toolsight, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)

    result = toolsight("ingest", str(path), str(tmp_path / "missing.json"))

    assert result.exit_code == 1
    assert "bad.json: " in result.stdout
    assert "missing.json: no such file" in result.stdout
    assert "\x1b" not in result.stdout
    assert "Traceback" not in result.output


def test_one_good_file_is_enough(toolsight: Toolsight, trace_file: Path, tmp_path: Path) -> None:
    assert toolsight("ingest", str(tmp_path / "missing.json"), str(trace_file)).exit_code == 0


def test_what_a_killed_import_left_is_derived_with_the_next_one(
    toolsight: Toolsight, trace_file: Path, tmp_path: Path, db: Path
) -> None:
    with Database.open(db) as database:
        import_paths([trace_file], database)
    other = tmp_path / "other.json"
    other.write_text(_otlp(_span(1, "agent") | {"traceId": f"{1:032x}"}), encoding="utf-8")

    result = toolsight("ingest", str(other))

    assert "The store holds 2 traces, 1 of them with an error." in result.stdout


def test_many_traces_are_derived_in_parts(
    toolsight: Toolsight, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.cli.ingest._DERIVE_TRACES", 2)
    spans = [_span(1, "agent") | {"traceId": f"{number:032x}"} for number in range(1, 6)]
    path = tmp_path / "many.json"
    path.write_text(_otlp(*spans), encoding="utf-8")

    assert toolsight("ingest", str(path)).exit_code == 0

    told = json.loads(toolsight("report", "--by", "trace", "--json").stdout)
    assert len(told) == 5


def test_many_files_are_summed_up(toolsight: Toolsight, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for index in range(1, 51):
        (folder / f"{index:02}.json").write_text(_otlp(_span(index, "s")), encoding="utf-8")

    result = toolsight("ingest", str(folder))

    assert "10 more files without a message" in result.stdout
    assert "50 files" in result.stdout
    assert "Next: toolsight serve" in result.stdout


def test_intake_lists_files_and_refusals(toolsight: Toolsight, tmp_path: Path) -> None:
    path = tmp_path / "half.jsonl"
    path.write_text(_otlp(_span(1, "good")) + '\n{"resourceSpans": [\n', encoding="utf-8")
    toolsight("ingest", str(path))

    text = toolsight("intake").stdout
    answer = json.loads(toolsight("intake", "--json", "--limit", "1").stdout)

    assert "half.jsonl" in text
    assert "Refused records, newest first (1):" in text
    [line] = answer["files"]
    [refused] = answer["rejects"]
    assert line["n_records"] == line["n_stored"] + line["n_merged"] + line["n_rejected"] == 2
    assert refused["place"] == "line 2"


def test_an_empty_store_says_what_to_do(toolsight: Toolsight) -> None:
    assert "toolsight ingest" in toolsight("intake").stdout
    assert "toolsight ingest" in toolsight("report").stdout


def test_a_report_of_an_empty_store_holds_null_and_no_zero(toolsight: Toolsight) -> None:
    answer = json.loads(toolsight("report", "--json").stdout)

    assert answer["retries"]["rate"]["value"] is None
    assert json.loads(toolsight("report", "--by", "trace", "--json").stdout) == {}


def test_a_report_names_its_range_and_every_metric(toolsight: Toolsight, trace_file: Path) -> None:
    from metrics import DEFINITIONS

    toolsight("ingest", str(trace_file))

    result = toolsight("report")

    assert result.exit_code == 0
    assert "ends at the newest data, not now" in result.stdout
    for definition in DEFINITIONS:
        assert definition.name_en in result.stdout


def test_a_report_by_trace_is_what_the_metrics_say(toolsight: Toolsight, trace_file: Path) -> None:
    toolsight("ingest", str(trace_file))

    answer = json.loads(toolsight("report", "--by", "trace", "--json").stdout)

    assert set(answer) == {TRACE_ID}
    assert answer[TRACE_ID]["tools"] == ["query_order", "query_order"]
    assert answer[TRACE_ID]["tool_errors"] == 1
    assert set(answer[TRACE_ID]) == {
        "llm_calls",
        "tools",
        "tool_errors",
        "retries",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "run_failed",
        "identical_calls_in_a_row",
    }
    assert TRACE_ID in toolsight("report", "--by", "trace").stdout


def test_a_report_can_be_about_one_tool(toolsight: Toolsight, trace_file: Path) -> None:
    toolsight("ingest", str(trace_file))

    known = json.loads(toolsight("report", "--json", "--tool", "query_order").stdout)
    unknown = json.loads(toolsight("report", "--json", "--tool", "no_such").stdout)

    assert known["latency"]["attempt"]["n"] == 2
    assert unknown["latency"]["attempt"]["n"] == 0


def test_a_rebuild_changes_no_answer(toolsight: Toolsight, trace_file: Path) -> None:
    toolsight("ingest", str(trace_file))
    before = toolsight("report", "--by", "trace", "--json").stdout

    result = toolsight("rebuild")

    assert (result.exit_code, result.stdout) == (0, "3 spans read again.\n")
    assert toolsight("report", "--by", "trace", "--json").stdout == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("ingest",),
        ("report", "--range", "1y"),
        ("report", "--by", "moon"),
        ("intake", "--limit", "0"),
        ("serve", "--port", "99999"),
        ("nosuch",),
    ],
)
def test_wrong_usage_is_status_2(arguments: tuple[str, ...]) -> None:
    assert CliRunner().invoke(main, list(arguments)).exit_code == 2


def test_a_store_that_is_none_is_a_sentence(toolsight: Toolsight, db: Path) -> None:
    db.write_text("not a database, " * 1000, encoding="utf-8")

    result = toolsight("report")

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {db}: not a Toolsight store")


def test_a_setting_that_cannot_be_used_is_a_sentence(
    toolsight: Toolsight, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLSIGHT_TIME_ZONE", "Mars")

    result = toolsight("report")

    assert result.exit_code == 1
    assert "TOOLSIGHT_TIME_ZONE" in result.stderr


def test_the_store_can_be_named_by_the_environment(
    db: Path, trace_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLSIGHT_DB", str(db))

    assert CliRunner().invoke(main, ["ingest", str(trace_file)]).exit_code == 0
    assert db.exists()


def test_the_version_is_that_of_the_installed_package() -> None:
    try:
        installed = version("toolsight")
    except PackageNotFoundError:
        pytest.skip("toolsight runs from its folder here and is not installed")

    result = CliRunner().invoke(main, ["--version"], prog_name="toolsight")

    assert result.stdout == f"toolsight {installed}\n"
