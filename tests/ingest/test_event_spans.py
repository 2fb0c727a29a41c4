"""Agents that report by log records alone: each whole operation is a span, counted like any other."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest import import_paths
from metrics import by_trace
from replay_store import Database, derive
from tests.stores import memory_store

NS = 1_000_000_000
T = 1_780_000_000 * NS
SESSION = {"session.id": "s-1", "prompt.id": "p-1", "user.account_uuid": "u-1"}
TALK = {"conversation.id": "c-1", "model": "gpt-5-codex", "app.version": "0.50"}


def _value(value: Any) -> dict[str, Any]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def _log(name: str, second: float, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "timeUnixNano": str(T + int(second * NS)),
        "attributes": [{"key": key, "value": _value(value)} for key, value in attributes.items()],
        "body": {"stringValue": name},
        **more,
    }


def _file(folder: Path, service: str, logs: list[dict[str, Any]]) -> Path:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    export = {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": logs}]}]}
    path = folder / f"{service}.json"
    path.write_text(json.dumps(export), encoding="utf-8")
    return path


CLAUDE_CODE = [
    _log("claude_code.user_prompt", 0, SESSION | {"event.name": "user_prompt"}),
    _log(
        "claude_code.api_error",
        2,
        SESSION | {"model": "claude", "error": "Overloaded", "status_code": "529", "attempt": "1"},
    ),
    _log(
        "claude_code.api_request",
        5,
        SESSION
        | {"model": "claude", "duration_ms": "2500", "input_tokens": "10", "output_tokens": "7"}
        | {"cache_read_tokens": "90", "cache_creation_tokens": "0", "cost_usd": "0.01"},
    ),
    _log(
        "claude_code.tool_decision",
        6,
        SESSION | {"tool_name": "Bash", "decision": "reject", "source": "user_reject"},
    ),
    # The short name in `event.name` is what newer versions send beside an empty body.
    _log(
        "",
        8,
        SESSION
        | {"event.name": "tool_result", "tool_name": "Read", "tool_use_id": "toolu_1"}
        | {"success": "false", "error": "File not found", "duration_ms": 250},
    ),
]
CODEX = [
    _log("codex.user_prompt", 0, TALK | {"event.name": "codex.user_prompt", "prompt_length": 4}),
    _log(
        "",
        1,
        TALK
        | {"event.name": "codex.api_request", "attempt": 1, "duration_ms": 400}
        | {"http.response.status_code": 429, "error.message": "slow down"},
    ),
    _log("", 3, TALK | {"event.name": "codex.api_request", "attempt": 2, "duration_ms": 900}),
    _log("", 4, TALK | {"event.name": "codex.sse_event", "event.kind": "response.created"}),
    _log(
        "",
        5,
        TALK
        | {"event.name": "codex.sse_event", "event.kind": "response.completed"}
        | {"input_token_count": 100, "output_token_count": 20, "cached_token_count": 60},
    ),
    _log(
        "",
        6,
        TALK
        | {"event.name": "codex.tool_decision", "tool_name": "shell", "call_id": "call_1"}
        | {"decision": "approved", "source": "config"},
    ),
    _log(
        "",
        9,
        TALK
        | {"event.name": "codex.tool_result", "tool_name": "shell", "call_id": "call_1"}
        | {"arguments": '{"command":"ls"}', "duration_ms": 1500, "success": "true"}
        | {"output": "a.txt"},
    ),
]


@pytest.fixture
def database() -> Iterator[Database]:
    with memory_store() as opened:
        yield opened


@pytest.mark.parametrize(
    ("service", "logs", "expected"),
    [
        ("claude-code", CLAUDE_CODE, {"llm_calls": 1, "tools": ("Read",), "tool_errors": 1,
                                      "input_tokens": 100, "output_tokens": 7,
                                      "cached_tokens": 90}),
        ("codex_cli_rs", CODEX, {"llm_calls": 1, "tools": ("shell",), "tool_errors": 0,
                                 "input_tokens": 100, "output_tokens": 20, "cached_tokens": 60}),
    ],
)  # fmt: skip
def test_a_task_is_counted_like_one_of_spans(
    database: Database, tmp_path: Path, service: str, logs: Any, expected: dict[str, Any]
) -> None:
    path = _file(tmp_path, service, logs)
    (line,) = import_paths([path], database)
    (again,) = import_paths([path], database)
    derive(database)

    (counts,) = by_trace(database).values()
    assert {name: getattr(counts, name) for name in expected} == expected
    assert (line.n_stored, line.n_rejected) == (len(logs), 0)
    assert (again.n_stored, again.n_merged) == (0, len(logs))


def _rows(database: Database, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in database.rows(query)]


def test_an_operation_ends_when_it_was_written_and_began_as_long_before_as_it_took(
    database: Database, tmp_path: Path
) -> None:
    import_paths([_file(tmp_path, "claude-code", CLAUDE_CODE)], database)

    rows = _rows(
        database,
        "select name, start_time_ns, end_time_ns, duration_ns from span order by end_time_ns",
    )
    assert [(name, start - T, end - T) for name, start, end, _ in rows[2:]] == [
        ("claude_code.api_request", 2.5 * NS, 5 * NS),
        ("claude_code.tool_decision", 6 * NS, 6 * NS),
        ("claude_code.tool_result", 7.75 * NS, 8 * NS),
    ]


def test_a_refused_tool_is_a_guard_hit(database: Database, tmp_path: Path) -> None:
    import_paths([_file(tmp_path, "claude-code", CLAUDE_CODE)], database)
    import_paths([_file(tmp_path, "codex_cli_rs", CODEX)], database)

    rows = _rows(database, "select decision, rule, tool_name from guard_event order by all")
    assert rows == [("allow", "config", "shell"), ("block", "user_reject", "Bash")]


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(
            _log("claude_code.tool_result", 1, SESSION, traceId="ab" * 16, spanId="cd" * 8),
            id="its span comes by itself",
        ),
        pytest.param(_log("claude_code.tool_result", 1, {"tool_name": "Read"}), id="of no session"),
        pytest.param(_log("claude_code.mcp_server_connection", 1, SESSION), id="no operation"),
        pytest.param(_log("tool_result", 1, SESSION), id="of another service"),
        pytest.param(
            _log("codex.sse_event", 1, TALK | {"event.kind": "response.output_text.delta"}),
            id="part of a turn",
        ),
    ],
)
def test_any_other_record_stays_a_log(
    database: Database, tmp_path: Path, log: dict[str, Any]
) -> None:
    import_paths([_file(tmp_path, "agent", [log])], database)

    assert _rows(database, "select count(*) from span") == [(0,)]
    assert _rows(database, "select count(*) from span_log") == [(1,)]


@pytest.mark.parametrize("duration", ["soon", -1, "inf", "nan", 10**30, True, None, ""])
def test_without_a_duration_only_the_end_is_known(
    database: Database, tmp_path: Path, duration: Any
) -> None:
    written = {} if duration is None else {"duration_ms": str(duration)}
    log = _log("codex.tool_result", 1, TALK | {"tool_name": "shell"} | written)
    import_paths([_file(tmp_path, "codex_cli_rs", [log])], database)

    query = "select start_time_ns, end_time_ns, duration_ns from span"
    assert _rows(database, query) == [(None, T + NS, None)]


def test_without_any_time_only_the_duration_is_kept(database: Database, tmp_path: Path) -> None:
    log = _log("codex.tool_result", 1, TALK | {"tool_name": "shell", "duration_ms": 7})
    del log["timeUnixNano"]
    import_paths([_file(tmp_path, "codex_cli_rs", [log])], database)

    query = "select start_time_ns, end_time_ns, duration_ns from span"
    assert _rows(database, query) == [(None, None, 7_000_000)]


@pytest.mark.parametrize(
    ("success", "status"),
    [({"success": "true"}, "ok"), ({"success": "false"}, "error"), ({}, "error")],
)
def test_what_codex_says_of_a_call_outranks_the_words_of_its_output(
    database: Database, tmp_path: Path, success: dict[str, str], status: str
) -> None:
    told = TALK | {"tool_name": "shell", "duration_ms": 1, "output": "Error: no such file"}
    log = _log("codex.tool_result", 1, told | success)
    import_paths([_file(tmp_path, "codex_cli_rs", [log])], database)
    derive(database)

    assert _rows(database, "select status from tool_call") == [(status,)]
