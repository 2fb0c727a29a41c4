"""Observations as an agent emits them, in a store: what tests of dictionaries read again."""

import itertools
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator

from ingest import import_paths
from pipeline.observation import RuleSet, ToolOutput, observe
from replay_store import Database, derive

T0 = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
HOUR_NS = 3_600_000_000_000


class Ids(IdGenerator):
    """1, 2, 3, ... so that a test can name a trace."""

    def __init__(self) -> None:
        self._trace = itertools.count(1)
        self._span = itertools.count(1)

    def generate_trace_id(self) -> int:
        return next(self._trace)

    def generate_span_id(self) -> int:
        return next(self._span)


def trace_id(number: int) -> str:
    """The id of the n-th emitted observation's trace, counted from 1."""
    return f"{number:032x}"


def order(
    status: str | None = "shipped",
    order_id: str = "12345",
    tool: str = "query_order_status",
    **more: object,
) -> ToolOutput:
    """One answer of the order tool; None leaves the status out."""
    body: dict[str, object] = {"order_id": order_id}
    if status is not None:
        body["status"] = status
    return ToolOutput(tool, "1.3.0", None, body | more)


def emit(
    database: Database,
    folder: Path,
    observations: Sequence[Sequence[ToolOutput]],
    *,
    rules: RuleSet | None = None,
    context: Mapping[str, object] | None = None,
) -> None:
    """Observe each group of outputs an hour after the one before, export it, import it."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(id_generator=Ids())
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("shop")
    for index, outputs in enumerate(observations):
        asked = T0 + timedelta(hours=index)
        known: dict[str, object] = {"target_order_id": "12345", "user_intent": "track_delivery"}
        known |= context or {}
        answered = [_answered(output, asked) for output in outputs]
        observe(answered, known | {"query_timestamp": asked}, rules=rules, tracer=tracer)
    request = encode_spans(exporter.get_finished_spans())
    start_ns = int(T0.timestamp()) * 1_000_000_000
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                number = int.from_bytes(span.trace_id, "big")
                span.start_time_unix_nano = start_ns + (number - 1) * HOUR_NS
                span.end_time_unix_nano = span.start_time_unix_nano + 1_000_000
    path = folder / "observations.bin"
    path.write_bytes(request.SerializeToString())
    [line] = import_paths([path], database, clock=lambda: start_ns + 1_000 * HOUR_NS)
    assert line.n_rejected == 0
    derive(database)


def _answered(output: ToolOutput, asked: datetime) -> ToolOutput:
    return ToolOutput(
        output.tool,
        output.version,
        asked - timedelta(seconds=12),
        output.body,
        output.error,
        output.degradation,
    )
