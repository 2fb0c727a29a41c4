"""A shape that changed is told once, with when and how surely; chance is not."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from replay_store.database import Database
from replay_store.schema_drift import (
    Drift,
    DriftKind,
    RecordedShape,
    paths_of,
    recorded_shapes,
    schema_drift,
)
from tests.observed import answer, emit


def drifts(*bodies: object, n: int = 1) -> list[Drift]:
    """What changed in answers that came one after the other, each so often."""
    shapes = [
        RecordedShape(paths_of(body), "1.0", n, at, at, f"t{at}", f"s{at}")
        for at, body in enumerate(bodies)
    ]
    return schema_drift("tool", list(reversed(shapes)))


def told(found: Sequence[Drift]) -> list[tuple[str, str]]:
    return [(item.path, item.kind.value) for item in found]


OLD, NEW = {"id": 1, "state": "open"}, {"id": 1, "state": "open", "owner": "ann"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (OLD, NEW, [("owner", "new")]),
        (NEW, OLD, [("owner", "missing")]),
        (OLD, OLD | {"id": "1"}, [("id", "retyped")]),
        (OLD, {"id": 1, "status": "open"}, [("status", "new"), ("state", "missing")]),
        (OLD, OLD | {"owner": {"name": "x", "mail": "y"}}, [("owner", "new")]),
        ({"items": [{"a": 1}]}, {"items": [{"a": "1"}]}, [("items[].a", "retyped")]),
        (OLD, OLD | {"state": None}, [("state", "missing")]),
        (OLD, OLD | {"id": 1.5}, []),
        (OLD, {**OLD, "state": "shut"}, []),
    ],
)
def test_a_change_of_shape_is_told_once(
    before: object, after: object, expected: list[tuple[str, str]]
) -> None:
    assert sorted(told(drifts(*[before] * 10, *[after] * 10))) == sorted(expected)


def test_a_change_says_when_over_how_many_and_where_to_look() -> None:
    [found] = drifts(*[OLD] * 10, *[NEW] * 7)

    assert (found.kind, found.before, found.after) == (DriftKind.NEW, None, "string")
    assert (found.since_time_ns, found.n_before, found.n_after, found.share) == (10, 10, 7, 1.0)
    assert (found.trace_id, found.span_id) == ("t10", "s10")
    assert found.contract_versions == ("1.0",)


@pytest.mark.parametrize(("n_before", "is_told"), [(6, False), (7, True)])
def test_few_answers_before_show_nothing(n_before: int, is_told: bool) -> None:
    """0.999 of certainty takes seven answers, where every later one has the path."""
    assert bool(drifts(*[OLD] * n_before, *[NEW] * 5)) is is_told


def test_a_path_that_comes_seldom_is_not_new_because_it_came_late() -> None:
    bodies = [OLD] * 20 + [NEW] + [OLD] * 19

    assert drifts(*bodies) == []


def test_equal_answers_are_weighted_by_how_often_they_came() -> None:
    assert told(drifts(OLD, NEW, n=10)) == [("owner", "new")]


def test_answers_that_are_data_are_no_schema() -> None:
    assert drifts(*[OLD] * 10, *[{f"k{n}": n for n in range(900)}] * 10) == []


def test_paths_name_types_and_mixtures() -> None:
    body = json.loads('{"a": [1, "x"], "b": {"c": null}, "d": [], "e": [{"f": 1}, {"f": null}]}')

    assert paths_of(body) == {
        "a": "list",
        "a[]": "mixed",
        "b": "object",
        "b.c": "null",
        "d": "list",
        "e": "list",
        "e[]": "object",
        "e[].f": "number",
    }


def test_recorded_answers_are_read_without_failures_and_fallbacks(
    database: Database, tmp_path: Path
) -> None:
    emit(
        database,
        tmp_path,
        [
            [answer("order_api", {"order_id": "1", "status": "shipped"})],
            [answer("order_api", {"order_id": "2", "stale": True}, degradation="L1")],
            [answer("order_api", {"order_id": "3", "bad": 1}, error="TIMEOUT")],
            [answer("order_api", "no JSON")],
        ],
    )

    [shape] = recorded_shapes(database, "order_api")
    assert shape.types == {"order_id": "string", "status": "string"}
    assert recorded_shapes(database, "nothing") == []
