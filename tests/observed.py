"""Observations as an agent's exporter sends them: made by the pipeline, carried as OTLP, stored."""

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator

from ingest import import_paths
from pipeline.observation import PROFILES, Observation, RuleSet, ToolOutput, observe
from pipeline.observation.telemetry import names
from replay_store import Database, derive

T0 = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
"""When the first of several emitted observations was asked; the others follow hour by hour."""
HOUR_NS = 3_600_000_000_000
ASKED = datetime(2024, 6, 11, 15, 5, 44, tzinfo=UTC)
CONTEXT = {
    "target_order_id": "12345",
    "user_id": "U789",
    "query_timestamp": ASKED,
    "user_intent": "track_delivery",
}
ORDER = {
    "order_id": "12345",
    "status": "shipped",
    "tracking_number": "SF123456789CN",
    "estimated_delivery": "2024-06-15",
    "logistics_info": [
        {"time": "2024-06-10T08:23:11Z", "location": "Shenzhen", "event": "Package picked up"},
        {
            "time": "2024-06-11T14:05:44Z",
            "location": "Guangzhou",
            "event": "In transit to destination",
        },
    ],
}
POINTS = {"user_id": "U789", "points_balance": 1250, "points_expire": "2024-12-31"}


class Seen(NamedTuple):
    """One observation and where its span lies."""

    observation: Observation
    trace_id: str
    span_id: str


def answer(tool: str, body: object, seconds: float = 12, **more: Any) -> ToolOutput:
    """An answer that came some seconds before the question was put to the model."""
    return ToolOutput(tool, "1.0", ASKED - timedelta(seconds=seconds), body, **more)


def order(seconds: float = 12, tool: str = "order_api", **changes: object) -> ToolOutput:
    """An answer about the seed's order."""
    return answer(tool, ORDER | changes, seconds)


def points(seconds: float = 5, **changes: object) -> ToolOutput:
    """An answer about the points of the order's user."""
    return answer("points_api", POINTS | changes, seconds)


def order_status(
    status: str | None = "shipped",
    order_id: str = "12345",
    tool: str = "query_order_status",
    **more: object,
) -> ToolOutput:
    """One short answer of the order tool; None leaves the status out."""
    body: dict[str, object] = {"order_id": order_id}
    if status is not None:
        body["status"] = status
    return ToolOutput(tool, "1.3.0", None, body | more)


def trace_id(number: int) -> str:
    """The id of the n-th emitted observation's trace, counted from 1."""
    return f"{number:032x}"


class Recorder:
    """Observes inside one agent's spans, and writes them all into a store."""

    def __init__(self, ids: IdGenerator | None = None) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(id_generator=ids)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self._tracer = provider.get_tracer(names.SCOPE)

    def observe(self, outputs: list[ToolOutput], **more: Any) -> Seen:
        """Observe in a trace of its own; keywords are `observe`'s, `context` may change it."""
        context = CONTEXT | more.pop("context", {})
        if more.get("cni_enabled"):
            more.setdefault("profile", PROFILES["seed-v1"])
        with self._tracer.start_as_current_span("invoke_agent shop"):
            made = observe(outputs, context, tracer=self._tracer, **more)
        span = next(s for s in reversed(self._exporter.get_finished_spans()) if s.name == "observe")
        at = span.get_span_context()
        assert at is not None
        return Seen(made, f"{at.trace_id:032x}", f"{at.span_id:016x}")

    def store(
        self,
        database: Database,
        folder: Path,
        place: Callable[[Span], None] = lambda _: None,
        clock: Callable[[], int] = time.time_ns,
    ) -> Database:
        """Import what was observed, the way a file of an exporter is imported.

        Args:
            database: Where to.
            folder: For the file.
            place: Moves a span, as it is exported, to another time.
            clock: When it is imported.
        """
        request = encode_spans(self._exporter.get_finished_spans())
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    place(span)
        path = folder / "observed.pb"
        path.write_bytes(request.SerializeToString())
        [line] = import_paths([path], database, clock=clock)
        assert line.n_rejected == 0, line
        derive(database)
        return database


class _Ids(IdGenerator):
    """1, 2, 3, ... so that a test can name a trace."""

    def __init__(self) -> None:
        self._trace = itertools.count(1)
        self._span = itertools.count(1)

    def generate_trace_id(self) -> int:
        return next(self._trace)

    def generate_span_id(self) -> int:
        return next(self._span)


def emit(
    database: Database,
    folder: Path,
    observations: Sequence[Sequence[ToolOutput]],
    *,
    rules: RuleSet | None = None,
    context: Mapping[str, object] | None = None,
) -> None:
    """Observe each group of outputs an hour after the one before, from `T0` on; store them all."""
    recorder = Recorder(_Ids())
    for index, outputs in enumerate(observations):
        asked = T0 + timedelta(hours=index)
        answered = [replace(o, received_at=asked - timedelta(seconds=12)) for o in outputs]
        about = {"user_id": None, "query_timestamp": asked, **(context or {})}
        recorder.observe(answered, context=about, rules=rules)
    start_ns = int(T0.timestamp()) * 1_000_000_000

    def place(span: Span) -> None:
        number = int.from_bytes(span.trace_id, "big")
        span.start_time_unix_nano = start_ns + (number - 1) * HOUR_NS
        span.end_time_unix_nano = span.start_time_unix_nano + 1_000_000

    recorder.store(database, folder, place, lambda: start_ns + 1_000 * HOUR_NS)
