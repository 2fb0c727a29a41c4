"""The shop's agent right now: tasks that begin as time passes, with an incident on the way.

The same library, systems and policy as in the recorded world; only the conditions are those of an
hour that begins when it is asked for.
"""

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from sample_traces.agent import SimulatedTask
from sample_traces.draws import stream, weighted
from sample_traces.otlp_json import export_request
from sample_traces.timeline import Condition, GuardOff, NewStatus, Slowdown, Timeline, epoch_ns
from sample_traces.traffic import CUSTOMER_CALLERS, Arrival
from sample_traces.units import NS_PER_SECOND
from sample_traces.world import SeededIds, shop_provider

MEAN_SECONDS: Final = 2.0
"""Between two tasks."""


@dataclass(frozen=True, slots=True)
class LiveTrace:
    """One finished task."""

    start_ns: int
    end_ns: int
    """When its last span ended: it is sent then, not before."""
    request: dict[str, Any]
    """An OTLP ExportTraceServiceRequest."""


def incident(start: datetime) -> tuple[Condition, ...]:
    """What goes wrong from a moment on: first the order system, then a rule, then a dictionary."""
    minute = timedelta(minutes=1)
    end = start + 60 * minute
    return (
        Condition(
            "order system slow",
            start,
            start + 6 * minute,
            Slowdown("query_order_status", latency_factor=24.0, unavailable_rate=0.05),
        ),
        Condition("confirmation rule off", start + 3 * minute, end, GuardOff("money_confirmation")),
        Condition("new order status", start + 5 * minute, end, NewStatus("refunding", share=0.3)),
    )


class LiveShop:
    """Makes tasks one after the other.

    Args:
        seed: Equal seeds, starts and conditions give equal tasks.
        conditions: What holds when.
        is_detailed: Whether observations are told with their stages and in all templates.
    """

    def __init__(
        self, seed: int, conditions: Sequence[Condition] = (), *, is_detailed: bool = False
    ) -> None:
        self._seed = seed
        self._is_detailed = is_detailed
        self._ids = SeededIds()
        self._exporter = InMemorySpanExporter()
        self._tracer = shop_provider(self._ids, self._exporter).get_tracer("shop.agent", "1.0.0")
        self._timeline = Timeline(conditions=conditions)

    def traces(self, start: datetime, mean_seconds: float = MEAN_SECONDS) -> Iterator[LiveTrace]:
        """Tasks from a moment on, in the order of their start, without an end."""
        draws = stream(self._seed, "live", start.isoformat())
        at_ns = epoch_ns(start)
        for number in itertools.count():
            at_ns += round(draws.expovariate(1 / mean_seconds) * 1e6) * 1000
            key = f"live-{start:%Y%m%d%H%M%S}-{number:05d}"
            user = hashlib.sha256(f"user:{draws.randrange(600)}".encode()).hexdigest()[:8]
            caller = weighted(draws, {**CUSTOMER_CALLERS, "ops_console": 1.5})
            yield self._trace(Arrival(key, at_ns, caller, f"u_{user}", f"conv-{key}"))

    def _trace(self, arrival: Arrival) -> LiveTrace:
        self._ids.begin(stream(self._seed, arrival.key, "ids"))
        SimulatedTask(
            arrival, self._timeline, self._tracer, self._seed, is_detailed=self._is_detailed
        ).run()
        spans = self._exporter.get_finished_spans()
        self._exporter.clear()
        end_ns = max((span.end_time or 0 for span in spans), default=arrival.time_ns)
        return LiveTrace(arrival.time_ns, end_ns, export_request(spans))


def seconds_until(at_ns: int, now_ns: int) -> float:
    """How long to wait; 0 for what has passed."""
    return max(0, at_ns - now_ns) / NS_PER_SECOND
