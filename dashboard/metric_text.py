"""A figure in words: value with unit, interval, limit, what came before. For pages, any language."""

from collections.abc import Callable, Mapping
from typing import Final

from dashboard.formats import NO_VALUE, count_text, duration_text, number_text, rate_text
from dashboard.i18n import language, t
from metrics import (
    REASONS,
    Counted,
    Metric,
    Note,
    Reason,
    State,
    Text,
    Threshold,
    ThresholdKind,
    Unit,
    definition,
    limit_level,
)

_NS_PER_MS: Final = 1_000_000

_COUNTED: Final[Mapping[Counted, str]] = {
    Counted.DECISIONS: "counted_decisions",
    Counted.ATTEMPTS: "counted_attempts",
    Counted.CALLS: "counted_calls",
    Counted.MODEL_CALLS: "counted_model_calls",
    Counted.TASKS: "counted_tasks",
    Counted.EVALUATIONS: "counted_evaluations",
    Counted.CELLS: "counted_cells",
    Counted.OBSERVATIONS: "counted_observations",
}

_NOTES: Final[Mapping[Note, str]] = {
    Note.NOTHING_TO_COUNT: "note_nothing_to_count",
    Note.TOO_FEW: "note_too_few",
    Note.ONE_TRACE: "note_one_trace",
    Note.MEETS: "note_meets",
    Note.BELOW: "note_below",
    Note.NOT_ENOUGH_EVIDENCE: "note_not_enough_evidence",
    Note.WITHIN_LIMIT: "note_within_limit",
    Note.ABOVE_LIMIT: "note_above_limit",
    Note.MAYBE_ABOVE_LIMIT: "note_maybe_above_limit",
    Note.NO_BASELINE: "note_no_baseline",
    Note.NO_LIMIT: "note_no_limit",
    Note.NO_GUARD_DATA: "note_no_guard_data",
    Note.EVALUATIONS_STOPPED: "note_evaluations_stopped",
    Note.ZERO_IMPROBABLE: "note_zero_improbable",
    Note.ZERO_PLAUSIBLE: "note_zero_plausible",
    Note.NO_HITS: "note_no_hits",
    Note.HITS: "note_hits",
    Note.RULE_STOPPED: "note_rule_stopped",
    Note.RULE_SILENT: "note_rule_silent",
}

STATES: Final[Mapping[State, str]] = {
    State.OK: "state_ok",
    State.BAD: "state_bad",
    State.UNSURE: "state_unsure",
    State.NO_DATA: "state_no_data",
    State.NO_BASELINE: "state_no_baseline",
    State.NOT_JUDGED: "state_not_judged",
}


def ms_text(ms: float | None) -> str:
    """Milliseconds in the unit that keeps them short."""
    return duration_text(None if ms is None else ms * _NS_PER_MS)


_VALUES: Final[Mapping[Unit, Callable[[float | None], str]]] = {
    Unit.RATE: rate_text,
    Unit.MS: ms_text,
    Unit.STEPS: number_text,
    Unit.HITS: count_text,
    Unit.SCORE: number_text,
}


def in_language(text: Text) -> str:
    """A definition's text in the reader's language."""
    return text.zh if language() == "zh" else text.en


def definition_text(key: str) -> str:
    """What a metric means, for a tooltip: formula, what is counted, when it is empty."""
    known = definition(key)
    return "\n\n".join(
        (
            in_language(known.formula),
            t("definition_denominator", text=in_language(known.denominator)),
            t("definition_empty", text=in_language(known.empty)),
            t("definition_source", source=known.source),
        )
    )


def metric_name(key: str) -> str:
    """The name of a metric in the reader's language."""
    return in_language(definition(key).name)


def value_text(value: float | None, unit: Unit) -> str:
    """A value in its unit; a dash for none."""
    return _VALUES[unit](value)


def headline(metric: Metric) -> str:
    """The value of a card: with its unit, marked where it is approximate, or the words for no data."""
    if metric.value is None:
        return t("state_no_data")
    value = value_text(metric.value, metric.unit)
    return f"≈ {value}" if metric.is_approximate else value


def counted_text(metric: Metric) -> str:
    """How many of what were counted."""
    return t(_COUNTED[metric.counted], n=count_text(metric.n))


def interval_text(metric: Metric) -> str | None:
    """The interval with its level; None for a figure that has none."""
    interval = metric.interval
    if interval is None:
        return None
    text = t(
        "interval",
        level=f"{interval.level:.0%}",
        low=value_text(interval.low, metric.unit),
        high=value_text(interval.high, metric.unit),
    )
    return f"{text} · {t('within_one_percent')}" if metric.is_approximate else text


def limit_value(metric: Metric) -> float | None:
    """The limit in the metric's own unit, to draw it; None where it is not a level."""
    return None if metric.threshold is None else limit_level(metric.threshold, metric.baseline)


def limit_text(metric: Metric) -> str | None:
    """The limit in words, with what it is measured against; None without a limit."""
    threshold = metric.threshold
    if threshold is None:
        return None
    if threshold.kind is ThresholdKind.NOT_SUDDENLY_ZERO:
        return _baseline_text(metric)
    if threshold.kind is ThresholdKind.TIMES_BASELINE:
        return _times_baseline_text(metric, threshold)
    return t(_limit_key(threshold), limit=value_text(threshold.limit, metric.unit))


def _limit_key(threshold: Threshold) -> str:
    if threshold.is_promised:
        return "limit_promised"
    return "limit_at_least" if threshold.kind is ThresholdKind.AT_LEAST else "limit_at_most"


def _times_baseline_text(metric: Metric, threshold: Threshold) -> str:
    if metric.baseline is None:
        return t("limit_times_unknown", factor=f"{threshold.limit:g}")
    level = limit_level(threshold, metric.baseline)
    if threshold.min_change and level is not None:
        return t(
            "limit_rise",
            limit=value_text(level, metric.unit),
            value=value_text(metric.baseline.value, metric.unit),
            n=count_text(metric.baseline.n),
        )
    return t(
        "limit_times",
        factor=f"{threshold.limit:g}",
        value=value_text(metric.baseline.value, metric.unit),
        n=count_text(metric.baseline.n),
    )


def _baseline_text(metric: Metric) -> str:
    if metric.baseline is None:
        return t("baseline_none")
    return t(
        "baseline",
        value=value_text(metric.baseline.value, metric.unit),
        n=count_text(metric.baseline.n),
    )


def note_text(metric: Metric) -> str:
    """Why the state is what it is, with how much more evidence would settle it."""
    sentence = t(_NOTES[metric.note])
    if metric.n_more is None:
        return sentence
    return f"{sentence} {t('note_n_more', n=count_text(metric.n_more))}"


def reason_text(reason: Reason) -> str:
    """Why rows were left out."""
    return in_language(REASONS[reason])


def part_text(metric: Metric) -> str:
    """Numerator and denominator as they were counted."""
    if metric.unit is Unit.MS:
        return NO_VALUE
    return f"{count_text(metric.numerator)} / {count_text(metric.denominator)}"
