"""`toolsight replay` from the command line: cases, runs, the gate, robustness, the report."""

import json
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from ingest import import_paths
from replay_store import Database, derive
from replay_store.replay import runs
from tests.observed import Recorder, order

HOSTILE = "<script>alert(1)</script>"
SCHEMA = {"type": "object", "properties": {"order_no": {"type": "string"}}}
DECISION: dict[str, Any] = {
    "case_id": "where",
    "kind": "decision",
    "input": [{"role": "user", "text": "订单状态"}],
    "offered": [
        {"name": "query_order", "description": "查询订单状态", "input_schema": SCHEMA},
        {"name": "search", "description": "按商品名搜索"},
    ],
    "chosen": {"tool": "query_order", "arguments": {"order_no": "7"}},
    "gold": {"need": "CALL", "best": ["query_order"]},
}
OBSERVATION: dict[str, Any] = {
    "case_id": "seen",
    "kind": "observation",
    "context": {"query_time": "2026-11-20T00:00:12+00:00", "intent": "track_delivery"},
    "recorded": [
        {"tool": "order_api", "body": {"order_id": "7", "status": "shipped"},
         "received_at": "2026-11-20T00:00:00+00:00"}
    ],
    "expected": {"prompt": {"text": "【订单状态】已发货\n【预计送达】未知（工具未返回）"}},
}  # fmt: skip
ADAPTER: dict[str, Any] = {
    "case_id": "adapter",
    "kind": "adapter",
    "recorded": [{"tool": "upstream", "body": {"st": 3}}],
    "expected": {"answer": {"status": HOSTILE}},
}
FUNCTIONS = f"""
def good(upstream): return {{"status": "{HOSTILE}"}}
def bad(upstream): return {{"status": upstream[0]["body"]["st"]}}
def search(given): return "search"
"""


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["replay", *map(str, arguments)])


