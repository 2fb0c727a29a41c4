"""The timeline: conditions hold from their start up to, not including, their end."""

from datetime import UTC, datetime, timedelta

import pytest

from sample_traces.timeline import (
    SHANGHAI,
    WORLD_END,
    Condition,
    ModelRollout,
    Slowdown,
    Timeline,
    epoch_ns,
    rfc3339,
)

NOON = datetime(2026, 11, 24, 12, tzinfo=SHANGHAI)
SLOW = Condition("slow", NOON, NOON + timedelta(hours=1), Slowdown("t", 2.0, 0.1))


@pytest.mark.parametrize(
    ("minutes", "holds"), [(-1, False), (0, True), (59, True), (60, False), (61, False)]
)
def test_a_condition_holds_in_its_half_open_interval(minutes: int, holds: bool) -> None:
    assert SLOW.holds(epoch_ns(NOON + timedelta(minutes=minutes))) is holds


def test_effects_are_those_of_the_kind_that_hold() -> None:
    timeline = Timeline(conditions=[SLOW])
    assert timeline.effects(Slowdown, epoch_ns(NOON)) == [SLOW.effect]
    assert timeline.effects(ModelRollout, epoch_ns(NOON)) == []


def test_an_unknown_condition_is_named() -> None:
    with pytest.raises(KeyError, match="no such story"):
        Timeline().condition("no such story")


def test_the_world_ends_at_midnight_in_shanghai() -> None:
    assert WORLD_END.astimezone(UTC) == datetime(2026, 11, 28, 16, tzinfo=UTC)
    assert rfc3339(epoch_ns(WORLD_END)) == "2026-11-29T00:00:00+08:00"


def test_every_condition_lies_within_the_world() -> None:
    timeline = Timeline()
    for condition in timeline.conditions:
        assert timeline.start <= condition.start < condition.end <= timeline.end
