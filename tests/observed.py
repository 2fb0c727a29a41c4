"""Observations as an agent's exporter sends them: made by the pipeline, carried as OTLP, stored."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ingest import import_paths
from pipeline.observation import PROFILES, Observation, ToolOutput, observe
from pipeline.observation.telemetry import names
from replay_store import Database, derive

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


class Recorder:
    """Observes inside one agent's spans, and writes them all into a store."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
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

    def store(self, database: Database, folder: Path) -> Database:
        """Import what was observed, the way a file of an exporter is imported."""
        path = folder / "observed.pb"
        path.write_bytes(encode_spans(self._exporter.get_finished_spans()).SerializeToString())
        [line] = import_paths([path], database, clock=time.time_ns)
        assert line.n_rejected == 0, line
        derive(database)
        return database
