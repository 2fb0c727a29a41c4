"""Requests, runs, tries and answers become calls; what failed and was tried again is told."""

import json
from typing import Any

import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Writer
from replay_store.derive import QUIET_NS, catch_up, derive, seal

ARGS = json.dumps({"order_no": "202406150001"})


def calls(agent: Any, columns: str) -> list[tuple[Any, ...]]:
    return agent.rows("tool_call", columns, "trace_id, call_index")  # type: ignore[no-any-return]


def test_a_request_a_run_and_an_answer_are_one_call(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "query_order", ARGS),))
    agent.tool(3, 3, 4, "query_order", call_id="c1", arguments=ARGS, result="shipped")
    agent.model(4, 5, 6, answers=(("c1", "shipped"),), says="on its way")
    agent.write()
    assert calls(agent, "tool_name, turn_index, is_executed, status, n_attempts, duration_ns") == [
        ("query_order", 0, True, "ok", 1, 1_000_000_000)
    ]


def test_without_call_ids_runs_are_paired_by_arguments_then_by_turn(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("", "get", '{"a": 1}'), ("", "get", '{"a": 2}')))
    agent.tool(3, 3, 4, "get", arguments='{"a": 2.0}')
    agent.tool(4, 3, 5, "get", arguments="1")
    agent.write()
    assert calls(agent, "hex_span(span_id), arguments_preview") == [
        ("0000000000000004", '{"a": 1}'),
        ("0000000000000003", '{"a": 2}'),
    ]


def test_a_request_that_never_ran_is_told_by_the_answer_the_model_was_shown(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "lookup", "{}"), ("c2", "get", "{}")))
    agent.tool(3, 3, 4, "get", call_id="c2", result="fine")
    agent.model(
        5, 5, 6, answers=(("c1", "Error: unknown tool lookup"), ("c2", "fine")), says="done"
    )
    agent.write()
    assert calls(agent, "tool_name, is_executed, status, error_source, n_attempts") == [
        ("lookup", False, "error", "content", 0),
        ("get", True, "ok", None, 1),
    ]


def test_without_any_tool_span_an_answered_request_counts_as_run(agent: Any) -> None:
    agent.model(2, 1, 2, asks=(("c1", "get", "{}"), ("c2", "put", "{}")))
    agent.model(3, 3, 4, answers=(("c1", "fine"),), says="done")
    agent.write()
    assert calls(agent, "tool_name, is_executed, status, duration_ns") == [
        ("get", True, "ok", None),
        ("put", False, "unknown", None),
    ]


def test_history_repeated_in_later_turns_adds_no_calls(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "get", "{}"),))
    agent.model(3, 3, 4, answers=(("c1", "fine"),), asks=(("c2", "put", "{}"),))
    agent.model(4, 5, 6, answers=(("c1", "fine"), ("c2", "ok")), says="done")
    agent.write()
    assert calls(agent, "tool_name") == [("get",), ("put",)]


def test_a_run_inside_a_run_of_the_same_tool_is_one_call_timed_by_the_outer(agent: Any) -> None:
    agent.root()
    agent.tool(3, 3, 6, "get", call_id="c1", result="fine")
    agent.span(
        4,
        3,
        4,
        5,
        name="tools/call get",
        attributes={"mcp.method.name": "tools/call", "gen_ai.tool.name": "get"},
    )
    agent.span(
        5,
        4,
        4.2,
        4.8,
        name="tools/call get",
        attributes={"mcp.method.name": "tools/call", "gen_ai.tool.name": "get"},
    )
    agent.write()
    assert calls(agent, "hex_span(span_id), duration_ns") == [("0000000000000003", 3_000_000_000)]


def test_attempt_spans_beneath_a_run_are_its_tries(agent: Any) -> None:
    agent.root()
    agent.tool(3, 3, 9, "get", call_id="c1", result="fine")
    agent.span(4, 3, 3, 4, name="attempt 1", status_code=2, attributes={"toolsight.attempt": 1})
    agent.span(5, 3, 5, 9, name="attempt 2", attributes={"toolsight.attempt": 2})
    agent.write()
    assert calls(agent, "n_attempts, status, duration_ns") == [(2, "ok", 6_000_000_000)]
    assert agent.rows("attempt", "attempt_index, status, duration_ns", "attempt_index") == [
        (0, "error", 1_000_000_000),
        (1, "unknown", 4_000_000_000),
    ]
    assert agent.rows("trace", "n_retries", "trace_id") == [(1,)]


