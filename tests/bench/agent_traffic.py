"""Deterministic OTLP traffic of agents: traces of 12 spans, about 4 kB a span, children first."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

SPANS_A_TRACE: Final = 12
_TOOLS: Final = ("search_orders", "refund_order", "track_parcel", "read_policy", "send_note")
_TEXT_LENGTHS: Final = {"model": 2600, "tool": 1300, "agent": 900}
_STEP_NS: Final = 250_000_000


def exports(n_spans: int, *, seed: int, batch: int, start_ns: int) -> Iterator[tuple[bytes, int]]:
    """Serialised exports and how many spans each holds; the last may be smaller.

    Args:
        n_spans: How many spans in all.
        seed: Same seed, same bytes.
        batch: Spans an export.
        start_ns: Start of the first trace; each next one starts 10 ms later.
    """
    source = random.Random(seed)  # noqa: S311 - traffic, no secret
    words = [
        "".join(source.choices("abcdefghijklmnop", k=source.randint(2, 9))) for _ in range(4000)
    ]
    spans = islice(_spans(source, words, start_ns), n_spans)
    while group := list(islice(spans, batch)):
        yield _wrapped(group), len(group)


def _spans(source: random.Random, words: list[str], start_ns: int) -> Iterator[Span]:
    while True:
        yield from _trace(source, words, start_ns)
        start_ns += 10_000_000


def _trace(source: random.Random, words: list[str], start_ns: int) -> Iterator[Span]:
    """One agent run: five turns that ask for a tool, each answered, and the run itself last."""
    trace_id, root_id = source.randbytes(16), source.randbytes(8)
    now = start_ns
    for turn in range(5):
        yield from _turn(source, words, (trace_id, root_id), now, turn)
        now += _STEP_NS + 100_000_000
    final = _span(trace_id, source.randbytes(8), root_id, "chat", now, now + _STEP_NS)
    _put(final, "gen_ai.operation.name", "chat")
    _put(final, "gen_ai.output.messages", _messages("assistant", _text(source, words, "model")))
    yield final
    root = _span(trace_id, root_id, b"", "invoke_agent shop", start_ns, now + _STEP_NS)
    _put(root, "gen_ai.operation.name", "invoke_agent")
    _put(root, "gen_ai.agent.name", "shop")
    _put(root, "gen_ai.conversation.id", trace_id.hex()[:12])
    _put(root, "input.value", _text(source, words, "agent"))
    yield root


def _turn(
    source: random.Random, words: list[str], ids: tuple[bytes, bytes], now: int, turn: int
) -> Iterator[Span]:
    trace_id, root_id = ids
    call_id, tool = source.randbytes(8).hex(), source.choice(_TOOLS)
    arguments = f'{{"order_id": {source.randrange(10**6)}, "step": {turn}}}'
    asked = _span(trace_id, source.randbytes(8), root_id, f"chat {tool}", now, now + _STEP_NS)
    _put(asked, "gen_ai.operation.name", "chat")
    _put(asked, "gen_ai.request.model", "model-a")
    _put(asked, "gen_ai.usage.input_tokens", source.randrange(200, 4000))
    _put(asked, "gen_ai.usage.output_tokens", source.randrange(20, 400))
    _put(asked, "gen_ai.input.messages", _messages("user", _text(source, words, "model")))
    _put(asked, "gen_ai.output.messages", _request(call_id, tool, arguments))
    yield asked
    now += _STEP_NS
    done = _span(trace_id, source.randbytes(8), root_id, f"execute_tool {tool}", now, now + 90_000)
    _put(done, "gen_ai.operation.name", "execute_tool")
    _put(done, "gen_ai.tool.name", tool)
    _put(done, "gen_ai.tool.call.id", call_id)
    _put(done, "gen_ai.tool.call.arguments", arguments)
    _put(done, "gen_ai.tool.call.result", _text(source, words, "tool"))
    yield done


def _span(trace_id: bytes, span_id: bytes, parent: bytes, name: str, start: int, end: int) -> Span:
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=parent,
        name=name,
        kind=Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=start,
        end_time_unix_nano=end,
    )


def _put(span: Span, key: str, value: str | int) -> None:
    attribute = span.attributes.add(key=key)
    if isinstance(value, int):
        attribute.value.int_value = value
    else:
        attribute.value.string_value = value


def _text(source: random.Random, words: list[str], kind: str) -> str:
    return " ".join(source.choices(words, k=_TEXT_LENGTHS[kind] // 6 * 2))


def _messages(role: str, text: str) -> str:
    return f'[{{"role": "{role}", "parts": [{{"type": "text", "content": "{text}"}}]}}]'


def _request(call_id: str, tool: str, arguments: str) -> str:
    part = f'{{"type": "tool_call", "id": "{call_id}", "name": "{tool}", "arguments": {arguments}}}'
    return f'[{{"role": "assistant", "parts": [{part}]}}]'


def _wrapped(spans: list[Span]) -> bytes:
    export = ExportTraceServiceRequest()
    group = export.resource_spans.add()
    service = group.resource.attributes.add(key="service.name")
    service.value.string_value = "bench"
    group.scope_spans.add().spans.extend(spans)
    return export.SerializeToString()
