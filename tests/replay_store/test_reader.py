"""Listing traces: filters and pages."""

from typing import Any

import pytest

from replay_store import Batch, TraceFilter, Writer
from replay_store.reader import (
    count_tool_calls,
    filter_choices,
    find_traces,
    get_span,
    get_trace,
    time_bounds,
    trace_spans,
    trace_tool_calls,
)
from replay_store.trace_counts import count_traces

ID = "00f7651916cd43dd8448eb211c80319c"


@pytest.fixture
def shop(agent: Any) -> Any:
    """Three traces: one fine, one with a failed call, one unfinished."""
    agent.root(trace_id=ID, attributes={"session.id": "s1"})
    agent.tool(3, 3, 4, "get", result="fine", trace_id=ID)
    agent.span(
        11, None, 100, 101, trace_id="2" * 32, attributes={"gen_ai.operation.name": "invoke_agent"}
    )
    agent.tool(
        12,
        100,
        101,
        "put",
        parent=11,
        status_code=2,
        trace_id="2" * 32,
        attributes={"error.type": "TIMEOUT"},
    )
    agent.span(21, None, 200, None, trace_id="3" * 32)
    agent.write()
    return agent.database


def found(database: Any, **filters: Any) -> list[str]:
    return [trace.trace_id[:1] for trace in find_traces(database, TraceFilter(**filters), limit=10)]


def test_traces_come_newest_first_and_in_pages(shop: Any) -> None:
    assert found(shop) == ["3", "2", "0"]
    assert [t.trace_id[:1] for t in find_traces(shop, TraceFilter(), limit=1, offset=1)] == ["2"]
    assert count_traces(shop, TraceFilter()) == 3


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"tool_name": "get"}, ["0"]),
        ({"error": "any"}, ["2"]),
        ({"error": "TIMEOUT"}, ["2"]),
        ({"error": "nothing"}, []),
        ({"status": "unfinished"}, ["3"]),
        ({"agent_name": "shop"}, ["0"]),
        ({"session_id": "s1"}, ["0"]),
        ({"task_id": "2" * 32}, ["2"]),
        ({"trace_ids": ("2" * 32, "3" * 32)}, ["3", "2"]),
        ({"trace_ids": ()}, []),
    ],
)
def test_each_filter_narrows_and_counts_alike(shop: Any, filters: Any, expected: list[str]) -> None:
    assert found(shop, **filters) == expected
    assert count_traces(shop, TraceFilter(**filters)) == len(expected)


def test_a_range_is_half_open(shop: Any) -> None:
    bounds = time_bounds(shop)
    assert bounds is not None
    assert found(shop, start_time_ns=bounds.first_time_ns, end_time_ns=bounds.last_time_ns) == [
        "2",
        "0",
    ]


def test_an_unknown_trace_or_span_is_none(shop: Any) -> None:
    assert get_trace(shop, "9" * 32) is None
    assert get_span(shop, ID, "9" * 16) is None
    assert trace_spans(shop, "9" * 32) == []


def test_spans_carry_their_role_and_tool(shop: Any) -> None:
    rows = [(row.role, row.tool_name, row.is_error) for row in trace_spans(shop, "2" * 32)]
    assert rows == [("agent", None, False), ("tool", "put", True)]
    assert [call.error_type for call in trace_tool_calls(shop, "2" * 32)] == ["TIMEOUT"]


def test_calls_of_one_span_and_the_first_ones_are_asked_for_alone(agent: Any) -> None:
    agent.root(trace_id=ID)
    for number in range(2, 5):
        agent.tool(number, number * 10, number * 10 + 1, "get", trace_id=ID)
    agent.write()
    whole = trace_tool_calls(agent.database, ID)

    assert len(whole) == count_tool_calls(agent.database, ID) == 3
    assert trace_tool_calls(agent.database, ID, limit=2) == whole[:2]
    assert trace_tool_calls(agent.database, ID, span_id=f"{3:016x}") == [whole[1]]
    assert trace_tool_calls(agent.database, ID, span_id="9" * 16) == []
    assert count_tool_calls(agent.database, "9" * 32) == 0


def test_tries_of_one_call_are_numbered_through_with_its_attempts(agent: Any) -> None:
    agent.root(trace_id=ID)
    agent.tool(2, 10, 20, "get", trace_id=ID)
    agent.span(
        3,
        2,
        10,
        12,
        name="attempt 1",
        status_code=2,
        trace_id=ID,
        attributes={"toolsight.attempt": 1},
    )
    agent.span(4, 2, 15, 20, name="attempt 2", trace_id=ID, attributes={"toolsight.attempt": 2})
    agent.tool(5, 30, 31, "put", trace_id=ID)
    agent.write()

    tries = {
        row.span_id[-1]: (row.try_number, row.n_tries) for row in trace_spans(agent.database, ID)
    }

    nothing = (None, None)
    assert tries == {"1": nothing, "2": (1, 1), "3": (1, 2), "4": (2, 2), "5": nothing}


def test_a_trace_that_is_not_derived_yet_can_be_read(agent: Any, make_span: Any) -> None:
    late = make_span(trace_id="7" * 32)
    Writer(agent.database).write(Batch(spans=[late]))

    assert get_trace(agent.database, late.trace_id) is None
    assert [row.span_id for row in trace_spans(agent.database, late.trace_id)] == [late.span_id]
    assert get_span(agent.database, late.trace_id, late.span_id) is not None


def test_choices_list_what_is_there(shop: Any) -> None:
    choices = filter_choices(shop)
    assert set(choices.tool_names) == {"get", "put"}
    assert choices.error_types == ("TIMEOUT",)
    assert set(choices.statuses) == {"ok", "unfinished"}
