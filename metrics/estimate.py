"""Assembles a judged `Metric` from what a question measured now and in the period before."""

from collections.abc import Iterable

from metrics.intervals import Proportion, n_to_settle, proportion_interval
from metrics.judge import judge
from metrics.periods import Pair, Periods
from metrics.statements import Row
from metrics.thresholds import Thresholds
from metrics.values import (
    Baseline,
    Counted,
    Exclusion,
    Metric,
    Note,
    OfTool,
    Reason,
    Threshold,
    ThresholdKind,
    Unit,
)


def exclusions(row: Row | None, reasons: Iterable[Reason]) -> tuple[Exclusion, ...]:
    """What a row says was left out: the reasons that occurred, in the order given."""
    if row is None:
        return ()
    return tuple(Exclusion(reason, int(row[reason])) for reason in reasons if row[reason])


def baseline_of(share: Proportion) -> Baseline | None:
    """The rate of the period before; None without cases."""
    return None if share.value is None else Baseline(share.value, share.n)


def rates_by_tool(
    key: str,
    found: Periods,
    counted: Counted,
    reasons: Iterable[Reason],
    thresholds: Thresholds,
) -> tuple[OfTool, ...]:
    """The rate of each tool that counts anything in the scope, by name."""
    kept = tuple(reasons)
    return tuple(
        OfTool(tool, metric)
        for tool, pair in found.by("tool_name").items()
        if (metric := _pair_metric(key, pair, counted, kept, thresholds)).n
    )


def _pair_metric(
    key: str, pair: Pair, counted: Counted, reasons: Iterable[Reason], thresholds: Thresholds
) -> Metric:
    now, before = Proportion.from_row(pair.now), Proportion.from_row(pair.before)
    return rate_metric(key, now, before, counted, exclusions(pair.now, reasons), thresholds)


def rate_metric(
    key: str,
    now: Proportion,
    before: Proportion,
    counted: Counted,
    left_out: tuple[Exclusion, ...],
    thresholds: Thresholds,
) -> Metric:
    """A rate with its clustered interval, judged by the threshold of its key."""
    interval, threshold, baseline = (
        proportion_interval(now),
        thresholds.of(key),
        baseline_of(before),
    )
    state, note = judge(now.value, interval, threshold, baseline, thresholds.min_baseline_n)
    return Metric(
        key=key,
        value=now.value,
        unit=Unit.RATE,
        numerator=now.numerator,
        denominator=now.denominator,
        n=now.n,
        counted=counted,
        interval=interval,
        exclusions=left_out,
        threshold=threshold,
        baseline=baseline,
        state=state,
        note=note,
        n_more=_n_more(now, threshold, note),
    )


def _n_more(now: Proportion, threshold: Threshold | None, note: Note) -> int | None:
    is_open = note is Note.NOT_ENOUGH_EVIDENCE and threshold is not None
    if not is_open or threshold is None or threshold.kind is not ThresholdKind.AT_LEAST:
        return None
    return n_to_settle(now, threshold.limit)
