"""The whole world, simulated: spans, noise log, labels, replay cases, and the truth about each trace.

The same seed and timeline give the same world in every process. `World.truth` is a plain dict
(trace id to counts) for tests of readers and metrics.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from sample_traces.agent import SimulatedTask
from sample_traces.audit import label_rows
from sample_traces.draws import stream
from sample_traces.progress import RunRecord
from sample_traces.replay_cases import case_rows
from sample_traces.stories import Story
from sample_traces.storylines import cast
from sample_traces.timeline import Timeline
from sample_traces.traffic import Arrival, arrivals
from sample_traces.truth import TraceTruth

SEED = 20261120
DETAILED_SHARE = 0.1
"""Share of the runs whose observations are recorded with their stages and in all templates."""


@dataclass(frozen=True, slots=True)
class World:
    """Everything that was recorded, and what the simulator knows about it."""

    traces: Mapping[str, Sequence[ReadableSpan]]
    """Exported spans of each trace in order of their end, traces in order of their start."""
    noise_rows: Sequence[Mapping[str, object]]
    label_rows: Sequence[Mapping[str, object]]
    case_rows: Sequence[Mapping[str, object]]
    truth: dict[str, TraceTruth]
    highlights: dict[str, str]
    """A trace id for each thing worth seeing that `README.md` lists."""
    stories: Sequence[Story]


class SeededIds(IdGenerator):
    """Trace and span ids from a seeded stream; each task brings its own."""

    def __init__(self) -> None:
        self._draws = Random(0)  # noqa: S311  replaced before the first id

    def begin(self, draws: Random) -> None:
        """Takes the next ids from this stream."""
        self._draws = draws

    def generate_trace_id(self) -> int:
        """128 random bits, never zero."""
        return self._draws.getrandbits(128) or 1

    def generate_span_id(self) -> int:
        """64 random bits, never zero."""
        return self._draws.getrandbits(64) or 1


def simulate(seed: int = SEED, timeline: Timeline | None = None) -> World:
    """Runs the world from start to end.

    Runs that are told of are played a second time, in detail: their streams give the same events.
    """
    timeline = timeline or Timeline()
    ids = SeededIds()
    exporter = InMemorySpanExporter()
    provider = shop_provider(ids, exporter)
    tracer = provider.get_tracer("shop.agent", "1.0.0")
    runs: dict[str, _TracedRun] = {}

    def play(arrival: Arrival, *, is_detailed: bool) -> None:
        ids.begin(stream(seed, arrival.key, "ids"))
        record = SimulatedTask(arrival, timeline, tracer, seed, is_detailed=is_detailed).run()
        spans = _by_end(exporter.get_finished_spans())
        exporter.clear()
        runs[record.trace_id] = _TracedRun(arrival, is_detailed, record, spans)

    for arrival in arrivals(timeline, seed):
        play(arrival, is_detailed=stream(seed, arrival.key, "detail").random() < DETAILED_SHARE)
    records = [run.record for run in runs.values()]
    stories, highlights = cast(records, timeline), _highlights(records, timeline)
    told = [*highlights.values(), *(trace_id for story in stories for trace_id in story.trace_ids)]
    for run in [runs[trace_id] for trace_id in dict.fromkeys(told)]:
        if not run.is_detailed:
            play(run.arrival, is_detailed=True)
    provider.shutdown()
    records = [run.record for run in runs.values()]
    judged = [d for r in records if r.truth["is_finished"] for d in r.decisions]
    traces = {trace_id: run.spans for trace_id, run in runs.items()}
    truth = {record.trace_id: record.truth for record in records}
    labels = label_rows(judged, seed)
    return World(
        traces=traces,
        noise_rows=[row for record in records for row in record.noise_rows],
        label_rows=labels,
        case_rows=case_rows(traces, truth, judged, labels),
        truth=truth,
        highlights=highlights,
        stories=stories,
    )


@dataclass(frozen=True, slots=True)
class _TracedRun:
    arrival: Arrival
    is_detailed: bool
    record: RunRecord
    spans: Sequence[ReadableSpan]


def shop_provider(ids: IdGenerator, exporter: InMemorySpanExporter) -> TracerProvider:
    """A provider that reads no environment and tells nothing of this machine."""
    unlimited = SpanLimits.UNSET
    resource = Resource(
        {
            "service.name": "shop-agent",
            "service.version": "2026.11",
            "deployment.environment.name": "demo",
        }
    )
    provider = TracerProvider(
        sampler=ALWAYS_ON,
        resource=resource,
        id_generator=ids,
        shutdown_on_exit=False,
        span_limits=SpanLimits(
            unlimited, unlimited, unlimited, unlimited, unlimited, unlimited, unlimited
        ),
    )
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider


def _by_end(spans: Sequence[ReadableSpan]) -> list[ReadableSpan]:
    return sorted(spans, key=lambda span: span.end_time or 0)


@dataclass(frozen=True, slots=True)
class _Highlight:
    name: str
    is_shown_by: Callable[[TraceTruth], bool]
    within: str | None = None
    """The condition that must hold; None for things that happen at any time."""


_HIGHLIGHTS = (
    _Highlight(
        "slow order system",
        lambda t: t["tools"] == ["query_order_status"] and t["attempts"] >= 3,
        "order system slow",
    ),
    _Highlight(
        "confused tools",
        lambda t: (
            t["intent"] == "find_order"
            and t["tools"] == ["query_order_status", "search_orders", "query_order_status"]
        ),
        "contract sentence lost",
    ),
    _Highlight(
        "ping-pong",
        lambda t: len(t["tools"]) >= 6 and len(set(t["tools"])) == 2 and not t["run_failed"],
        "tools that send for each other",
    ),
    _Highlight(
        "stopped at the call limit", lambda t: t["run_failed"] is True and not t["llm_errors"]
    ),
    _Highlight(
        "refund held for confirmation",
        lambda t: (
            t["tools"] == ["query_order_status", "refund_order"]
            and t["statuses"] == ["ok", "blocked"]
        ),
    ),
    _Highlight("batch export blocked", lambda t: t["intent"] == "export" and t["blocked"] > 0),
    _Highlight(
        "retried call",
        lambda t: t["calls_tried_again"] > 0 and set(t["statuses"]) == {"ok"} and not t["degraded"],
    ),
    _Highlight("repeated by the model", lambda t: t["identical_retries"] > 0),
    _Highlight(
        "corrected arguments",
        lambda t: t["corrected_retries"] > 0 and t["intent"] == "track_delivery",
    ),
    _Highlight(
        "parallel calls",
        lambda t: t["intent"] == "coupon_and_points" and t["statuses"] == ["ok", "ok"],
    ),
    _Highlight("degraded answer", lambda t: t["degraded"] > 0, "member system restart"),
    _Highlight("noise on several facts", lambda t: t["noise_rows"] >= 2, "noise drill too strong"),
    _Highlight("model down, run failed", lambda t: t["llm_errors"] > 0),
    _Highlight("unfinished run", lambda t: not t["is_finished"]),
)


def _highlights(records: Sequence[RunRecord], timeline: Timeline) -> dict[str, str]:
    """For each highlight the shortest run that shows it, the earliest of equals.

    A highlight that no run shows, or whose condition this timeline lacks, is left out.
    """
    by_length = sorted(records, key=lambda r: (len(r.truth["tools"]), r.start_time_ns))
    found = {}
    for highlight in _HIGHLIGHTS:
        shown = (r.trace_id for r in by_length if _shows(r, highlight, timeline))
        trace_id = next(shown, None)
        if trace_id is not None:
            found[highlight.name] = trace_id
    return found


def _shows(record: RunRecord, highlight: _Highlight, timeline: Timeline) -> bool:
    is_inside = highlight.within is None or any(
        condition.name == highlight.within and condition.holds(record.start_time_ns)
        for condition in timeline.conditions
    )
    return is_inside and highlight.is_shown_by(record.truth)
