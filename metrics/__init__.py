"""Questions about stored rows: one `.sql` and one typed function each, and what the answers mean.

Owns the definitions, the statistics and the verdicts. Refuses to read trace files, to write to the
store, and to turn "no data" into 0: every figure carries numerator, denominator, what was left out
and why, and the way to exactly the traces it counts (`behind`).
"""

from metrics.behind import Behind, BehindTrace, Part, behind, behind_count
from metrics.buckets import DAY_NS, HOUR_NS, bucket_width_ns
from metrics.by_container import (
    ContainerReport,
    ScoreSum,
    by_container,
    container_scores,
)
from metrics.by_trace import TraceReport, by_trace, trace_tools
from metrics.data_range import DataRange, RangeKey, data_range, default_scope
from metrics.definitions import DEFINITIONS, Definition, Direction, definition
from metrics.error_classes import ErrorClass, error_classes
from metrics.errors import MetricError, UnknownMetricError, UnknownRangeError
from metrics.guard_hits import Guard, call_count, guard_hits
from metrics.guard_rules import CallCounts, GuardRule
from metrics.judge import limit_level
from metrics.latency_p95 import (
    Latency,
    latency_p95,
    latency_p95_attempt,
    latency_p95_call,
    latency_p95_model,
)
from metrics.model_or_downstream import Bottleneck, LayerTime, model_or_downstream
from metrics.observation_health import (
    ObservationHealth,
    Reading,
    Shares,
    observation_health,
    parse_p95,
)
from metrics.report import Report, report
from metrics.retry_rate import Retries, futile_retries, retry_rate
from metrics.selection_accuracy import Accuracy, LabelSource, selection_accuracy
from metrics.standouts import Standout, Subject, SubjectKind, standouts
from metrics.steps_per_task import StepCount, Steps, steps_histogram, steps_per_task
from metrics.suspects import Suspect
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.tool_table import ToolRow, tool_table
from metrics.trend import trend, trends
from metrics.unmapped_values import Example, UnmappedValue, unmapped_values
from metrics.values import (
    Baseline,
    Counted,
    Exclusion,
    Interval,
    Metric,
    Note,
    OfTool,
    Point,
    Reason,
    Scope,
    State,
    Threshold,
    ThresholdKind,
    Unit,
)
from metrics.words import COUNTED, NOTES, REASONS, Text

__all__ = [
    "COUNTED",
    "DAY_NS",
    "DEFAULT_THRESHOLDS",
    "DEFINITIONS",
    "HOUR_NS",
    "NOTES",
    "REASONS",
    "Accuracy",
    "Baseline",
    "Behind",
    "BehindTrace",
    "Bottleneck",
    "CallCounts",
    "ContainerReport",
    "Counted",
    "DataRange",
    "Definition",
    "Direction",
    "ErrorClass",
    "Example",
    "Exclusion",
    "Guard",
    "GuardRule",
    "Interval",
    "LabelSource",
    "Latency",
    "LayerTime",
    "Metric",
    "MetricError",
    "Note",
    "ObservationHealth",
    "OfTool",
    "Part",
    "Point",
    "RangeKey",
    "Reading",
    "Reason",
    "Report",
    "Retries",
    "Scope",
    "ScoreSum",
    "Shares",
    "Standout",
    "State",
    "StepCount",
    "Steps",
    "Subject",
    "SubjectKind",
    "Suspect",
    "Text",
    "Threshold",
    "ThresholdKind",
    "Thresholds",
    "ToolRow",
    "TraceReport",
    "Unit",
    "UnknownMetricError",
    "UnknownRangeError",
    "UnmappedValue",
    "behind",
    "behind_count",
    "bucket_width_ns",
    "by_container",
    "by_trace",
    "call_count",
    "container_scores",
    "data_range",
    "default_scope",
    "definition",
    "error_classes",
    "futile_retries",
    "guard_hits",
    "latency_p95",
    "latency_p95_attempt",
    "latency_p95_call",
    "latency_p95_model",
    "limit_level",
    "model_or_downstream",
    "observation_health",
    "parse_p95",
    "report",
    "retry_rate",
    "selection_accuracy",
    "standouts",
    "steps_histogram",
    "steps_per_task",
    "tool_table",
    "trace_tools",
    "trend",
    "trends",
    "unmapped_values",
]
