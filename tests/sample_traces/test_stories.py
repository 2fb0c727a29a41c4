"""The six stories: the recorded table is the simulated one, and the product's figures show each."""

from datetime import datetime, timedelta

import pytest

import sample_traces
from metrics import Report, Scope, State, data_range, default_scope, definition, report
from replay_store import Database
from sample_traces.stories import Story
from sample_traces.timeline import WORLD_END, Timeline, epoch_ns
from sample_traces.world import World

BY_KEY = {story.key: story for story in sample_traces.stories()}


@pytest.fixture(scope="module")
def week(store: Database) -> Scope:
    return default_scope("7d", data_range(store))


@pytest.fixture(scope="module")
def now(store: Database, week: Scope) -> Report:
    return report(store, week)


@pytest.fixture(scope="module")
def before(store: Database, week: Scope) -> Report:
    return report(store, week.before())


def test_the_recorded_table_is_what_the_world_tells(world: World) -> None:
    assert sample_traces.stories() == tuple(world.stories)
    assert len(BY_KEY) == 6


@pytest.mark.parametrize("story", BY_KEY.values(), ids=BY_KEY.keys())
def test_a_story_is_a_condition_of_the_last_week_with_traces_of_its_time(
    story: Story, world: World
) -> None:
    condition = Timeline().condition(story.condition)
    assert (condition.start, condition.end) == (story.start, story.end)
    assert WORLD_END - timedelta(days=7) <= story.start < story.end <= WORLD_END
    assert definition(story.metric).key == story.metric
    assert len(story.trace_ids) == 3
    for trace_id in story.trace_ids:
        start_ns = min(span.start_time or 0 for span in world.traces[trace_id])
        assert condition.holds(start_ns)


@pytest.mark.parametrize(
    "key",
    [
        "selection_accuracy",
        "latency_p95_attempt",
        "latency_p95_call",
        "retry_rate",
        "steps_per_task",
        "guard_hits",
        "unknown_share",
    ],
)
def test_the_last_week_is_bad_and_the_week_before_was_not(
    now: Report, before: Report, key: str
) -> None:
    assert now.metrics()[key].state is State.BAD
    assert before.metrics()[key].state is State.OK


def test_nothing_was_bad_in_the_week_before(before: Report) -> None:
    states = {key: metric.state for key, metric in before.metrics().items()}
    assert set(states.values()) <= {State.OK, State.NOT_JUDGED}, states


def test_call_accuracy_falls_with_selection(now: Report, before: Report) -> None:
    found = now.accuracy.call.interval
    earlier = before.accuracy.call.interval
    assert found is not None
    assert earlier is not None
    assert found.high < 0.85 < earlier.low


def test_the_model_is_as_fast_as_before(now: Report) -> None:
    assert now.latency.model.state is State.OK


def test_only_the_confirmation_rule_fell_silent(store: Database, now: Report, week: Scope) -> None:
    assert [rule.rule for rule in now.guard.silent] == ["money_confirmation"]
    since = _scope(BY_KEY["guard_rule_off"].start, week)
    after = report(store, since)
    assert "money_confirmation" not in {r.rule for r in after.guard.rules if r.n_evaluations}
    assert any(row.tool_name == "refund_order" and row.n_calls for row in after.tools)
    assert "order_ownership" in {rule.rule for rule in after.guard.rules if rule.n_hits}


def test_values_are_unknown_only_once_the_new_status_came(store: Database) -> None:
    start_ns = epoch_ns(BY_KEY["new_status"].start)
    first = store.row("select min(time_ns) as time_ns from observation where n_unknown > 0")
    raw = store.rows("select distinct raw from fact where kind = 'UNKNOWN'")
    assert first is not None
    assert start_ns <= first["time_ns"] < start_ns + 86_400 * 10**9
    assert raw == [{"raw": '"refunding"'}]


def test_noise_is_seen_in_the_last_week_only(now: Report, before: Report) -> None:
    assert (now.metrics()["noise_exposure"].value or 0) > 0.15
    assert before.metrics()["noise_exposure"].value == 0


def test_only_the_noise_log_explains_a_misled_run(store: Database, world: World) -> None:
    for trace_id in BY_KEY["noise_only"].trace_ids:
        truth = world.truth[trace_id]
        assert truth["is_misled"]
        assert (truth["tool_errors"], truth["blocked"], truth["calls_tried_again"]) == (0, 0, 0)
        query = "select count(*) as n from noise_log where trace_id = $trace_id::uuid"
        row = store.row(query, {"trace_id": trace_id})
        assert row is not None
        assert row["n"] == truth["noise_rows"] > 0
    tickets = world.truth[BY_KEY["noise_only"].trace_ids[0]]["tools"]
    assert tickets == ["search_orders", "query_order_status", "create_ticket"]


def _scope(start: datetime, week: Scope) -> Scope:
    return Scope(epoch_ns(start), week.end_time_ns)
