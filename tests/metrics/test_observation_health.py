"""Observation health: shares of cells, confidence, parser time, noise, and two readings."""

from dataclasses import replace

import pytest

from metrics import (
    Counted,
    Exclusion,
    Note,
    Part,
    Reading,
    Reason,
    Scope,
    State,
    Unit,
    behind,
    observation_health,
)
from tests.metrics.conftest import ALL, SECOND, T0, Store, trace_id

DAY = Scope(T0, T0 + 1000 * SECOND)


def test_each_share_has_its_own_denominator(store: Store) -> None:
    store.observation(1, cells=6, multi=4, conflicts=1, unknown=3, confidence=0.9, noise_hits=2)
    store.observation(2, cells=2, multi=0, confidence=0.5, noise_hits=0)
    found = observation_health(store.database, ALL)
    assert (found.conflict.value, found.conflict.n) == (0.25, 4)
    assert (found.unknown.value, found.unknown.n) == (3 / 8, 8)
    assert found.confidence.value == pytest.approx((6 * 0.9 + 2 * 0.5) / 8)
    assert (found.confidence.unit, found.confidence.counted) == (Unit.SCORE, Counted.CELLS)
    assert (found.noise.value, found.noise.n) == (0.5, 2)
    assert (found.noise.state, found.confidence.state) == (State.NOT_JUDGED, State.NOT_JUDGED)
    assert found.n_observations == 2


def test_nothing_observed_is_no_data_not_zero(store: Store) -> None:
    found = observation_health(store.database, ALL)
    for metric in (found.conflict, found.unknown, found.confidence, found.parse, found.noise):
        assert (metric.value, metric.state) == (None, State.NO_DATA)
    assert (found.n_observations, found.n_reread, found.rule_version) == (0, 0, None)


def test_no_cell_of_two_sources_is_no_conflict_data(store: Store) -> None:
    store.observation(1, cells=5, multi=0)
    assert observation_health(store.database, ALL).conflict.value is None


@pytest.mark.parametrize(
    ("n_conflicts", "state"), [(10, State.OK), (30, State.UNSURE), (60, State.BAD)]
)
def test_conflicts_are_bad_when_the_lower_bound_passes_15_percent(
    store: Store, n_conflicts: int, state: State
) -> None:
    for number in range(200):
        store.observation(number, multi=1, conflicts=1 if number < n_conflicts else 0)
    assert observation_health(store.database, ALL).conflict.state is state


@pytest.mark.parametrize(
    ("n_before", "n_now", "state"),
    [
        (0, 2, State.OK),  # 0.5 % where there were none: under the 1 % line
        (0, 40, State.BAD),
        (1, 4, State.OK),  # four times as many, but not a point more
        (40, 44, State.OK),  # a tenth more
        (40, 120, State.BAD),
    ],
)
def test_unknown_values_are_bad_by_factor_and_by_rise(
    store: Store, n_before: int, n_now: int, state: State
) -> None:
    for number in range(400):
        store.observation(number, time=-5, cells=1, unknown=1 if number < n_before else 0)
        store.observation(number, time=5, cells=1, unknown=1 if number < n_now else 0)
    found = observation_health(store.database, DAY).unknown
    assert found.state is state
    assert found.baseline is not None
    assert found.baseline.n == 400


def test_parser_time_without_a_start_counts_at_that_of_its_trace(store: Store) -> None:
    for number in range(80):
        store.trace(number, start=1, agent_name="shop" if number < 73 else "other")
        store.observation(number, time=None if number % 2 else 1, parse_ms=60)
    store.trace(80, start=None)
    store.observation(80, time=None, parse_ms=60)
    of_all, of_shop = (
        observation_health(store.database, replace(ALL, agent_name=agent)).parse
        for agent in (None, "shop")
    )

    assert (of_all.n, of_shop.n) == (80, 73)
    assert Exclusion(Reason.NO_START_TIME, 1) in of_all.exclusions


def test_parser_time_has_a_limit_of_50_ms_and_needs_72(store: Store) -> None:
    for number in range(71):
        store.observation(number, parse_ms=60)
    store.observation(100)
    few = observation_health(store.database, ALL).parse
    assert (few.value, few.note, few.n) == (None, Note.TOO_FEW, 71)
    assert few.exclusions == (Exclusion(Reason.NO_PARSE_TIME, 1),)
    for number in range(71, 200):
        store.observation(number, parse_ms=60)
    found = observation_health(store.database, ALL).parse
    assert (found.value, found.state) == (60, State.BAD)


def test_cells_of_one_trace_are_not_independent(store: Store) -> None:
    for number in range(40):
        store.observation(number, cells=10, unknown=10 if number < 4 else 0, confidence=0.9)
    found = observation_health(store.database, ALL)
    assert found.unknown.interval is not None
    assert found.unknown.interval.low < 0.04
    assert found.confidence.interval is not None
    assert found.confidence.interval.low == pytest.approx(0.9)


def test_one_trace_gives_no_interval(store: Store) -> None:
    store.observation(1, cells=10, unknown=5, confidence=0.9)
    found = observation_health(store.database, ALL)
    assert (found.unknown.interval, found.confidence.interval) == (None, None)