def test_two_runs_of_one_call_id_are_two_tries_of_one_call(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "get", "{}"),))
    agent.tool(3, 3, 4, "get", call_id="c1", status_code=2)
    agent.tool(4, 5, 6, "get", call_id="c1", result="fine")
    agent.write()
    assert calls(agent, "n_attempts, status, duration_ns") == [(2, "ok", 3_000_000_000)]


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ('{"a": 1}', '{"a": 1}', "identical"),
        ('{"a": 1}', '{"a": 2}', "corrected"),
        (None, None, "inferred"),
    ],
)
def test_a_call_after_a_failed_one_of_its_tool_is_a_retry(
    agent: Any, first: str | None, second: str | None, kind: str
) -> None:
    agent.root()
    for index, arguments in enumerate((first, second)):
        agent.model(10 + index, 4 * index + 1, 4 * index + 2, says="…")
        shown = {} if arguments is None else {"arguments": arguments}
        agent.tool(
            20 + index,
            4 * index + 3,
            4 * index + 4,
            "get",
            status_code=2 - index,
            result="x",
            **shown,
        )
    agent.write()
    assert calls(agent, "retry_of, retry_root, retry_kind") == [(None, 0, None), (0, 0, kind)]


def test_three_failures_are_two_retries_of_one_chain(agent: Any) -> None:
    agent.root()
    for index in range(3):
        agent.model(10 + index, 4 * index + 1, 4 * index + 2, asks=((f"c{index}", "get", "{}"),))
        agent.tool(
            20 + index, 4 * index + 3, 4 * index + 4, "get", call_id=f"c{index}", status_code=2
        )
    agent.write()
    assert calls(agent, "retry_of, retry_root") == [(None, 0), (0, 0), (1, 0)]
    assert agent.rows("trace", "n_retries, n_tool_errors, longest_identical_run", "1") == [
        (2, 3, 3)
    ]


@pytest.mark.parametrize("case", ["parallel", "after_success", "blocked", "far"])
def test_what_is_no_retry(agent: Any, case: str) -> None:
    agent.root()
    asks = (("c1", "get", "{}"), ("c2", "get", '{"b": 1}'))
    agent.model(2, 1, 2, asks=asks if case == "parallel" else asks[:1])
    first: dict[str, Any] = {"status_code": 2}
    if case == "after_success":
        first = {"result": "fine"}
    if case == "blocked":
        first = {"result": "Blocked by policy: no."}
    agent.tool(3, 3, 4, "get", call_id="c1", **first)
    for index in range(3 if case == "far" else 0):
        agent.tool(30 + index, 5 + index, 5.5 + index, "other", result="fine")
    if case != "parallel":
        agent.model(4, 9, 10, asks=asks[1:])
    agent.tool(5, 11, 12, "get", call_id="c2", result="fine")
    agent.write()
    assert [row for row in calls(agent, "retry_of") if row[0] is not None] == []


def test_hand_offs_are_kept_but_counted_nowhere(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "transfer_to_refunds", "{}"),))
    agent.tool(3, 3, 4, "transfer_to_refunds", call_id="c1", status_code=2)
    agent.write()
    assert calls(agent, "tool_name, is_pseudo") == [("transfer_to_refunds", True)]
    assert agent.rows("trace", "n_tool_calls, n_tool_errors", "1") == [(0, 0)]


def test_a_late_span_corrects_a_sealed_trace(agent: Any) -> None:
    agent.root()
    agent.tool(3, 3, 4, "get", result="fine")
    agent.write()
    assert seal(agent.database, quiet_before_ns=2**62) == 1
    agent.tool(4, 5, 6, "put", result="fine")
    agent.write()
    assert calls(agent, "tool_name") == [("get",), ("put",)]
    assert agent.rows("trace", "n_spans, n_tool_calls", "1") == [(3, 2)]
    assert derive(agent.database) == 0


def test_an_unfinished_span_gives_way_to_its_finished_version(agent: Any) -> None:
    agent.root(until=None)
    agent.write()
    assert agent.rows("trace", "status, duration_ns, is_run_failed", "1") == [
        ("unfinished", None, None)
    ]
    agent.root(until=5.0)
    agent.write()
    assert agent.rows("trace", "status, duration_ns, is_run_failed, n_spans", "1") == [
        ("ok", 5_000_000_000, False, 1)
    ]


def test_opening_a_store_derives_what_a_crash_left_and_seals_what_is_quiet(agent: Any) -> None:
    agent.root()
    batch = Batch(spans=agent.spans)
    map_batch(batch)
    Writer(agent.database).write(batch)
    received = batch.spans[0].received_time_ns
    assert catch_up(agent.database, now_ns=received + 1) == 1
    assert agent.rows("trace_open", "n_spans", "1") == [(1,)]
    assert catch_up(agent.database, now_ns=received + 2 * QUIET_NS) == 0
    assert agent.rows("trace_open", "n_spans", "1") == []
    assert agent.rows("trace_sealed", "n_spans", "1") == [(1,)]
