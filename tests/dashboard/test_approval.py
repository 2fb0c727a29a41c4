"""Who approved a version, as its gates stood when it was put in force."""

import json
from typing import Any
from uuid import uuid4

import pytest

from dashboard.tuning.approval import Approval, approval, published_with
from replay_store.records import Backtest
from replay_store.rule_reviews import KeptBacktest
from replay_store.rule_store import Move


def kept(created_time_ns: int, figures: dict[str, Any] | None) -> KeptBacktest:
    gates = [] if figures is None else [{"gate": "approved", "figures": figures}]
    counts = {name: 0 for name in Backtest.__dataclass_fields__ if name.startswith("n_")}
    found = Backtest(
        backtest_id=uuid4(),
        rule_set="default",
        base_version="v0",
        version="abc",
        start_time_ns=None,
        end_time_ns=None,
        token_delta=0,
        gates=json.dumps(gates),
        code_version="1",
        created_by="ann",
        created_time_ns=created_time_ns,
        **counts,
    )
    return KeptBacktest(found, ())


def moved(time_ns: int, *, is_return: bool = False) -> Move:
    created_time_ns = time_ns - 1 if is_return else time_ns
    return Move("abc", "ann", "why", time_ns, "v0", "ann", created_time_ns)


@pytest.mark.parametrize(
    ("figures", "told"),
    [
        ({"approved_by": "bob", "needs_approval": True}, Approval("bob", False)),
        ({"approved_by": None, "needs_approval": False}, Approval(None, True)),
        ({"approved_by": "bob", "needs_approval": False}, Approval("bob", False)),
        (None, Approval(None, False)),
    ],
)
def test_the_gates_on_record_say_who_approved(
    figures: dict[str, Any] | None, told: Approval
) -> None:
    assert approval(kept(1, figures)) == told


def test_the_same_content_published_twice_has_an_approver_each_time() -> None:
    first, second = kept(11, {"approved_by": "bob"}), kept(31, {"approved_by": "eve"})

    assert published_with(moved(10), [second, first]) is first
    assert published_with(moved(30), [second, first]) is second
    assert published_with(moved(40), [second, first]) is second, "the clock was set back"


def test_a_way_back_has_no_approver() -> None:
    assert published_with(moved(50, is_return=True), [kept(11, {"approved_by": "bob"})]) is None
    assert published_with(moved(50), []) is None
    assert approval(None) == Approval(None, False)
