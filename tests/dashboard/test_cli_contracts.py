"""`toolsight contracts`, from the command line and over HTTP."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from click.testing import CliRunner, Result

from dashboard.cli import main
from dashboard.serving.tool_mock import mock_app
from replay_store import Database
from replay_store.offered import offered_contracts
from tests.contract_samples import QUERY_ORDER, contract


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["contracts", *map(str, arguments)])


def _write(folder: Path, *values: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for value in values:
        text = json.dumps(value, ensure_ascii=False)
        (folder / f"{value['name']}.json").write_text(text, encoding="utf-8")
    return folder


def test_lint_tells_where_why_and_what_to_write(tmp_path: Path) -> None:
    folder = _write(tmp_path, {**QUERY_ORDER, "name": "ticket_handler", "when_not": None} | {"when_not": ""})  # fmt: skip

    result = _run("lint", folder)

    assert result.exit_code == 0, result.output
    assert "warning  ticket_handler: name [verb_noun, S3 §3.1]" in result.stdout
    assert "such as query_ticket" in result.stdout
    assert "1 contract, " in result.stdout


def test_lint_fails_on_an_error_and_speaks_both_languages_in_json(tmp_path: Path) -> None:
    danger = {**QUERY_ORDER, "name": "delete_order"}
    del danger["danger"]

    result = _run("lint", _write(tmp_path, danger), "--json", "--lang", "zh")

    assert result.exit_code == 1
    (first, *_) = json.loads(result.stdout)
    assert first["rule"] == "danger_undeclared"
    assert first["severity"] == "error"
    assert "默认不在能力清单中" in first["reason"]


def test_lint_of_a_good_contract_says_that_there_is_nothing(tmp_path: Path) -> None:
    result = _run("lint", _write(tmp_path, QUERY_ORDER))

    assert result.stdout == "1 contract, 0 findings.\n"


def test_lint_without_a_path_reads_what_models_were_offered(
    sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    result = _run("lint", "--db", sample_copy(tmp_path / "s.duckdb"), "--json")

    assert result.exit_code == 0, result.output
    found = {(item["tool"], item["rule"]) for item in json.loads(result.stdout)}
    assert ("query_order_status", "when_not") in found, "the contract that lost its sentence"
    assert ("get_user_points", "when_not") not in found


def test_the_latest_offer_of_a_tool_counts(
    sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    with Database.open(sample_copy(tmp_path / "s.duckdb")) as database:
        found = {item.name: item for item in offered_contracts(database)}

    assert len(found) == 10
    assert "不要猜测" not in found["query_order_status"].description
    assert found["create_ticket"].required == frozenset({"order_no", "kind"})


def test_lint_of_an_empty_store_says_what_to_do(tmp_path: Path) -> None:
    result = _run("lint", "--db", tmp_path / "new.duckdb")

    assert result.exit_code == 1
    assert "name a folder" in result.output


def test_diff_tells_what_breaks(tmp_path: Path) -> None:
    base = _write(tmp_path / "base", QUERY_ORDER, {**QUERY_ORDER, "name": "gone"})
    schema = QUERY_ORDER["input_schema"]
    head = _write(
        tmp_path / "head",
        {**QUERY_ORDER, "when_not": "", "input_schema": {**schema, "required": ["order_no", "include_logistics"]}},
    )  # fmt: skip

    result = _run("diff", base, head)

    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert "breaking gone: removed" in lines
    assert any(line.startswith("breaking query_order_status: input_schema.required") for line in lines)  # fmt: skip
    assert any(line.startswith("seen     query_order_status: when_not") for line in lines)
    assert lines[-1] == "3 differences, 2 of them breaking."
    same = _run("diff", base, base, "--json")
    assert (same.exit_code, json.loads(same.stdout)) == (0, [])


def test_import_writes_drafts_and_leaves_files_alone(tmp_path: Path) -> None:
    document = tmp_path / "tools.yaml"
    document.write_text(
        "tools:\n  - {name: query_ticket, description: Reads a ticket, inputSchema: {type: object}}\n"
        "  - {name: create_ticket, inputSchema: {type: object}}\n",
        encoding="utf-8",
    )
    out = _write(tmp_path / "out", {"name": "create_ticket", "description": "mine"})

    result = _run("import", document, "--out", out)

    assert result.exit_code == 0, result.output
    assert [Path(line).name for line in result.stdout.splitlines()] == ["query_ticket.json"]
    assert "mine" in (out / "create_ticket.json").read_text(encoding="utf-8")
    assert _run("lint", out).exit_code == 0


def test_import_of_something_else_says_what_is_expected(tmp_path: Path) -> None:
    document = tmp_path / "x.json"
    document.write_text("[1]", encoding="utf-8")

    result = _run("import", document, "--out", tmp_path / "out")

    assert result.exit_code == 1
    assert "expected OpenAPI" in result.output


def _posted(tool: str, body: bytes) -> httpx.Response:
    app = mock_app([contract(), contract(name="unfinished", returns=None)])

    async def post() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://mock") as client:
            assert (await client.get("/")).json()["tools"] == ["query_order_status", "unfinished"]
            return await client.post(f"/{tool}", content=body)

    return asyncio.run(post())


def test_the_mock_answers_by_schema_and_refuses_wrong_arguments() -> None:
    right = b'{"order_no": "202611200815"}'
    answer = _posted("query_order_status", right)

    assert (answer.status_code, answer.json()["status"]) == (200, "shipped")
    refused = _posted("query_order_status", b'{"orderno": "1"}')
    assert refused.status_code == 400
    assert "order_no" in refused.json()["error"]
    assert _posted("query_order_status", b"{").status_code == 400
    assert _posted("query_order_status", b"x" * 1024**2 + b"xx").status_code == 413
    assert _posted("nothing", right).status_code == 404
    assert _posted("unfinished", right).status_code == 501
