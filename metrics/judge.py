"""From a figure, its interval and what came before to a state, and the reason for it.

A verdict is a test of a bound, never a comparison of the bare estimate: 42 of 50 right is 84 %, and
says nothing about 85 %.
"""

from typing import NamedTuple

from metrics.values import Baseline, Interval, Note, State, Threshold, ThresholdKind


class Verdict(NamedTuple):
    """A state and the key of the sentence that explains it."""

    state: State
    note: Note


def judge(
    value: float | None,
    interval: Interval | None,
    threshold: Threshold | None,
    baseline: Baseline | None,
    min_baseline_n: int,
) -> Verdict:
    """The verdict on a figure that is estimated (for guard hits see `judge_hits`).

    A value without an interval (all of it from one trace) is measured but settles nothing. A
    baseline of fewer than `min_baseline_n` is none.
    """
    if value is None:
        return Verdict(State.NO_DATA, Note.NOTHING_TO_COUNT)
    if threshold is None:
        return Verdict(State.NOT_JUDGED, Note.NO_LIMIT)
    if threshold.kind is ThresholdKind.TIMES_BASELINE:
        is_known = baseline is not None and baseline.n >= min_baseline_n
        return _against_baseline(value, interval, threshold, baseline if is_known else None)
    if interval is None:
        return Verdict(State.UNSURE, Note.ONE_TRACE)
    if threshold.kind is ThresholdKind.AT_LEAST:
        return _at_least(interval, threshold.limit)
    return _at_most(interval, threshold.limit)


def _at_least(interval: Interval, limit: float) -> Verdict:
    if interval.low >= limit:
        return Verdict(State.OK, Note.MEETS)
    if interval.high < limit:
        return Verdict(State.BAD, Note.BELOW)
    return Verdict(State.UNSURE, Note.NOT_ENOUGH_EVIDENCE)


def _at_most(interval: Interval, limit: float) -> Verdict:
    if interval.low > limit:
        return Verdict(State.BAD, Note.ABOVE_LIMIT)
    if interval.high <= limit:
        return Verdict(State.OK, Note.WITHIN_LIMIT)
    return Verdict(State.UNSURE, Note.MAYBE_ABOVE_LIMIT)


def limit_level(threshold: Threshold, baseline: Baseline | None) -> float | None:
    """The limit in the unit of the figure; None where it is no level, or has no baseline."""
    if threshold.kind is ThresholdKind.NOT_SUDDENLY_ZERO:
        return None
    if threshold.kind is not ThresholdKind.TIMES_BASELINE:
        return threshold.limit
    return None if baseline is None else _above_baseline(threshold, baseline)


def _above_baseline(threshold: Threshold, baseline: Baseline) -> float:
    """The factor and the least change must both be passed.

    None of n seen before does not mean never: 3 / n is the largest rate that n zeros allow. Where
    a least change is given, it is the line above zero.
    """
    if threshold.min_change:
        return max(threshold.limit * baseline.value, baseline.value + threshold.min_change)
    return threshold.limit * (baseline.value or 3 / baseline.n)


def _against_baseline(
    value: float, interval: Interval | None, threshold: Threshold, baseline: Baseline | None
) -> Verdict:
    if baseline is None:
        return Verdict(State.NO_BASELINE, Note.NO_BASELINE)
    limit = _above_baseline(threshold, baseline)
    if value <= limit:
        return Verdict(State.OK, Note.WITHIN_LIMIT)
    if interval is None:
        return Verdict(State.UNSURE, Note.ONE_TRACE)
    if interval.low > limit:
        return Verdict(State.BAD, Note.ABOVE_LIMIT)
    return Verdict(State.UNSURE, Note.MAYBE_ABOVE_LIMIT)


class GuardCounts(NamedTuple):
    """What a period shows of the guard."""

    n_calls: int
    n_evaluations: int
    n_hits: int


def judge_hits(now: GuardCounts, before: GuardCounts, max_probability: float) -> Verdict:
    """The verdict on guard hits: three kinds of silence are three different words.

    Evaluations stopped: none now, some before, while calls go on. Improbably zero: no hits, some
    before. Both only where `silence_probability` is under `max_probability`. No guard data: neither.

    Source: S3 §7.2, a count that suddenly drops to zero may be a rule that no longer works.
    """
    if now.n_evaluations == 0:
        probability = silence_probability(now, before)
        if probability is not None and probability < max_probability:
            return Verdict(State.BAD, Note.EVALUATIONS_STOPPED)
        return Verdict(State.NO_DATA, Note.NO_GUARD_DATA)
    if now.n_hits > 0:
        return Verdict(State.OK, Note.HITS)
    if before.n_evaluations == 0:
        return Verdict(State.NO_BASELINE, Note.NO_HITS)
    if before.n_hits == 0:
        return Verdict(State.OK, Note.NO_HITS)
    probability = silence_probability(now, before)
    if probability is not None and probability < max_probability:
        return Verdict(State.BAD, Note.ZERO_IMPROBABLE)
    return Verdict(State.UNSURE, Note.ZERO_PLAUSIBLE)


def silence_probability(now: GuardCounts, before: GuardCounts) -> float | None:
    """How probable the silence of a period is at the rates before; None where nothing is silent.

    Without evaluations: that none of n calls is evaluated. With them: that none of n evaluations
    hits. Both are (1 - rate)^n.
    """
    if now.n_evaluations == 0:
        if before.n_evaluations == 0 or now.n_calls == 0:
            return None
        per_call = before.n_evaluations / before.n_calls if before.n_calls else 1.0
        return float((1 - min(1.0, per_call)) ** now.n_calls)
    if now.n_hits > 0 or before.n_hits == 0:
        return None
    return float((1 - before.n_hits / before.n_evaluations) ** now.n_evaluations)
