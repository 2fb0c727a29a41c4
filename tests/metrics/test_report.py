"""Everything in one call."""

import json

from metrics import DEFINITIONS, Metric, State, by_trace, data_range, default_scope, report
from tests.metrics.conftest import ALL, Store


def test_an_empty_store_has_no_value_anywhere(store: Store) -> None:
    found = report(store.database, default_scope("7d", data_range(store.database)))
    for metric in found.metrics().values():
        assert metric.value is None
        assert metric.state is State.NO_DATA
        assert (metric.n, metric.interval, metric.baseline) == (0, None, None)
    assert (found.tools, found.errors, found.steps.histogram) == ((), (), ())
    assert all(points == () for points in found.trends.values())
    assert by_trace(store.database) == {}


def test_a_report_holds_each_defined_metric_and_its_trend(store: Store) -> None:
    store.trace(1)
    found = report(store.database, ALL)
    keys = [item.key for item in DEFINITIONS]
    assert list(found.metrics()) == keys
    assert list(found.trends) == keys
    assert all(isinstance(metric, Metric) for metric in found.metrics().values())


def test_a_report_is_plain_data(store: Store) -> None:
    store.trace(1)
    store.call(1, 0, status="error", attempts=2)
    store.decision(1)
    store.label(1, label="CANT_TELL")
    plain = report(store.database, ALL).to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["accuracy"]["selection"]["exclusions"] == [{"reason": "cant_tell", "n": 1}]
    assert plain["retries"]["rate"]["value"] == 1
    assert plain["retries"]["rate"]["unit"] == "rate"


def test_replay_stands_beside_the_audit(store: Store) -> None:
    store.decision(1)
    store.label(1, source="replay")
    found = report(store.database, ALL)
    assert found.accuracy.selection.value is None
    assert found.replay_accuracy.selection.value == 1