def test_only_the_current_version_of_a_span_counts(store: Store) -> None:
    span_id = store.observation(1, cells=4, unknown=4, version=1, end=None)
    store.observation(1, cells=4, unknown=1, version=2, span_id=span_id)
    found = observation_health(store.database, ALL).unknown
    assert (found.numerator, found.denominator) == (1, 4)


def test_an_observation_without_a_time_stands_at_its_trace_or_is_left_out(store: Store) -> None:
    store.trace(1, start=5)
    store.observation(1, time=None, cells=3)
    store.observation(2, time=None, cells=9)
    store.observation(3, time=5)
    found = observation_health(store.database, DAY)
    assert found.unknown.n == 3
    assert found.unknown.exclusions == (Exclusion(Reason.NO_START_TIME, 1),)
    assert found.confidence.exclusions == (
        Exclusion(Reason.NO_FACTS, 1),
        Exclusion(Reason.NO_START_TIME, 1),
    )


def test_a_scope_narrows_by_tool_and_by_agent(store: Store) -> None:
    store.trace(1, agent_name="a")
    store.observation(1, cells=1, tools=("search", "pay"))
    store.observation(2, cells=2, tools=("search",))
    by_tool = Scope(ALL.start_time_ns, ALL.end_time_ns, "pay")
    by_agent = Scope(ALL.start_time_ns, ALL.end_time_ns, None, "a")
    assert observation_health(store.database, by_tool).unknown.n == 1
    assert observation_health(store.database, by_agent).unknown.n == 1


def reread_store(store: Store) -> None:
    """Two of three observations read again by v2, which maps what was unknown."""
    spans = [
        store.observation(number, cells=4, multi=2, conflicts=1, unknown=2, confidence=0.5)
        for number in range(3)
    ]
    store.reread(0, spans[0], version="v1", cells=4, unknown=4, confidence=0.25)
    for number in range(2):
        store.reread(number, spans[number], version="v2", cells=4, multi=2, confidence=0.25)
        store.reread(
            number, spans[number], version="v2", cells=4, multi=2, confidence=0.75, created=1
        )


def test_a_dictionary_put_in_force_makes_the_unknown_share_fall(store: Store) -> None:
    reread_store(store)
    before = observation_health(store.database, ALL)
    store.pointer("v1", moved=1)
    store.pointer("v2", moved=2)
    after = observation_health(store.database, ALL)
    assert (before.unknown.value, before.n_reread, before.rule_version) == (0.5, 0, None)
    assert after.unknown.value == pytest.approx(2 / 12)
    assert after.conflict.value == pytest.approx(1 / 6)
    assert after.confidence.value == pytest.approx((0.75 * 8 + 0.5 * 4) / 12)
    assert (after.n_reread, after.rule_version) == (2, "v2")
    assert after.recorded == before.recorded


def test_the_reading_chooses_the_headline_and_both_are_told(store: Store) -> None:
    reread_store(store)
    store.pointer("v2")
    recorded = observation_health(store.database, ALL, reading="recorded")
    current = observation_health(store.database, ALL, reading=Reading.CURRENT)
    assert recorded.unknown.value == 0.5
    assert (recorded.recorded, recorded.current) == (current.recorded, current.current)
    for reading, health in ((Reading.RECORDED, recorded), (Reading.CURRENT, current)):
        page = behind(store.database, "unknown_share", Part.NUMERATOR, ALL, reading=reading)
        assert page.units == health.unknown.numerator


def test_rolling_back_brings_the_recorded_figure_back(store: Store) -> None:
    reread_store(store)
    store.pointer("v2", moved=1)
    store.pointer("v0", moved=2)
    found = observation_health(store.database, ALL)
    assert (found.unknown.value, found.n_reread, found.rule_version) == (0.5, 0, "v0")


def test_each_rule_set_has_its_own_dictionary_in_force(store: Store) -> None:
    reread_store(store)
    store.pointer("v2", moved=1)
    store.pointer("w1", moved=2, rule_set="billing")
    store.pointer("v2", moved=3, rule_set="shared")

    found = observation_health(store.database, ALL)

    assert found.unknown.value == pytest.approx(2 / 12)
    assert found.n_reread == 2
    page = behind(store.database, "unknown_share", Part.NUMERATOR, ALL, reading=Reading.CURRENT)
    assert page.units == found.unknown.numerator


def test_figures_lead_to_the_traces_that_hold_them(store: Store) -> None:
    store.observation(1, cells=3, unknown=1)
    store.observation(2, cells=3, multi=2, conflicts=1, noise_hits=1)
    keys = ("unknown_share", "conflict_share", "noise_exposure")
    found = {key: behind(store.database, key, Part.NUMERATOR, ALL) for key in keys}
    assert {key: [trace.trace_id for trace in page.traces] for key, page in found.items()} == {
        "unknown_share": [trace_id(1)],
        "conflict_share": [trace_id(2)],
        "noise_exposure": [trace_id(2)],
    }
