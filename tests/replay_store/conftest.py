"""Agents written by hand: spans as a dialect emits them, mapped, stored and derived."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, Written, derive
from replay_store.records import Span
from tests.stores import memory_store

TRACE = "0af7651916cd43dd8448eb211c80319c"


class Agent:
    """Writes the spans of one agent; times are seconds after an hour that is round."""

    start_ns = 1_764_547_200_000_000_000

    def __init__(self, database: Database, make_span: Callable[..., Span]) -> None:
        self.database = database
        self.make_span = make_span
        self.spans: list[Span] = []

    def span(
        self, span_id: int, parent: int | None, at: float, until: float | None, **more: Any
    ) -> Span:
        made = self.make_span(
            trace_id=more.pop("trace_id", TRACE),
            span_id=f"{span_id:016x}",
            parent_span_id=None if parent is None else f"{parent:016x}",
            start_time_ns=self.start_ns + round(at * 1e9),
            end_time_ns=None if until is None else self.start_ns + round(until * 1e9),
            **more,
        )
        self.spans.append(made)
        return made

    def root(self, until: float | None = 60.0, **more: Any) -> Span:
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shop"}
        return self.span(
            1,
            None,
            0,
            until,
            name="invoke_agent shop",
            attributes=attributes | more.pop("attributes", {}),
            **more,
        )

    def model(
        self,
        span_id: int,
        at: float,
        until: float,
        *,
        asks: tuple[tuple[str, str, Any], ...] = (),
        answers: tuple[tuple[str, str], ...] = (),
        says: str = "",
        parent: int = 1,
        tokens: tuple[int, int] | None = (100, 20),
        **more: Any,
    ) -> Span:
        """A model turn: `asks` are (call id, tool, arguments), `answers` (call id, text)."""
        output = [{"type": "text", "content": says}] if says else []
        output += [
            {"type": "tool_call", "id": call_id, "name": tool, "arguments": arguments}
            for call_id, tool, arguments in asks
        ]
        shown = [
            {"type": "tool_call_response", "id": call_id, "response": text}
            for call_id, text in answers
        ]
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "qwen-max",
            "gen_ai.input.messages": json.dumps([{"role": "tool", "parts": shown}]),
        }
        if output:
            attributes["gen_ai.output.messages"] = json.dumps(
                [{"role": "assistant", "parts": output}]
            )
        if tokens is not None:
            attributes |= {
                "gen_ai.usage.input_tokens": tokens[0],
                "gen_ai.usage.output_tokens": tokens[1],
            }
        return self.span(
            span_id,
            parent,
            at,
            until,
            name="chat qwen-max",
            attributes=attributes | more.pop("attributes", {}),
            **more,
        )

    def tool(
        self,
        span_id: int,
        at: float,
        until: float | None,
        tool: str,
        *,
        parent: int = 1,
        **more: Any,
    ) -> Span:
        """A run of a tool: call_id, arguments, result, and anything a span takes."""
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        named = {
            "call_id": "gen_ai.tool.call.id",
            "arguments": "gen_ai.tool.call.arguments",
            "result": "gen_ai.tool.call.result",
        }
        attributes |= {key: more.pop(word) for word, key in named.items() if word in more}
        return self.span(
            span_id,
            parent,
            at,
            until,
            name=f"execute_tool {tool}",
            attributes=attributes | more.pop("attributes", {}),
            **more,
        )

    def write(self) -> Written:
        """Store and derive what was written since the last time."""
        batch = Batch(spans=self.spans)
        map_batch(batch)
        self.spans = []
        written = Writer(self.database).write(batch)
        derive(self.database)
        return written

    def rows(self, table: str, columns: str, order: str) -> list[tuple[Any, ...]]:
        found = self.database.rows(f"select {columns} from {table} order by {order}")
        return [tuple(row.values()) for row in found]


@pytest.fixture
def database() -> Iterator[Database]:
    with memory_store() as opened:
        yield opened


@pytest.fixture
def agent(database: Database, make_span: Callable[..., Span]) -> Agent:
    return Agent(database, make_span)
