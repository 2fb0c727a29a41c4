"""Many series hour by hour: what is told, when, and what is not."""

from collections import Counter
from typing import Any

import pytest

from metrics.detect import (
    HOUR_NS,
    Counts,
    Detector,
    History,
    Level,
    MeanDetector,
    MeanRule,
    QuantileDetector,
    QuantileRule,
    RateDetector,
    RateRule,
    Reading,
    Track,
    Values,
    Watched,
    scan,
)
from tests.bench.healthy_series import healthy_series

DAY = 24


def reading(p_value: float, hour: int, *, large: bool = True, calm: bool = False) -> Reading:
    return Reading(hour * HOUR_NS, (hour + 1) * HOUR_NS, 9, 1.0, 0.5, 0.7, p_value, large, calm)


def test_one_odd_window_is_chance_and_two_are_told() -> None:
    track = Track().after(reading(1e-9, 0), is_discovery=True)
    assert (track.episodes(), track.is_usual) == ((), False)
    track = track.after(reading(1e-8, 1), is_discovery=True)
    (episode,) = track.episodes()
    assert (episode.since_ns, episode.fired_ns) == (0, 2 * HOUR_NS)
    assert episode.reading.p_value == 1e-9


def test_an_odd_window_that_stays_alone_is_forgotten() -> None:
    track = Track().after(reading(1e-9, 0), is_discovery=True)
    track = track.after(reading(0.5, 1, large=False), is_discovery=False)
    assert track == Track()


def test_a_small_change_is_not_told_however_certain() -> None:
    track = Track()
    for hour in range(5):
        track = track.after(reading(1e-30, hour, large=False), is_discovery=True)
    assert track.episodes() == ()


def test_it_is_over_only_after_two_calm_windows() -> None:
    track = Track()
    for hour in range(2):
        track = track.after(reading(1e-9, hour), is_discovery=True)
    track = track.after(reading(0.5, 2, calm=True), is_discovery=False)
    track = track.after(reading(1e-9, 3), is_discovery=True)
    track = track.after(reading(0.5, 4, calm=True), is_discovery=False)
    assert track.episode is not None
    track = track.after(reading(0.5, 5, calm=True), is_discovery=False)
    (episode,) = track.episodes()
    assert (episode.last_ns, episode.cleared_ns) == (4 * HOUR_NS, 6 * HOUR_NS)


def test_a_baseline_is_the_same_hour_of_the_week_once_there_are_four() -> None:
    history: History[Counts] = History(min_n=10)
    for hour in range(3 * 7 * DAY):
        history.add(hour, Counts(10, hour % DAY))
    before = history.like([3 * 7 * DAY + 5])
    assert before is not None
    assert before.level is Level.HOUR_OF_DAY
    assert {slot.k for slot in before.slots} == {5}
    for hour in range(3 * 7 * DAY, 5 * 7 * DAY):
        history.add(hour, Counts(10, 7))
    after = history.like([5 * 7 * DAY + 5])
    assert after is not None
    assert (after.level, len(after.slots)) == (Level.HOUR_OF_WEEK, 5)


def test_two_days_of_history_are_any_hour_and_less_is_none() -> None:
    history: History[Counts] = History(min_n=10)
    for hour in range(2 * DAY):
        assert history.like([hour]) is None
        history.add(hour, Counts(1, 0))
    found = history.like([2 * DAY])
    assert found is not None
    assert (found.level, found.n) == (Level.ANY_HOUR, 48)


def values(*counts: int) -> Values:
    return Values(Counter(counts))


DURATIONS = [100 + 7 * place % 90 for place in range(100)]
SERIES: dict[str, tuple[Detector[Any], Any, Any]] = {
    "rate": (
        RateDetector(RateRule(50, 1.5, 0.02, has_cusum=True)),
        Counts(60, 4),
        Counts(60, 15),
    ),
    "fall": (
        RateDetector(RateRule(50, min_change=0.15, is_fall=True)),
        Counts(60, 50),
        Counts(60, 25),
    ),
    "limit": (RateDetector(RateRule(50, limit=0.15)), Counts(60, 6), Counts(60, 24)),
    "p95": (
        QuantileDetector(QuantileRule(0.95, 72, 1.3, 50)),
        values(*DURATIONS),
        values(*(2 * item for item in DURATIONS)),
    ),
    "over": (
        QuantileDetector(QuantileRule(0.95, 72, 99, 0, limit=1_000)),
        values(*DURATIONS),
        values(*(20 * item for item in DURATIONS)),
    ),
    "steps": (
        MeanDetector(MeanRule(50, 1.2, 0.3)),
        values(*[1, 1, 2, 2, 3] * 11),
        values(*[2, 2, 3, 4, 6] * 11),
    ),
}


@pytest.mark.parametrize("name", SERIES)
def test_a_change_is_found_in_its_second_window_and_ends_when_it_ends(name: str) -> None:
    detector, usual, odd = SERIES[name]
    start, end, last = 5 * DAY, 6 * DAY, 7 * DAY
    slots = {hour: odd if start <= hour < end else usual for hour in range(last)}
    (episodes,) = scan([Watched(name, detector, slots)]).values()
    (episode,) = episodes
    assert episode.since_ns == start * HOUR_NS
    assert episode.fired_ns == (start + 2) * HOUR_NS
    assert episode.last_ns == end * HOUR_NS
    assert episode.cleared_ns == (end + 2) * HOUR_NS


def test_a_lasting_change_does_not_become_the_usual() -> None:
    detector = RateDetector(RateRule(50, 1.5, 0.02))
    slots = {hour: Counts(60, 3 if hour < 5 * DAY else 12) for hour in range(40 * DAY)}
    ((episode,),) = scan([Watched("rate", detector, slots)]).values()
    assert episode.cleared_ns is None
    assert episode.reading.baseline == pytest.approx(0.05)


def test_a_small_lasting_rise_is_found_by_its_sum() -> None:
    def found(*, has_cusum: bool) -> object:
        detector = RateDetector(RateRule(50, 2.4, 0.02, has_cusum=has_cusum))
        slots = {hour: Counts(60, 6 if hour < 5 * DAY else 11) for hour in range(8 * DAY)}
        return scan([Watched("rate", detector, slots)])

    assert found(has_cusum=True)
    assert not found(has_cusum=False)


def test_no_series_and_no_hours_find_nothing() -> None:
    assert scan([]) == {}
    assert scan([Watched("a", RateDetector(RateRule(50)), {})]) == {}


def test_ten_healthy_days_of_fifty_series_are_quiet() -> None:
    assert scan(healthy_series(seed=1, n_tools=10, n_hours=10 * DAY)) == {}
