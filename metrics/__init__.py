"""Questions about stored rows: one `.sql` and one typed function each, and what the answers mean.

Owns the definitions, the statistics and the verdicts. Refuses to read trace files, to write to the
store, and to turn "no data" into 0: every figure carries numerator, denominator, what was left out
and why, and the way to exactly the traces it counts (`behind`).
"""

from metrics.accuracy_by import AccuracyOf, accuracy_by
from metrics.after_error import AfterError, after_error
from metrics.agreement import Agreement, Band, RaterAgreement, RaterPair, agreement
from metrics.annotated_steps import AnnotatedStep, annotated_steps
from metrics.batch_accuracy import BatchAccuracy, DrawnPart, batch_accuracy
from metrics.behind import Behind, BehindTrace, Part, behind, behind_count
from metrics.buckets import DAY_NS, HOUR_NS, bucket_width_ns
from metrics.by_container import (
    ContainerReport,
    ScoreSum,
    by_container,
    container_scores,
)
from metrics.by_trace import TraceReport, by_trace, trace_tools
from metrics.compare import compare
from metrics.comparison import Change, Comparison, Figure
from metrics.confusion import Cell, ConfusablePair, Confusion, ToolScore, confusion
from metrics.cost import Cost, cost
from metrics.data_range import DataRange, RangeKey, data_range, default_scope
from metrics.definitions import DEFINITIONS, Definition, Direction, definition
from metrics.degradation_share import Degradation, degradation_share
from metrics.error_classes import ErrorClass, error_classes
from metrics.errors import MetricError, UnknownMetricError, UnknownRangeError
from metrics.guard_hits import Guard, call_count, guard_hits
from metrics.guard_rules import CallCounts, GuardRule
from metrics.guard_silence import guard_silence
from metrics.idempotency_honesty import KeyHonesty, idempotency_honesty
from metrics.judge import limit_level
from metrics.latency_p95 import (
    Latency,
    latency_p95,
    latency_p95_attempt,
    latency_p95_call,
    latency_p95_model,
)
from metrics.layers import LAYERS, SIGNALS, Layer, LayerShift, WhichLayer, which_layer
from metrics.model_or_downstream import Bottleneck, LayerTime, model_or_downstream
from metrics.observation_health import (
    ObservationHealth,
    Reading,
    Shares,
    observation_health,
    parse_p95,
)
from metrics.powered import Powered
from metrics.powered_accuracy import JudgeFigure, Unmet, powered_accuracy
from metrics.promised_p95 import promised_p95
from metrics.promises import Promise
from metrics.quota_used import QuotaState, QuotaUse, quota_used
from metrics.report import Report, report
from metrics.retry_kinds import RetryKinds, retry_kinds
from metrics.retry_rate import Retries, futile_retries, retry_rate
from metrics.rollups import best_of
from metrics.selection_accuracy import Accuracy, LabelSource, selection_accuracy
from metrics.side import Side, SideValues, side_signals, side_values
from metrics.standouts import Standout, Subject, SubjectKind, standouts
from metrics.step_patterns import Cycle, StepPatterns, step_patterns
from metrics.steps_per_task import StepCount, Steps, steps_histogram, steps_per_task
from metrics.suspects import Suspect
from metrics.template_overlap import Overlap, template_overlap
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.tool_table import ToolRow, tool_table
from metrics.trend import trend, trends
from metrics.trial_successes import Trials, pass_hat_k, trial_successes
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
    "LAYERS",
    "NOTES",
    "REASONS",
    "SIGNALS",
    "Accuracy",
    "AccuracyOf",
    "AfterError",
    "Agreement",
    "AnnotatedStep",
    "Band",
    "Baseline",
    "BatchAccuracy",
    "Behind",
    "BehindTrace",
    "Bottleneck",
    "CallCounts",
    "Cell",
    "Change",
    "Comparison",
    "ConfusablePair",
    "Confusion",
    "ContainerReport",
    "Cost",
    "Counted",
    "Cycle",
    "DataRange",
    "Definition",
    "Degradation",
    "Direction",
    "DrawnPart",
    "ErrorClass",
    "Example",
    "Exclusion",
    "Figure",
    "Guard",
    "GuardRule",
    "Interval",
    "JudgeFigure",
    "KeyHonesty",
    "LabelSource",
    "Latency",
    "Layer",
    "LayerShift",
    "LayerTime",
    "Metric",
    "MetricError",
    "Note",
    "ObservationHealth",
    "OfTool",
    "Overlap",
    "Part",
    "Point",
    "Powered",
    "Promise",
    "QuotaState",
    "QuotaUse",
    "RangeKey",
    "RaterAgreement",
    "RaterPair",
    "Reading",
    "Reason",
    "Report",
    "Retries",
    "RetryKinds",
    "Scope",
    "ScoreSum",
    "Shares",
    "Side",
    "SideValues",
    "Standout",
    "State",
    "StepCount",
    "StepPatterns",
    "Steps",
    "Subject",
    "SubjectKind",
    "Suspect",
    "Text",
    "Threshold",
    "ThresholdKind",
    "Thresholds",
    "ToolRow",
    "ToolScore",
    "TraceReport",
    "Trials",
    "Unit",
    "UnknownMetricError",
    "UnknownRangeError",
    "UnmappedValue",
    "Unmet",
    "WhichLayer",
    "accuracy_by",
    "after_error",
    "agreement",
    "annotated_steps",
    "batch_accuracy",
    "behind",
    "behind_count",
    "best_of",
    "bucket_width_ns",
    "by_container",
    "by_trace",
    "call_count",
    "compare",
    "confusion",
    "container_scores",
    "cost",
    "data_range",
    "default_scope",
    "definition",
    "degradation_share",
    "error_classes",
    "futile_retries",
    "guard_hits",
    "guard_silence",
    "idempotency_honesty",
    "latency_p95",
    "latency_p95_attempt",
    "latency_p95_call",
    "latency_p95_model",
    "limit_level",
    "model_or_downstream",
    "observation_health",
    "parse_p95",
    "pass_hat_k",
    "powered_accuracy",
    "promised_p95",
    "quota_used",
    "report",
    "retry_kinds",
    "retry_rate",
    "selection_accuracy",
    "side_signals",
    "side_values",
    "standouts",
    "step_patterns",
    "steps_histogram",
    "steps_per_task",
    "template_overlap",
    "tool_table",
    "trace_tools",
    "trend",
    "trends",
    "trial_successes",
    "unmapped_values",
    "which_layer",
]
