"""Two traces side by side: every step once, partners by what they are, and what differs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.incident.beside import Difference, Pair, beside
from replay_store.story import Act, Step

ACTS = st.lists(st.sampled_from([Act.PLANNED, Act.CALLED, Act.OBSERVED, Act.ANSWERED]), max_size=9)


def step(act: Act, **values: Any) -> Step:
    plain: dict[str, Any] = dict.fromkeys(Step._fields)
    return Step(**(plain | {"act": act, "status": "ok"} | values))


def call(tool: str, **values: Any) -> Step:
    return step(Act.CALLED, subject=tool, call_index=0, **values)


@given(left=ACTS, right=ACTS)
def test_every_step_is_in_exactly_one_pair_in_its_order(left: list[Act], right: list[Act]) -> None:
    sides = [[step(act, span_id=str(n)) for n, act in enumerate(acts)] for acts in (left, right)]

    pairs = beside(*sides)

    assert [pair.left for pair in pairs if pair.left] == sides[0]
    assert [pair.right for pair in pairs if pair.right] == sides[1]
    assert all(p.left.act == p.right.act for p in pairs if p.left and p.right)


@given(acts=ACTS)
def test_a_trace_beside_itself_differs_in_nothing(acts: list[Act]) -> None:
    steps = [step(act) for act in acts]

    assert all(pair.differs == () and pair.left == pair.right for pair in beside(steps, steps))


def test_a_step_more_has_no_partner() -> None:
    one, other = call("get"), call("put")

    assert beside([one], [one, other]) == [
        Pair(one, one, ()),
        Pair(None, other, (Difference.RIGHT_ONLY,)),
    ]


def test_a_plan_by_another_model_is_still_the_plan() -> None:
    left, right = (step(Act.PLANNED, subject=model, n_requested=1) for model in "ab")

    [pair] = beside([left], [right])

    assert (pair.left, pair.right) == (left, right)


@pytest.mark.parametrize(
    ("left", "right", "differs"),
    [
        ({"status": "error"}, {}, Difference.STATUS),
        ({"error_type": "TIMEOUT"}, {}, Difference.ERROR),
        ({"arguments_hash": 1}, {"arguments_hash": 2}, Difference.ARGUMENTS),
        ({"detail": "已发货"}, {"detail": "shipped"}, Difference.RESULT),
        ({"snapshot_hash": "a"}, {"snapshot_hash": "b"}, Difference.FACTS),
        ({"n_attempts": 3}, {"n_attempts": 1}, Difference.ATTEMPTS),
        ({"duration_ns": 3 * 10**8}, {"duration_ns": 10**8}, Difference.DURATION),
        ({"duration_ns": None}, {"duration_ns": 10**8}, Difference.DURATION),
    ],
)
def test_what_differs_is_named(
    left: dict[str, Any], right: dict[str, Any], differs: Difference
) -> None:
    [pair] = beside([call("get", **left)], [call("get", **right)])

    assert pair.differs == (differs,)


@pytest.mark.parametrize(("left", "right"), [(10**7, 9 * 10**7), (2 * 10**8, 3 * 10**8)])
def test_small_differences_of_time_are_none(left: int, right: int) -> None:
    [pair] = beside([call("get", duration_ns=left)], [call("get", duration_ns=right)])

    assert pair.differs == ()
