"""Traces without a root are linked into one task, whichever of them comes first, and counted once."""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest

from ingest.mapping import map_batch
from ingest.rebuild import rebuild
from replay_store import Batch, Database, Writer, derive
from replay_store.derive import seal
from replay_store.records import Span, SpanLog
from tests.stores import memory_store

MakeSpan = Callable[..., Span]
SECOND = 1_000_000_000
START = 1_764_547_200 * SECOND
ASK = {"type": "tool_call", "name": "get", "arguments": {"a": 1}}


def trace_id(number: int) -> str:
    return f"{number:032x}"


def chat(shown: Sequence[Any], said: Sequence[Any], **more: Any) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": json.dumps(shown),
        "gen_ai.output.messages": json.dumps(said),
        **more,
    }


def text(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def asks(call_id: str) -> dict[str, Any]:
    return {"role": "assistant", "parts": [{**ASK, "id": call_id}]}


def answer(call_id: str, result: str) -> dict[str, Any]:
    return {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": call_id, "response": result}],
    }


class Run:
    """Spans of several traces, seconds apart, into a store in memory."""

    def __init__(self, database: Database, make_span: MakeSpan) -> None:
        self.database = database
        self._make_span = make_span
        self._writer = Writer(database)
        self._received = itertools.count(START + 10**15, SECOND)

    def send(
        self, number: int, at: float, seconds: float, attributes: dict[str, Any], **values: Any
    ) -> None:
        """One span of one trace; derived at once, as a slow sender would have it."""
        start = START + int(at * SECOND)
        span = self._make_span(
            trace_id=trace_id(number),
            start_time_ns=start,
            end_time_ns=start + int(seconds * SECOND),
            attributes=attributes,
            received_time_ns=next(self._received),
            **values,
        )
        self.write(Batch(spans=[span]))

    def write(self, batch: Batch) -> None:
        map_batch(batch)
        self._writer.write(batch)
        derive(self.database)

    def rows(self, columns: str, table: str = "trace") -> list[tuple[Any, ...]]:
        rows = self.database.rows(f"select {columns} from {table} order by start_time_ns, trace_id")
        return [tuple(row.values()) for row in rows]

    def tasks(self) -> list[int]:
        """The head of each trace's task, as a number, in the order of the traces."""
        return [int(task, 16) for (task,) in self.rows("task_id")]


@pytest.fixture
def run(make_span: MakeSpan) -> Iterator[Run]:
    with memory_store() as database:
        yield Run(database, make_span)


def turns() -> list[tuple[int, float, float, dict[str, Any]]]:
    """Three model calls of a plain SDK: the call fails, is tried again, and its result is told."""
    question = text("user", "go")
    first, second = asks("c1"), asks("c2")
    failed, fine = answer("c1", "Error: no"), answer("c2", "fine")
    return [
        (1, 0, 1, chat([question], [first])),
        (2, 2, 1, chat([question, first, failed], [second])),
        (3, 4, 1, chat([question, first, failed, second, fine], [text("assistant", "so")])),
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_one_trace_a_model_call_makes_one_task_in_any_order_of_arrival(
    run: Run, order: tuple[int, ...]
) -> None:
    told = turns()
    for place in order:
        run.send(*told[place])
    assert run.tasks() == [1, 1, 1]
    assert run.rows("n_llm_calls, n_tool_calls, n_tool_errors, n_retries, linked_by") == [
        (1, 1, 1, 0, "call"),
        (1, 1, 0, 1, "call"),
        (1, 0, 0, 0, "call"),
    ]
    assert run.rows("longest_identical_run, is_run_failed") == [(0, False), (2, False), (0, False)]
    calls = "call_index, status, retry_of, retry_root, head_trace_id = trace_id"
    assert run.rows(calls, "tool_call") in (
        [(0, "error", None, 0, True), (1, "ok", 0, 0, False)],
        [(1, "ok", 0, 0, False), (0, "error", None, 0, True)],
    )


def test_a_late_trace_opens_the_sealed_ones_of_its_task(run: Run) -> None:
    first, second, third = turns()
    run.send(*first)
    run.send(*second)
    assert seal(run.database, quiet_before_ns=START + 10**16) == 2
    run.send(*third)
    assert run.tasks() == [1, 1, 1]
    assert run.rows("n_retries", "trace_open") == [(0,), (1,), (0,)]
    assert run.rows("trace_id", "trace_sealed") == []


def test_a_rebuild_links_the_same_traces(run: Run) -> None:
    for told in turns():
        run.send(*told)
    before = run.rows("*")
    rebuild(run.database)
    assert run.rows("*") == before


def test_traces_with_a_root_of_their_own_are_no_parts_of_each_other(run: Run) -> None:
    for number, at, seconds, attributes in turns():
        run.send(number, at - 0.1, 2, {"gen_ai.operation.name": "invoke_agent"}, span_id="a" * 16)
        run.send(number, at, seconds, attributes, parent_span_id="a" * 16)
    assert run.tasks() == [1, 2, 3]
    assert run.rows("linked_by") == [(None,)] * 3


@pytest.mark.parametrize(("gap", "tasks"), [(300, [1, 1]), (1_000, [1, 2])])
def test_hidden_calls_of_one_session_are_linked_while_they_follow_each_other(
    run: Run, gap: float, tasks: list[int]
) -> None:
    attributes = {"gen_ai.operation.name": "chat", "session.id": "s"}
    run.send(1, 0, 1, attributes)
    run.send(2, gap, 1, attributes)
    assert run.tasks() == tasks


def test_a_session_of_the_transport_links_nothing(run: Run) -> None:
    call = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "get", "mcp.session.id": "s"}
    run.send(1, 0, 1, call)
    run.send(2, 5, 1, call)
    assert run.tasks() == [1, 2]


def test_a_conversation_without_calls_is_linked_by_its_messages_run_by_run(run: Run) -> None:
    first, said, more = text("user", "hi"), text("assistant", "yes?"), text("user", "thanks")
    for number, at in ((1, 0), (3, 100)):
        run.send(number, at, 1, chat([first], [said]))
        run.send(number + 1, at + 5, 1, chat([first, said, more], [text("assistant", "bye")]))
    assert run.tasks() == [1, 1, 3, 3]


def test_one_response_told_by_two_traces_is_one_call(run: Run) -> None:
    usage = {"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}
    both = {"gen_ai.response.id": "r1", **usage}
    run.send(1, 0, 2, chat([text("user", "go")], [asks("c1")], **both))
    run.send(2, 0.1, 1.8, {"gen_ai.operation.name": "chat", **both})
    assert run.tasks() == [1, 1]
    assert run.rows("n_llm_calls, input_tokens, n_tool_calls") == [(1, 7, 1), (0, None, 0)]


@pytest.mark.parametrize(("at", "tasks"), [(0.1, [1, 1]), (3, [1, 2])])
def test_a_call_told_twice_without_a_response_id_is_known_by_its_tokens_and_its_time(
    run: Run, at: float, tasks: list[int]
) -> None:
    usage = {"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}
    run.send(1, 0, 2, chat([text("user", "go")], [text("assistant", "so")], **usage))
    bare = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **usage}
    run.send(2, at, 1.8, bare)
    assert run.tasks() == tasks
    assert sum(n for (n,) in run.rows("n_llm_calls")) == len(set(tasks))


def test_a_lone_mcp_call_within_the_run_of_the_agents_tool_is_that_run(run: Run) -> None:
    tool = {"openinference.span.kind": "TOOL", "tool.name": "mcp__shop__get", "input.value": "{}"}
    lone = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "get", "error.type": "tool_error"}
    run.send(2, 1, 1, lone)
    run.send(1, 0, 5, {"openinference.span.kind": "AGENT"}, span_id="a" * 16)
    run.send(1, 0.5, 3, tool, parent_span_id="a" * 16)
    run.send(3, 9, 1, lone)
    assert run.tasks() == [1, 1, 3]
    assert run.rows("n_tool_calls, n_tool_errors, is_run_failed") == [
        (1, 1, False),
        (0, 0, False),
        (1, 1, False),
    ]


@pytest.mark.parametrize("name", ["get", "DynamicStructuredTool"])
def test_where_every_span_is_its_own_trace_a_run_belongs_to_the_call_that_asked_for_it(
    run: Run, name: str
) -> None:
    tool = {"traceloop.span.kind": "tool", "traceloop.entity.name": name}
    run.send(1, 0, 1, chat([text("user", "go")], [asks("c1")]))
    run.send(2, 2, 1, {**tool, "traceloop.entity.input": '{"a": 1}'})
    run.send(3, 4, 1, chat([asks("c1"), answer("c1", "fine")], [text("assistant", "so")]))
    run.send(4, 5, 1, {**tool, "traceloop.entity.input": '{"a": 2}'})
    assert run.tasks() == [1, 1, 1, 4]
    columns = "hex_trace(trace_id)::varchar, tool_name, is_executed"
    assert run.rows(columns, "tool_call") == [
        (trace_id(1), "get", True),
        (trace_id(4), "get" if name == "get" else "(unnamed)", True),
    ]


def test_a_span_link_joins_the_traces_of_one_run(run: Run) -> None:
    link: dict[str, Any] = {
        "trace_id": trace_id(1),
        "span_id": "1" * 16,
        "trace_state": None,
        "attributes": {},
    }
    run.send(2, 5, 1, {"gen_ai.operation.name": "invoke_agent"}, links=[link])
    run.send(1, 0, 1, {"gen_ai.operation.name": "invoke_agent"})
    run.send(3, 6, 1, {"gen_ai.operation.name": "invoke_agent"})
    assert run.tasks() == [1, 1, 3]
    assert run.rows("linked_by") == [("link",), ("link",), (None,)]


def log_of(number: int, span_id: str, name: str, body: object, record_hash: int) -> SpanLog:
    return SpanLog(
        trace_id=trace_id(number),
        span_id=span_id,
        record_hash=record_hash,
        time_ns=None,
        observed_time_ns=START + record_hash * SECOND,
        hour=None,
        severity_number=None,
        severity_text=None,
        event_name=name,
        body=body,  # type: ignore[arg-type]
        attributes={},
        service_name="shop-agent",
        scope_name=None,
        resource={},
        file_id=UUID(int=1),
        record_index=record_hash,
        received_time_ns=START + 10**15 + record_hash,
    )


@pytest.mark.parametrize("logs_first", [True, False])
def test_messages_told_by_log_records_belong_to_the_call_beside_them(
    run: Run, *, logs_first: bool
) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "get", "arguments": "{}"}}
    logs = [
        log_of(1, "1" * 16, "gen_ai.choice", {"message": {"tool_calls": [call]}}, 1),
        log_of(2, "2" * 16, "gen_ai.tool.message", {"id": "c1", "content": "Error: no"}, 2),
        log_of(2, "2" * 16, "gen_ai.choice", {"message": {"content": "so"}}, 3),
    ]
    hidden = {"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": ["stop"]}
    if logs_first:
        run.write(Batch(span_logs=logs))
    for number in (1, 2):
        run.send(number, number, 0.5, hidden, span_id=str(number) * 16)
    if not logs_first:
        run.write(Batch(span_logs=logs))
    assert run.tasks() == [1, 1]
    assert run.rows("n_llm_calls, n_tool_calls, n_tool_errors") == [(1, 1, 1), (1, 0, 0)]
    before = run.rows("*")
    rebuild(run.database)
    assert run.rows("*") == before
