"""One call that several spans tell of is one call, and a span around calls is none."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, derive
from replay_store.records import Span
from tests.stores import memory_store

MakeSpan = Callable[..., Span]
SECOND = 1_000_000_000
START = 1_764_547_200 * SECOND
LLM = {"openinference.span.kind": "LLM", "llm.model_name": "m"}
USAGE = {"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}
ASKED = {
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "get",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}",
}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
TOOL = {"openinference.span.kind": "TOOL", "tool.name": "get", "input.value": "{}"}


class Trace:
    """One trace, span by span; an agent is its root."""

    def __init__(self, database: Database, make_span: MakeSpan) -> None:
        self.database = database
        self._make_span = make_span
        self._spans: list[Span] = []
        self.span("root", None, 0, 100, {"openinference.span.kind": "AGENT"})

    def span(
        self,
        name: str,
        parent: str | None,
        start: float,
        end: float,
        attributes: dict[str, Any],
        **values: Any,
    ) -> None:
        """A span from second `start` to `end`, beneath the one of that name."""
        ids = {span.name: span.span_id for span in self._spans}
        self._spans.append(
            self._make_span(
                name=name,
                parent_span_id=ids[parent] if parent else None,
                start_time_ns=START + int(start * SECOND),
                end_time_ns=START + int(end * SECOND),
                attributes=attributes,
                **values,
            )
        )

    def facts(self) -> tuple[Any, ...]:
        """Model calls, input tokens, tool calls, tool errors."""
        batch = Batch(spans=self._spans)
        map_batch(batch)
        Writer(self.database).write(batch)
        derive(self.database)
        [row] = self.database.rows(
            "select n_llm_calls, input_tokens, n_tool_calls, n_tool_errors from trace"
        )
        return tuple(row.values())


@pytest.fixture
def trace(make_span: MakeSpan) -> Iterator[Trace]:
    with memory_store() as database:
        yield Trace(database, make_span)


def test_a_model_span_within_another_is_the_same_call_and_completes_it(trace: Trace) -> None:
    trace.span("outer", "root", 1, 5, {**LLM, **ASKED})
    trace.span("inner", "outer", 2, 4, {**CHAT, **USAGE})
    assert trace.facts() == (1, 7, 1, None)


def test_what_only_the_inner_span_asked_for_is_asked_for(trace: Trace) -> None:
    trace.span("outer", "root", 1, 5, {**CHAT, **USAGE})
    trace.span("inner", "outer", 2, 4, {**LLM, **ASKED})
    assert trace.facts() == (1, 7, 1, None)


def test_a_model_span_around_several_answered_ones_wraps_them(trace: Trace) -> None:
    trace.span("outer", "root", 1, 9, {**LLM, "llm.token_count.prompt": 14})
    trace.span("first", "outer", 2, 4, {**CHAT, **USAGE})
    trace.span("second", "outer", 5, 7, {**CHAT, **USAGE})
    assert trace.facts()[:2] == (2, 14)


def test_a_failed_try_within_a_call_is_no_call(trace: Trace) -> None:
    trace.span("outer", "root", 1, 9, {**LLM, "llm.token_count.prompt": 7})
    trace.span("first", "outer", 2, 4, CHAT, status_code=2)
    trace.span("second", "outer", 5, 7, {**CHAT, **USAGE})
    assert trace.facts()[:2] == (1, 7)


def test_a_span_that_tells_nothing_is_no_call_where_others_tell(trace: Trace) -> None:
    trace.span("prepare", "root", 1, 2, LLM)
    trace.span("call", "root", 3, 4, {**LLM, "llm.token_count.prompt": 7})
    assert trace.facts()[:2] == (1, 7)


def test_spans_that_all_tell_nothing_are_calls(trace: Trace) -> None:
    trace.span("first", "root", 1, 2, LLM)
    trace.span("second", "root", 3, 4, LLM)
    assert trace.facts()[:2] == (2, None)


def test_a_model_span_with_tools_it_did_not_ask_for_hides_its_calls(trace: Trace) -> None:
    trace.span("model", "root", 1, 9, {**LLM, "llm.token_count.prompt": 7})
    trace.span("tool", "model", 2, 3, TOOL)
    assert trace.facts() == (None, None, 1, 0)


def test_a_model_span_with_the_tools_it_asked_for_is_one_call(trace: Trace) -> None:
    trace.span("model", "root", 1, 9, {**LLM, **ASKED, "llm.token_count.prompt": 7})
    trace.span("tool", "model", 2, 3, {**TOOL, "tool.id": "c1", "output.value": "fine"})
    assert trace.facts() == (1, 7, 1, 0)


def test_an_agent_called_as_a_tool_within_a_model_span_makes_calls_of_its_own(
    trace: Trace,
) -> None:
    trace.span("model", "root", 1, 9, {**LLM, **ASKED, "llm.token_count.prompt": 7})
    trace.span("tool", "model", 2, 8, {**TOOL, "tool.id": "c1", "output.value": "fine"})
    trace.span("helper", "tool", 3, 4, {**CHAT, **USAGE})
    assert trace.facts()[:2] == (2, 14)


@pytest.mark.parametrize("named", [True, False])
def test_a_run_within_a_run_of_the_same_tool_lends_it_its_failure(
    trace: Trace, *, named: bool
) -> None:
    outer = TOOL if named else {"mcp.method.name": "tools/call"}
    trace.span("send", "root", 1, 9, outer)
    inner = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get"}
    trace.span("run", "send", 2, 8, inner, status_code=2)
    assert trace.facts()[2:] == (1, 1)
    [call] = trace.database.rows("select tool_name, status, duration_ns from tool_call")
    assert tuple(call.values()) == ("get", "error", 8 * SECOND)


def test_a_request_with_broken_arguments_that_is_made_again_is_tried_again(trace: Trace) -> None:
    part: dict[str, Any] = {"type": "tool_call", "id": "c1", "name": "get"}
    broken = {"role": "assistant", "parts": [{**part, "arguments": '{"a": '}]}
    again = {"role": "assistant", "parts": [{**part, "id": "c2", "arguments": {"a": 1}}]}
    trace.span("first", "root", 1, 2, {**CHAT, "gen_ai.output.messages": json.dumps([broken])})
    trace.span("second", "root", 3, 4, {**CHAT, "gen_ai.output.messages": json.dumps([again])})
    trace.span("tool", "root", 5, 6, {**TOOL, "tool.id": "c2", "output.value": "fine"})
    assert trace.facts()[2:] == (2, 0)
    calls = trace.database.rows("select status, retry_kind from tool_call order by call_index")
    assert [tuple(row.values()) for row in calls] == [("unknown", None), ("ok", "corrected")]
