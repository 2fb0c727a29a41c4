"""Two sides against each other: what differs for certain, and which layer that speaks of."""

import pytest

from metrics import (
    LAYERS,
    SIGNALS,
    Change,
    Comparison,
    Layer,
    Scope,
    Side,
    compare,
    side_signals,
    side_values,
    which_layer,
)
from metrics.side import SideValues
from metrics.value_differences import value_differences
from tests.metrics.conftest import SECOND, T0, Store

DAY = 86_400
LEFT = Side(Scope(T0, T0 + DAY * SECOND))
RIGHT = Side(Scope(T0 + DAY * SECOND, T0 + 2 * DAY * SECOND))
N = 120


def days(store: Store, **right: object) -> None:
    """A hundred and twenty traces a day of one call each; what is given holds on the right day."""
    for number in range(2 * N):
        is_right = number >= N
        changes = right if is_right else {}
        start = (number % N) * 60 + DAY * is_right
        steps = changes.get("steps", 1)
        store.trace(number, start=start, steps=steps if isinstance(steps, int) else 1)
        one_call(store, number, start, changes)
        store.decision(number, time=start, tool="search", model="m")
        is_wrong = bool(changes.get("wrong")) and number % 3 == 0
        store.label(number, label="WRONG_TOOL" if is_wrong else "RIGHT")
        n_unknown = 1 if changes.get("unknown") and number % 4 == 0 else 0
        store.observation(number, time=start, cells=3, unknown=n_unknown)


def one_call(store: Store, number: int, start: float, changes: dict[str, object]) -> None:
    is_late = bool(changes.get("timeouts")) and number % 4 == 0
    bucket = 700 if changes.get("slow") else 600
    store.call(
        number,
        0,
        start=start,
        status="error" if is_late else "ok",
        error_type="TIMEOUT" if is_late else None,
        lat_bucket=bucket + number % 20,
        tool=str(changes.get("tool", "search")),
        contract_version=str(changes.get("version", "1")),
    )


def by_key(store: Store) -> dict[str, Comparison]:
    return {item.key: item for item in compare(store.database, LEFT, RIGHT)}


def test_equal_days_differ_in_nothing_and_no_layer_is_blamed(store: Store) -> None:
    days(store)
    found = which_layer(store.database, LEFT, RIGHT)
    assert found.worst is None
    assert {item.change for item in found.comparisons} <= {Change.UNSURE, Change.NO_DATA}
    assert [layer.score for layer in found.layers] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("right", "key", "layer"),
    [
        ({"timeouts": True}, "timeouts", Layer.EXECUTION),
        ({"slow": True}, "latency_p95_call", Layer.EXECUTION),
        ({"unknown": True}, "unknown_share", Layer.OBSERVATION),
        ({"wrong": True}, "selection_accuracy", Layer.PLANNING),
        ({"steps": 3}, "steps_per_task", Layer.PLANNING),
        ({"tool": "find"}, "plan_shift", Layer.PLANNING),
    ],
)
def test_a_fault_is_seen_in_its_figure_and_its_layer(
    store: Store, right: dict[str, object], key: str, layer: Layer
) -> None:
    days(store, **right)
    found = which_layer(store.database, LEFT, RIGHT)
    assert found.worst is layer
    assert found.layers[0].worse[0].key == key
    assert by_key(store)[key].change in {Change.WORSE, Change.OTHER}


def test_what_got_better_is_no_fault(store: Store) -> None:
    days(store, timeouts=True)
    found = which_layer(store.database, RIGHT, LEFT)
    assert found.worst is None
    better = {item.key for item in found.comparisons if item.change is Change.BETTER}
    assert "timeouts" in better


def test_sides_may_be_versions_of_one_tool(store: Store) -> None:
    days(store, version="2", slow=True)
    scope = Scope(T0, T0 + 2 * DAY * SECOND, tool_name="search")
    left, right = (Side(scope, contract_version=version) for version in "12")
    found = {item.key: item for item in compare(store.database, left, right)}
    assert found["latency_p95_call"].change is Change.WORSE
    assert found["latency_p95_call"].left.n == found["latency_p95_call"].right.n == N


def test_two_models_are_timed_against_each_other_and_two_tools_are_not() -> None:
    fast, slow = {600 + n % 20: 10 for n in range(20)}, {700 + n % 20: 10 for n in range(20)}
    left = SideValues({"search": fast}, {"small": fast}, {}, {})
    right = SideValues({"refund": slow}, {"large": slow}, {}, {})
    calls, models, *_ = value_differences(left, right)
    assert (calls.p_value, calls.change) == (None, Change.NO_DATA)
    assert models.change is Change.WORSE
    assert models.p_value is not None
    assert models.p_value < 1e-12


def test_the_same_durations_differ_in_nothing_however_many_end_at_a_limit() -> None:
    same = {600: 80, 700: 20}
    side = SideValues({"search": same}, {"small": same}, {}, {})
    for found in list(value_differences(side, side))[:2]:
        assert (found.effect, found.p_value) == (0.0, 1.0)


def test_a_deploy_between_the_sides_is_named(store: Store) -> None:
    days(store, version="2")
    found = which_layer(store.database, LEFT, RIGHT)
    assert [(item.kind, item.name, item.version) for item in found.deploys] == [
        ("contract", "search", "2")
    ]


def test_every_value_has_its_n_and_its_interval(store: Store) -> None:
    days(store, timeouts=True)
    for item in compare(store.database, LEFT, RIGHT):
        for figure in (item.left, item.right):
            if figure.value is not None and figure.interval is not None:
                assert figure.interval.low <= figure.value <= figure.interval.high
                assert figure.n > 0
    assert by_key(store)["timeouts"].difference == pytest.approx(0.25)


def test_empty_sides_have_no_figures_and_no_verdict(store: Store) -> None:
    assert side_signals(store.database, LEFT) == {}
    assert side_values(store.database, LEFT).steps == {}
    found = which_layer(store.database, LEFT, RIGHT)
    assert found.worst is None
    assert {item.change for item in found.comparisons} == {Change.NO_DATA}
    assert all(item.difference is None for item in found.comparisons)


def test_a_few_cases_are_shown_and_not_tested(store: Store) -> None:
    for number in range(8):
        start = DAY * (number >= 4)
        store.trace(number, start=start)
        store.call(
            number,
            0,
            start=start,
            status="error" if number >= 4 else "ok",
            error_type="TIMEOUT" if number >= 4 else None,
        )
    found = by_key(store)["timeouts"]
    assert (found.left.value, found.right.value, found.p_value) == (0, 1, None)
    assert found.change is Change.NO_DATA


def test_every_figure_has_a_layer_and_words(store: Store) -> None:
    days(store)
    assert {item.key for item in compare(store.database, LEFT, RIGHT)} <= SIGNALS.keys()
    assert LAYERS.keys() == set(Layer)
    assert all(name.en and name.zh for _, name in SIGNALS.values())
