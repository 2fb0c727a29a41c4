"""Spans of the pipeline on the virtual clock: it asks for a tracer and knows no clock of ours.

`VirtualTracer` starts and ends the pipeline's spans when the virtual clock says so, and stamps its
events likewise. `VirtualTimer` is the stopwatch it times its stages with: each look at it costs a
little virtual time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    Status,
    StatusCode,
    Tracer,
    set_span_in_context,
)
from opentelemetry.util.types import Attributes, AttributeValue

from sample_traces.clock import NS_PER_SECOND, VirtualClock
from sample_traces.draws import log_normal

MEDIAN_STAGE_MS = 0.3
STAGE_SIGMA = 0.5
SPAN_COST_MS = (0.02, 0.08)
"""What opening a span costs; what happens inside it costs as much as a stage."""


class VirtualTimer:
    """Seconds since the first look; every look moves the clock on by the cost of a stage."""

    def __init__(self, clock: VirtualClock, draws: Random) -> None:
        self._clock = clock
        self._draws = draws
        self._start_ns = clock.now_ns

    def __call__(self) -> float:
        """The time after the stage that this look ends."""
        self._clock.advance_ms(log_normal(self._draws, MEDIAN_STAGE_MS, STAGE_SIGMA))
        return (self._clock.now_ns - self._start_ns) / NS_PER_SECOND


class VirtualTracer(Tracer):
    """Gives the pipeline spans that begin and end by the virtual clock.

    Args:
        tracer: Makes the spans.
        clock: When they begin and end.
        parent: Of the outermost.
        draws: How long it all takes.
        is_detailed: Whether the stages beneath the outermost span are recorded too; otherwise they
            stand for it.
    """

    def __init__(
        self, tracer: Tracer, clock: VirtualClock, parent: Span, draws: Random, *, is_detailed: bool
    ) -> None:
        self._tracer = tracer
        self._clock = clock
        self._open: list[Span] = [parent]
        self._draws = draws
        self._is_detailed = is_detailed

    def start_span(self, name: str, *args: Any, **kwargs: Any) -> Span:
        """A span beneath the one that is open, from now on."""
        if len(self._open) > 1 and not self._is_detailed:
            return NonRecordingSpan(self._open[-1].get_span_context())
        context = set_span_in_context(self._open[-1], Context())
        span = self._tracer.start_span(name, context, start_time=self._clock.now_ns)
        return VirtualSpan(span, self._clock)

    @contextmanager
    def start_as_current_span(  # type: ignore[override]  # the API's own decorator is private
        self, name: str, *args: Any, **kwargs: Any
    ) -> Iterator[Span]:
        """The same, ended on leaving; spans that start inside are its children."""
        span = self.start_span(name)
        self._open.append(span)
        self._clock.advance_ms(self._draws.uniform(*SPAN_COST_MS))
        try:
            yield span
        finally:
            self._clock.advance_ms(log_normal(self._draws, MEDIAN_STAGE_MS, STAGE_SIGMA))
            self._open.pop()
            span.end()


class VirtualSpan(Span):
    """A span whose end and events are stamped by the virtual clock."""

    def __init__(self, span: Span, clock: VirtualClock) -> None:
        self._span = span
        self._clock = clock

    def end(self, end_time: int | None = None) -> None:
        """Ends now unless told otherwise."""
        self._span.end(self._clock.now_ns if end_time is None else end_time)

    def get_span_context(self) -> SpanContext:
        """Ids of the span."""
        return self._span.get_span_context()

    def set_attributes(self, attributes: Any) -> None:
        """Sets them, one by one."""
        for name, value in attributes.items():
            self.set_attribute(name, value)

    def set_attribute(self, key: str, value: AttributeValue) -> None:
        """Sets it; milliseconds are kept to whole microseconds, as the clock is."""
        is_time = key.endswith("_ms") and isinstance(value, float)
        self._span.set_attribute(key, round(value, 3) if is_time else value)  # type: ignore[arg-type]

    def add_event(
        self, name: str, attributes: Attributes = None, timestamp: int | None = None
    ) -> None:
        """Adds an event that happens now unless told otherwise."""
        self._span.add_event(
            name, attributes, self._clock.now_ns if timestamp is None else timestamp
        )

    def update_name(self, name: str) -> None:
        """Renames it."""
        self._span.update_name(name)

    def is_recording(self) -> bool:
        """Whether anything is kept."""
        return self._span.is_recording()

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        """Sets the status."""
        self._span.set_status(status, description)

    def record_exception(
        self,
        exception: BaseException,
        attributes: Attributes = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        """Adds the exception as an event that happens now unless told otherwise."""
        at_ns = self._clock.now_ns if timestamp is None else timestamp
        self._span.record_exception(exception, attributes, at_ns, escaped)
