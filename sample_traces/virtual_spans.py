"""Spans on the virtual clock: the library asks for a tracer and knows no clock of ours.

`VirtualTracer` starts and ends spans when the virtual clock says so, and stamps its events likewise.
What a span costs passes on the clock. `VirtualTimer` is the stopwatch of the observation: each look
at it costs a little virtual time.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.trace import (
    INVALID_SPAN,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    get_current_span,
    use_span,
)
from opentelemetry.util.types import Attributes, AttributeValue

from sample_traces.clock import LoopClock
from sample_traces.draws import log_normal
from sample_traces.units import NS_PER_SECOND

MEDIAN_STAGE_MS: Final = 0.3
STAGE_SIGMA: Final = 0.5
SPAN_COST_MS: Final = (0.02, 0.08)
"""What opening a stage's span costs; what happens inside it costs as much as a stage."""
_NO_COST: Final = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Costs:
    """Milliseconds around a span: bounds of a uniform draw each."""

    opening: tuple[float, float] = _NO_COST
    """After it has started."""
    closing: tuple[float, float] = _NO_COST
    """Before it ends."""
    after: tuple[float, float] = _NO_COST


COSTS: Final[Mapping[str, Costs]] = {
    "invoke_agent": Costs((2, 9), (1, 6)),
    "chat": Costs(after=(0.5, 2)),
    "guard": Costs(closing=(0.4, 3.0)),
    "execute_tool": Costs((0.3, 1.5), (0.2, 1.0)),
}
"""By the first word of a span's name."""


class VirtualTimer:
    """Seconds since the first look; every look moves the clock on by the cost of a stage."""

    def __init__(self, clock: LoopClock, draws: Random) -> None:
        self._clock = clock
        self._draws = draws
        self._start_ns = clock.now_ns

    def __call__(self) -> float:
        """The time after the stage that this look ends."""
        self._clock.advance_ms(log_normal(self._draws, MEDIAN_STAGE_MS, STAGE_SIGMA))
        return (self._clock.now_ns - self._start_ns) / NS_PER_SECOND


class VirtualTracer(Tracer):
    """Gives spans that begin and end by the virtual clock.

    Args:
        tracer: Makes the spans.
        clock: When they begin and end.
        draws: Of the costs, by the first word of a span's name.
        on_start: Told the name of each span that starts.
    """

    def __init__(
        self,
        tracer: Tracer,
        clock: LoopClock,
        draws: Callable[[str], Random],
        on_start: Callable[[str], None],
    ) -> None:
        self._tracer = tracer
        self._clock = clock
        self._draws = draws
        self._on_start = on_start
        self.is_dead = False
        """Whether the process has died: nothing is told from then on."""
        self.dies_after: str | None = None
        """First word of the span after whose end it dies."""

    def start_span(
        self,
        name: str,
        context: Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Attributes = None,
        *args: Any,
        **kwargs: Any,
    ) -> Span:
        """A span beneath the current one, from now on."""
        if self.is_dead:
            return INVALID_SPAN
        self._on_start(name)
        now_ns = self._clock.now_ns
        span = self._tracer.start_span(name, context, kind, attributes, start_time=now_ns)
        return VirtualSpan(span, self._clock, self)

    @contextmanager
    def start_as_current_span(  # type: ignore[override]  # the API's own decorator is private
        self, name: str, *args: Any, **kwargs: Any
    ) -> Iterator[Span]:
        """The same, current while inside, and ended on leaving."""
        word = name.split(" ", 1)[0]
        costs = COSTS.get(word, Costs())
        span = self.start_span(name, kind=kwargs.get("kind", SpanKind.INTERNAL), attributes=kwargs.get("attributes"))  # fmt: skip
        self._pass(word, costs.opening)
        try:
            with use_span(span, record_exception=False, set_status_on_exception=False):
                yield span
        finally:
            self._pass(word, costs.closing)
            span.end()
            self.is_dead = self.is_dead or word == self.dies_after
            self._pass(word, costs.after)

    def _pass(self, word: str, bounds: tuple[float, float]) -> None:
        if bounds != _NO_COST and not self.is_dead:
            self._clock.advance_ms(self._draws(word).uniform(*bounds))


class StageTracer(Tracer):
    """Gives an observation its spans; what happens inside each costs as much as a stage.

    Args:
        tracer: Makes the spans.
        clock: When they begin and end.
        draws: How long it all takes.
        is_detailed: Whether the stages beneath the outermost span are recorded too; otherwise they
            stand for it.
    """

    def __init__(
        self, tracer: VirtualTracer, clock: LoopClock, draws: Random, *, is_detailed: bool
    ) -> None:
        self._tracer = tracer
        self._clock = clock
        self._draws = draws
        self._is_detailed = is_detailed
        self._n_open = 0

    def start_span(self, name: str, *args: Any, **kwargs: Any) -> Span:
        """A span beneath the current one; a stage that is not recorded is its parent."""
        if self._n_open and not self._is_detailed:
            return NonRecordingSpan(get_current_span().get_span_context())
        return self._tracer.start_span(name)

    @contextmanager
    def start_as_current_span(  # type: ignore[override]  # the API's own decorator is private
        self, name: str, *args: Any, **kwargs: Any
    ) -> Iterator[Span]:
        """The same, ended on leaving; spans that start inside are its children."""
        span = self.start_span(name)
        self._n_open += 1
        self._clock.advance_ms(self._draws.uniform(*SPAN_COST_MS))
        try:
            with use_span(span, record_exception=False, set_status_on_exception=False):
                yield span
        finally:
            self._clock.advance_ms(log_normal(self._draws, MEDIAN_STAGE_MS, STAGE_SIGMA))
            self._n_open -= 1
            span.end()


class VirtualSpan(Span):
    """A span whose end and events are stamped by the virtual clock."""

    def __init__(self, span: Span, clock: LoopClock, tracer: VirtualTracer) -> None:
        self._span = span
        self._clock = clock
        self._tracer = tracer

    def end(self, end_time: int | None = None) -> None:
        """Ends now unless told otherwise; never, once the process has died."""
        if not self._tracer.is_dead:
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
