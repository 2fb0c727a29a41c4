"""Noise: a pure function of content and seed, and a log that explains every injection."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_traces.noise import Place, draw, inject
from sample_traces.shop import JsonObject
from sample_traces.world import SEED, World

PLACE = Place("a" * 32, "b" * 16, 1_795_600_000_000_000_000)
LONG = "Arrived at Hangzhou sorting centre, waiting for the night line-haul to the destination"


def _order(order_id: str, event: JsonObject) -> JsonObject:
    return {
        "order_id": order_id,
        "status": "shipped",
        "estimated_delivery": "2026-11-27",
        "logistics_info": [{"time": "2026-11-24T08:00:00+08:00", "event": "Picked up"}, event],
    }


orders = st.builds(
    _order,
    st.from_regex("[0-9]{12}", fullmatch=True),
    st.sampled_from(
        [
            {"time": "2026-11-25T08:00:00+08:00", "event": LONG},
            {"time": "2026-11-25T08:00:00+08:00", "event": "Out for delivery"},
            {"event": "Out for delivery"},
        ]
    ),
)
points = st.builds(
    lambda n: {"user_id": "u_1", "points_balance": n, "points_expire": "2026-12-31"},
    st.integers(0, 10_000),
)
results = orders | points
NOTHING: frozenset[str] = frozenset()


@given(results, st.floats(0, 1), st.integers(0, 9))
def test_the_same_input_gives_the_same_noise_and_leaves_the_input_alone(
    result: JsonObject, intensity: float, seed: int
) -> None:
    kept = copy.deepcopy(result)
    once = inject(result, NOTHING, intensity, seed, PLACE)
    assert once == inject(result, NOTHING, intensity, seed, PLACE)
    assert result == kept


@given(results, st.integers(0, 9))
def test_no_intensity_is_the_identity(result: JsonObject, seed: int) -> None:
    assert inject(result, NOTHING, 0.0, seed, PLACE) == (result, [])


@given(results, st.floats(0, 1), st.floats(0, 1), st.integers(0, 9))
def test_noise_is_nested_in_intensity(
    result: JsonObject, one: float, other: float, seed: int
) -> None:
    less, more = sorted((one, other))
    few = {
        r["noise_id"]: r["injected_value"] for r in inject(result, NOTHING, less, seed, PLACE)[1]
    }
    many = {
        r["noise_id"]: r["injected_value"] for r in inject(result, NOTHING, more, seed, PLACE)[1]
    }
    assert few.items() <= many.items()


@given(orders, st.integers(0, 9))
def test_critical_facts_are_never_touched(result: JsonObject, seed: int) -> None:
    shown, rows = inject(result, frozenset({"STATUS", "EST_DELIVERY"}), 1.0, seed, PLACE)
    assert shown["status"] == "shipped"
    assert shown["estimated_delivery"] == "2026-11-27"
    assert {row["fact_type"] for row in rows} <= {"LATEST_EVENT"}


@pytest.mark.parametrize(
    ("result", "kinds"),
    [
        pytest.param(
            _order("202611240001", {"time": "2026-11-25T08:00:00+08:00", "event": LONG}),
            {"LABEL_UNKNOWN", "JITTER_DATE", "TRUNCATE"},
            id="a long event is cut",
        ),
        pytest.param(
            _order("202611240001", {"event": "Out for delivery"}),
            {"LABEL_UNKNOWN", "JITTER_DATE", "DROP"},
            id="an event without a time is dropped",
        ),
        pytest.param({"user_id": "u", "points_balance": 1250}, {"JITTER_NUM"}, id="points jitter"),
        pytest.param({"data": []}, set(), id="nothing to disturb"),
    ],
)
def test_kinds_follow_from_the_facts(result: JsonObject, kinds: set[str]) -> None:
    shown, rows = inject(result, NOTHING, 1.0, 3, PLACE)
    assert {row["kind"] for row in rows} == kinds
    assert (shown != result) is bool(kinds)


def test_draws_are_spread_over_the_unit_interval() -> None:
    found = [draw("gate", "s", f"f{i}", "DROP", 1) for i in range(2000)]
    assert all(0 <= u < 1 for u in found)
    assert abs(sum(found) / len(found) - 0.5) < 0.03


def test_every_row_of_the_world_can_be_recomputed_and_points_at_its_trace(world: World) -> None:
    assert len({row["noise_id"] for row in world.noise_rows}) == len(world.noise_rows)
    for row in world.noise_rows:
        before, fact_id, kind = (
            str(row[name]) for name in ("snapshot_hash_before", "fact_id", "kind")
        )
        assert (
            row["gate_u"]
            == draw("gate", before, fact_id, kind, SEED)
            < float(str(row["intensity"]))
        )
        assert row["mag_u"] == draw("mag", before, fact_id, kind, SEED)
        spans = world.traces[str(row["trace_id"])]
        contexts = [span.get_span_context() for span in spans]
        ids = {f"{context.span_id:016x}" for context in contexts if context is not None}
        assert row["span_id"] in ids
        assert row["snapshot_hash_before"] != row["snapshot_hash_after"]


def test_every_kind_of_noise_occurs(world: World) -> None:
    kinds = {row["kind"] for row in world.noise_rows}
    assert kinds == {"DROP", "TRUNCATE", "JITTER_NUM", "JITTER_DATE", "LABEL_UNKNOWN"}


def test_the_model_reads_the_noisy_value_and_the_tool_span_keeps_the_clean_one(
    world: World,
) -> None:
    jitters = [row for row in world.noise_rows if row["kind"] == "JITTER_DATE"]
    assert jitters
    for row in jitters:
        spans = world.traces[str(row["trace_id"])]
        results = [str((s.attributes or {}).get("gen_ai.tool.call.result")) for s in spans]
        inputs = [str((s.attributes or {}).get("gen_ai.input.messages")) for s in spans]
        assert any(str(row["original_value"]) in text for text in results)
        shown = any(str(row["injected_value"]) in text for text in inputs)
        assert shown or not world.truth[str(row["trace_id"])]["is_finished"] or len(inputs) < 3