def _write(folder: Path, *rows: Mapping[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    for row in rows:
        (folder / f"{row.get('case_id', row.get('name'))}.json").write_bytes(orjson.dumps(row))
    return folder


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return _write(tmp_path / "cases", DECISION, OBSERVATION, ADAPTER)


@pytest.fixture
def functions(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(FUNCTIONS, encoding="utf-8")
    return path


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "store.duckdb"
    monkeypatch.setenv("TOOLSIGHT_DB", str(path))
    return path


def _contract(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "description": description, "input_schema": SCHEMA}


def test_a_run_over_this_installation_touches_no_store(cases: Path, db: Path) -> None:
    result = _run("run", "--case-dir", cases)
    assert result.exit_code == 0, result.output
    assert "2 cases: 0 broken, 0 fixed, 2 the same (2 right, 0 wrong)" in result.output
    assert "right 100.0 % before, 100.0 % after; no case changed" in result.output
    assert "95 % intervals: before " in result.output
    assert not db.exists()


def test_a_broken_case_is_told_with_its_diff_and_ends_with_status_one(
    cases: Path, tmp_path: Path
) -> None:
    head = _write(tmp_path / "head", _contract("query_order", "干活"))
    result = _run("run", "--case-dir", cases, "--contracts", head)
    assert result.exit_code == 1
    assert "1 cases: 1 broken" in result.output
    assert "broken: where\n  chose NO_CALL: query_order was right\n  - tool: query_order" in (
        result.output
    )
    assert "McNemar exact p = 1" in result.output


def test_a_run_as_json_holds_everything(cases: Path, functions: Path) -> None:
    result = _run("run", "--case-dir", cases, "--chooser", f"{functions}:search", "--json")
    found = json.loads(result.output)
    assert result.exit_code == 1
    assert (found["run"]["against"], found["run"]["n_broken"]) == ("chooser", 1)
    assert (found["right_before"], found["right_after"], found["mcnemar_p"]) == (1.0, 0.0, 1.0)
    assert found["results"][0]["after"]["label"] == "WRONG_TOOL"


def test_an_adapter_is_tried_on_what_its_upstream_did(cases: Path, functions: Path) -> None:
    good = _run("run", "--case-dir", cases, "--adapter", f"{functions}:good")
    assert (good.exit_code, "1 the same (1 right" in good.output) == (0, True)
    assert _run("run", "--case-dir", cases, "--adapter", f"{functions}:bad").exit_code == 1


def test_rules_are_tried_on_recorded_outputs(cases: Path, tmp_path: Path) -> None:
    from pipeline.observation import package_rule_texts

    folder = tmp_path / "rules"
    folder.mkdir()
    for name, text in package_rule_texts().items():
        (folder / name).write_text(text.replace("shipped", "shopped"), encoding="utf-8")
    result = _run("run", "--case-dir", cases, "--rules", folder)
    assert result.exit_code == 1
    assert "broken: seen" in result.output
    assert "- prompt: 【订单状态】已发货" in result.output
    same = _run("run", "--case-dir", cases, "--rules", folder, "--base-rules", folder)
    assert (same.exit_code, "1 the same (0 right, 1 wrong)" in same.output) == (0, True)


def test_two_versions_of_rules_are_played_by_one_chooser(cases: Path, tmp_path: Path) -> None:
    from pipeline.observation import package_rule_texts

    for name, text in package_rule_texts().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = ("--rules", tmp_path, "--chooser", "lexical")

    alone = _run("run", "--case-dir", cases, *found)
    assert (alone.exit_code, "give --base-rules DIR" in alone.output) == (1, True)
    both = _run("run", "--case-dir", cases, *found, "--base-rules", tmp_path, "--json")
    assert both.exit_code == 0
    assert json.loads(both.stdout)["run"]["chooser"].startswith("lexical")


def test_nothing_that_could_be_judged_is_no_success(cases: Path) -> None:
    nobody = "openai:m@http://127.0.0.1:9/v1"
    result = _run("run", "--case-dir", cases, "--chooser", nobody)
    assert result.exit_code == 1
    assert "no case could be judged on both sides" in result.output
    assert "no answer" in result.output


WRONG: dict[tuple[str, ...], str] = {
    ("run", "--against", "rules"): "what to try is missing; give --rules DIR",
    ("run", "--against", "contracts"): "what to try is missing; give --contracts DIR",
    ("run", "--against", "adapter"): "what to try is missing; give --adapter",
    ("run", "--chooser", "nobody"): "expected recorded, lexical",
    ("run", "--case-dir", "nowhere"): "nowhere: no such folder",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_what_is_missing_is_said_with_what_to_do(cases: Path, arguments: tuple[str, ...]) -> None:
    given = arguments if "--case-dir" in arguments else (*arguments, "--case-dir", str(cases))
    result = _run(*given)
    assert result.exit_code == 1
    assert WRONG[arguments] in result.output


def test_a_folder_without_a_fitting_case_says_how_to_make_one(tmp_path: Path) -> None:
    folder = _write(tmp_path / "few", ADAPTER)
    result = _run("run", "--case-dir", folder)
    assert result.exit_code == 1
    assert "make one with `toolsight replay case TRACE_ID`" in result.output


class _Page(HTMLParser):
    """Tags, and addresses that a browser would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href")]


def test_the_report_stands_alone_and_takes_no_markup_from_cases(
    cases: Path, functions: Path, tmp_path: Path
) -> None:
    report = tmp_path / "out" / "replay.html"
    _run("run", "--case-dir", cases, "--adapter", f"{functions}:bad", "--report", report)
    text = report.read_text(encoding="utf-8")
    page = _Page(text)
    assert "script" not in page.tags
    assert page.fetched == []
    assert HOSTILE not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "1 of 1 cases broken" in text


def test_a_kept_run_is_in_the_store_with_its_cases(cases: Path, db: Path) -> None:
    assert _run("run", "--case-dir", cases, "--keep", "--by", "lin").exit_code == 0
    with Database.open(db) as database:
        [run] = runs(database)
        assert (run.against, run.created_by, run.n_cases) == ("code", "lin", 2)
    again = _run("run", "--stored")
    assert "2 cases: 0 broken" in again.output


@pytest.fixture
def trace_id(db: Path, tmp_path: Path) -> str:
    recorder = Recorder()
    recorder.observe([order(status="shipped")])
    with Database.open(db) as database:
        recorder.store(database, tmp_path)
        row = database.row("select hex_trace(trace_id) as trace_id from observation")
        assert row is not None
        return str(row["trace_id"])


def test_cases_are_made_from_a_trace_kept_and_exported(trace_id: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    result = _run("case", trace_id.upper(), "--out", made)
    assert result.exit_code == 0, result.output
    assert "1 cases kept, 1 of them new" in result.output
    [path] = made.iterdir()
    exported = _run("export", "--out", tmp_path / "exported")
    assert "1 cases written" in exported.output
    assert (tmp_path / "exported" / path.name).read_bytes() == path.read_bytes()
    assert "0 cases written" in _run("export", "--out", tmp_path / "x", "--tool", "none").output
    assert _run("run", "--stored").exit_code == 0


def test_a_case_as_json_is_a_line_that_ingest_reads(
    trace_id: str, db: Path, tmp_path: Path
) -> None:
    result = _run("case", trace_id, "--kind", "observation", "--json")
    path = tmp_path / "cases.jsonl"
    path.write_text(result.stdout, encoding="utf-8")
    with Database.open(db) as database:
        [line] = import_paths([path], database)
        derive(database)
    assert (line.container, line.n_stored, line.n_merged) == ("replay-cases", 0, 1)


def test_what_cannot_become_a_case_is_told(trace_id: str) -> None:
    assert "no such trace in the store" in _run("case", "0" * 31 + "1").output
    result = _run("case", trace_id, "--kind", "end_to_end")
    assert result.exit_code == 1
    assert "does not show what the model was given first" in result.output
    assert _run("case", trace_id, "--expect", "search").exit_code == 2


def test_the_gate_refuses_and_lets_through(cases: Path, tmp_path: Path) -> None:
    base = _write(
        tmp_path / "base", _contract("query_order", "查询订单状态"), _contract("other", "别的")
    )
    same = _run("gate", "--base", base, "--head", base, "--case-dir", cases)
    assert (same.exit_code, same.output) == (0, "no contract changed\n")

    fine = _write(
        tmp_path / "fine", _contract("query_order", "查询订单状态。"), _contract("other", "别的")
    )
    found = _run("gate", "--base", base, "--head", fine, "--case-dir", cases)
    assert found.exit_code == 0, found.output
    assert "1 cases played, 0 broken" in found.output

    bare = _write(
        tmp_path / "bare", _contract("query_order", "查询订单状态"), _contract("other", "新的")
    )
    found = _run("gate", "--base", base, "--head", bare, "--case-dir", cases)
    assert found.exit_code == 1
    assert "refused: other: no case covers it" in found.output

    worse = _write(tmp_path / "worse", _contract("query_order", "干活"), _contract("other", "别的"))
    found = _run("gate", "--base", base, "--head", worse, "--case-dir", cases, "--json")
    assert found.exit_code == 1
    value = json.loads(found.output)
    assert (value["is_open"], value["uncovered"], value["n_played"]) == (False, [], 1)
    assert value["broken"][0]["case_id"] == "where"
    told = _run("gate", "--base", base, "--head", worse, "--case-dir", cases).output
    assert "refused: mend the contract, or change the case in the same review" in told


def test_robustness_is_told_by_kind_and_intensity(cases: Path) -> None:
    result = _run("robustness", "--case-dir", cases)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert len([line for line in lines if line.startswith(("all ", "DROP "))]) == 10
    assert "1 cases with facts, 5 seeds" in result.output
    value = json.loads(_run("robustness", "--case-dir", cases, "--json").output)
    assert {row["intensity"] for row in value} == {0.0, 0.1, 0.2, 0.3, 0.4}


def test_robustness_without_observations_says_that_there_is_nothing(tmp_path: Path) -> None:
    folder = _write(tmp_path / "few", DECISION)
    result = _run("robustness", "--case-dir", folder)
    assert (result.exit_code, "nothing to disturb" in result.output) == (0, True)


def test_text_of_cases_steers_no_terminal(tmp_path: Path, functions: Path) -> None:
    hostile = ADAPTER | {"expected": {"answer": "\x1b[2J"}}
    folder = _write(tmp_path / "hostile", hostile)
    result = _run("run", "--case-dir", folder, "--adapter", f"{functions}:bad")
    assert "\x1b" not in result.output


def test_the_store_can_be_named_before_or_after_the_command(cases: Path, tmp_path: Path) -> None:
    path = tmp_path / "named.duckdb"
    result = _run("--db", path, "run", "--case-dir", cases, "--keep")
    assert result.exit_code == 0, result.output
    assert path.exists()
