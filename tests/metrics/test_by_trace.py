"""The report of each trace."""

from metrics import Scope, TraceReport, by_trace
from tests.metrics.conftest import ALL, SECOND, T0, Store, trace_id


def test_a_trace_reports_its_counts_and_its_tools_in_order(store: Store) -> None:
    store.trace(
        1,
        n_llm_calls=3,
        n_tool_errors=1,
        n_retries=1,
        input_tokens=200,
        output_tokens=30,
        cached_input_tokens=10,
        is_run_failed=False,
        longest_identical_run=2,
    )
    store.call(1, 2, tool="c")
    store.call(1, 0, tool="a")
    store.call(1, 1, tool="handoff", pseudo=True)
    store.call(1, 3, tool="a", executed=False, status="pending")
    assert by_trace(store.database) == {
        trace_id(1): TraceReport(3, ("a", "c", "a"), 1, 1, 200, 30, 10, False, 2)
    }


def test_what_the_spans_do_not_show_is_none(store: Store) -> None:
    store.trace(1)
    found = by_trace(store.database)[trace_id(1)]
    assert (found.input_tokens, found.cached_tokens, found.run_failed) == (None, None, None)
    assert found.tools == ()


def test_traces_come_oldest_first_and_keep_to_the_scope(store: Store) -> None:
    store.trace(1, start=20)
    store.trace(2, start=10)
    store.trace(3, start=None)
    assert list(by_trace(store.database)) == [trace_id(2), trace_id(1), trace_id(3)]
    assert list(by_trace(store.database, Scope(T0, T0 + 20 * SECOND))) == [trace_id(2)]


def test_a_scope_filters_by_tool_and_agent(store: Store) -> None:
    store.trace(1, agent_name="a")
    store.trace(2)
    store.call(2, 0, tool="pay")
    bounds = (ALL.start_time_ns, ALL.end_time_ns)
    assert list(by_trace(store.database, Scope(*bounds, "pay"))) == [trace_id(2)]
    assert list(by_trace(store.database, Scope(*bounds, None, "a"))) == [trace_id(1)]
