"""Verdicts: tables of figures and what is said about them."""

import pytest

from metrics import Baseline, Interval, Note, State, Threshold, ThresholdKind
from metrics.judge import GuardCounts, judge, judge_hits

AT_LEAST = Threshold(0.85, ThresholdKind.AT_LEAST)
AT_MOST = Threshold(3000, ThresholdKind.AT_MOST)
TIMES = Threshold(1.5, ThresholdKind.TIMES_BASELINE)


def between(low: float, high: float) -> Interval:
    return Interval(low, high, 0.95, "wilson")


@pytest.mark.parametrize(
    ("value", "interval", "threshold", "baseline", "state", "note"),
    [
        (None, None, AT_LEAST, None, State.NO_DATA, Note.NOTHING_TO_COUNT),
        (0.9, between(0.85, 0.95), AT_LEAST, None, State.OK, Note.MEETS),
        (0.84, between(0.71, 0.92), AT_LEAST, None, State.UNSURE, Note.NOT_ENOUGH_EVIDENCE),
        (0.7, between(0.6, 0.849), AT_LEAST, None, State.BAD, Note.BELOW),
        (0.9, None, AT_LEAST, None, State.UNSURE, Note.ONE_TRACE),
        (0.9, between(0.8, 0.95), None, None, State.NOT_JUDGED, Note.NO_LIMIT),
        (2000, between(1500, 3000), AT_MOST, None, State.OK, Note.WITHIN_LIMIT),
        (2900, between(2500, 3100), AT_MOST, None, State.UNSURE, Note.MAYBE_ABOVE_LIMIT),
        (4000, between(3001, 5000), AT_MOST, None, State.BAD, Note.ABOVE_LIMIT),
        (0.3, between(0.25, 0.35), TIMES, Baseline(0.1, 500), State.BAD, Note.ABOVE_LIMIT),
        (0.16, between(0.1, 0.2), TIMES, Baseline(0.1, 500), State.UNSURE, Note.MAYBE_ABOVE_LIMIT),
        (0.15, between(0.1, 0.2), TIMES, Baseline(0.1, 500), State.OK, Note.WITHIN_LIMIT),
        (0.3, None, TIMES, Baseline(0.1, 500), State.UNSURE, Note.ONE_TRACE),
        (0.3, between(0.25, 0.35), TIMES, Baseline(0.1, 29), State.NO_BASELINE, Note.NO_BASELINE),
        (0.3, between(0.25, 0.35), TIMES, None, State.NO_BASELINE, Note.NO_BASELINE),
        # None of 100 before allows 3 %; one of 50 now is no alarm.
        (0.02, between(0.0035, 0.105), TIMES, Baseline(0.0, 100), State.OK, Note.WITHIN_LIMIT),
        (0.2, between(0.15, 0.25), TIMES, Baseline(0.0, 100), State.BAD, Note.ABOVE_LIMIT),
    ],
)
def test_a_figure_is_judged_by_the_bounds_of_its_interval(
    value: float | None,
    interval: Interval | None,
    threshold: Threshold | None,
    baseline: Baseline | None,
    state: State,
    note: Note,
) -> None:
    assert judge(value, interval, threshold, baseline, 30) == (state, note)


@pytest.mark.parametrize(
    ("now", "before", "state", "note"),
    [
        # calls, evaluations, hits
        ((0, 0, 0), (0, 0, 0), State.NO_DATA, Note.NO_GUARD_DATA),
        ((50, 0, 0), (50, 0, 0), State.NO_DATA, Note.NO_GUARD_DATA),
        ((50, 0, 0), (50, 40, 4), State.BAD, Note.EVALUATIONS_STOPPED),
        ((0, 0, 0), (50, 40, 4), State.NO_DATA, Note.NO_GUARD_DATA),
        ((50, 40, 3), (0, 0, 0), State.OK, Note.HITS),
        ((50, 40, 0), (0, 0, 0), State.NO_BASELINE, Note.NO_HITS),
        ((50, 40, 0), (50, 40, 0), State.OK, Note.NO_HITS),
        ((50, 65, 0), (50, 100, 10), State.UNSURE, Note.ZERO_PLAUSIBLE),
        ((50, 66, 0), (50, 100, 10), State.BAD, Note.ZERO_IMPROBABLE),
        ((50, 1, 0), (50, 40, 40), State.BAD, Note.ZERO_IMPROBABLE),
    ],
)
def test_three_kinds_of_guard_silence_are_three_words(
    now: tuple[int, int, int], before: tuple[int, int, int], state: State, note: Note
) -> None:
    assert judge_hits(GuardCounts(*now), GuardCounts(*before), 0.001) == (state, note)
