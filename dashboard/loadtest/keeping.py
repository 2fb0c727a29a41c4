"""The traces of a load test, kept in the store as if an agent had sent them."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.trace import Tracer

    from replay_store.database import Database


@contextmanager
def kept_traces(db: Path | None) -> "Iterator[Tracer]":
    """A tracer; what it was told inside is in the store afterwards.

    Raises:
        StoreBusyError: Another process owns the store.
    """
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from dashboard.cli.stores import open_store

    exporter = InMemorySpanExporter()
    resource = Resource({"service.name": "toolsight-loadtest"})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with open_store(db) as (database, _):
        yield provider.get_tracer("toolsight.loadtest")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "loadtest.otlp.jsonl"
            _write(path, exporter)
            _import(path, database)


def _write(path: Path, exporter: "InMemorySpanExporter") -> None:
    """One trace a line."""
    import orjson
    from opentelemetry.sdk.trace import ReadableSpan

    from sample_traces.otlp_json import export_request

    by_trace: dict[int, list[ReadableSpan]] = {}
    for span in exporter.get_finished_spans():
        if (context := span.get_span_context()) is not None:
            by_trace.setdefault(context.trace_id, []).append(span)
    with path.open("wb") as file:
        for spans in by_trace.values():
            file.write(orjson.dumps(export_request(spans)) + b"\n")


def _import(path: Path, database: "Database") -> None:
    from ingest import import_paths
    from replay_store.derive import derive

    import_paths([path], database, clock=time.time_ns)
    derive(database)
