"""Hints of what went wrong first rank by what the store's own traces bear out."""

from typing import Any

import pytest

from metrics import Layer, Scope
from metrics.incident import (
    ADVICE,
    SIGNS,
    Outcome,
    diagnose,
    last_good,
    sign_outcomes,
    similar,
)
from replay_store.story import Act, FaultSign, Step, fault_signs
from tests.metrics.conftest import Store, trace_id

DAY = 86_400.0
ALL = Scope(0, 2**62)
RARE = {"": Outcome(1000, 40)}


def step(act: Act, span: str, **values: Any) -> Step:
    plain: dict[str, Any] = dict.fromkeys(Step._fields)
    return Step(**(plain | {"act": act, "span_id": span, "status": "ok"} | values))


def called(span: str, call_index: int, tool: str, arguments: int = 0) -> Step:
    return step(
        Act.CALLED,
        span,
        call_index=call_index,
        subject=tool,
        arguments_hash=hash((tool, arguments)),
    )


def sign(name: str, span: str = "a", tool: str | None = "search", **values: Any) -> FaultSign:
    plain: dict[str, Any] = dict.fromkeys(FaultSign.__slots__)
    given = {"sign": name, "span_id": span, "tool_name": tool, "is_recovered": False, "n": 1}
    return FaultSign(**(plain | given | values))


def test_no_sign_gives_no_hint() -> None:
    found = diagnose([called("a", 0, "search")], [], RARE)

    assert (found.hints, found.first, found.base) == ((), None, Outcome(1000, 40))


def test_what_the_store_bears_out_comes_first_though_it_happened_later() -> None:
    steps = [called("a", 0, "search"), step(Act.ANSWERED, "b")]
    signs = [sign("timeout", "a"), sign("model_error", "b", None)]
    outcomes = RARE | {"timeout": Outcome(150, 1), "model_error": Outcome(37, 37)}

    found = diagnose(steps, signs, outcomes)

    assert [hint.sign for hint in found.hints] == ["model_error", "timeout"]
    assert found.first is not None
    assert (found.first.layer, found.first.step) == (Layer.MODEL, 1)


def test_a_hint_that_is_no_better_than_chance_is_undetermined() -> None:
    found = diagnose([], [sign("timeout")], RARE | {"timeout": Outcome(150, 9)})

    assert [hint.sign for hint in found.hints] == ["timeout"]
    assert found.first is None


def test_without_known_outcomes_nothing_is_determined() -> None:
    assert diagnose([], [sign("timeout")], {}).first is None


def test_few_cases_are_filled_up_with_what_was_counted_before() -> None:
    [few] = diagnose([], [sign("timeout")], RARE | {"timeout": Outcome(2, 0)}).hints
    [many] = diagnose([], [sign("timeout")], RARE | {"timeout": Outcome(30, 0)}).hints

    assert few.interval is not None
    assert many.interval is not None
    assert few.interval.low > 0.4 > many.interval.low
    assert many.interval.low == 0


def test_a_sign_without_a_reference_or_a_case_has_no_interval() -> None:
    [hint] = diagnose([], [sign("cut_answer")], RARE).hints

    assert hint.interval is None


def test_what_was_recovered_from_comes_last_whatever_its_share() -> None:
    outcomes = RARE | {"model_error": Outcome(37, 37), "timeout": Outcome(150, 1)}
    signs = [sign("model_error", is_recovered=True), sign("timeout", "b")]

    found = diagnose([], signs, outcomes)

    assert [(h.sign, h.is_recovered) for h in found.hints] == [
        ("timeout", False),
        ("model_error", True),
    ]
    assert found.first is None


def test_signs_of_one_kind_at_one_tool_are_one_hint_at_their_first_step() -> None:
    steps = [called(span, index, "search") for index, span in enumerate("abc")]
    signs = [sign("timeout", span) for span in "cab"] + [sign("timeout", "c", "other")]

    found = diagnose(steps, signs, RARE)

    assert [(h.tool_name, h.n, h.step) for h in found.hints] == [("search", 3, 0), ("other", 1, 2)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [((1, 2, 1, 2), 3), ((1, 2, 1, 3), None), ((1, 1, 1, 1), None), ((1, 2, 1), None)],
)
def test_calls_that_take_turns_are_a_sign_where_the_second_round_ends(
    arguments: tuple[int, ...], expected: int | None
) -> None:
    steps = [called(str(n), n, f"tool{a}", a) for n, a in enumerate(arguments)]

    steps_named = [hint.step for hint in diagnose(steps, [], RARE).hints]

    assert steps_named == ([] if expected is None else [expected])


def test_three_observations_with_one_snapshot_are_no_progress() -> None:
    seen = [step(Act.OBSERVED, str(n), n_facts=2, snapshot_hash="same") for n in range(3)]
    nothing = [step(Act.OBSERVED, str(n), n_facts=0, snapshot_hash="same") for n in range(3)]

    assert [hint.sign for hint in diagnose(seen, [], RARE).hints] == ["no_progress"]
    assert diagnose(nothing, [], RARE).hints == ()


def test_every_sign_has_its_words_and_its_entry_in_the_tables() -> None:
    assert ADVICE.keys() == SIGNS.keys()
    assert all(row.source.startswith("S") for rows in ADVICE.values() for row in rows)


@pytest.fixture
def shop(store: Store) -> Store:
    """Day 0: a good run. Day 1: two timeouts, one recovered. Day 2: two more, one of them failed."""
    store.trace(1, start=0, is_run_failed=False, fault_signs=[])
    store.call(1, 0, start=0)
    store.trace(2, start=DAY, is_run_failed=False, hour=None, fault_signs=[])
    store.call(2, 0, start=DAY, status="error", error_type="TIMEOUT", contract_version="1.1")
    store.call(2, 1, start=DAY + 9)
    for number in (3, 4, 5):
        store.trace(
            number,
            start=2 * DAY + number,
            is_run_failed=number == 5,
            hour=(T_HOUR + 48),
            steps=1,
            fault_signs=["timeout"],
        )
        store.call(
            number,
            0,
            start=2 * DAY + number,
            status="error",
            error_type="TIMEOUT",
            contract_version="1.2",
        )
    store.trace(6, start=3 * DAY, is_run_failed=None, fault_signs=["timeout"])
    store.call(6, 0, start=3 * DAY, status="error", error_type="TIMEOUT")
    return store


T_HOUR = 1_700_000_000 // 3600


def test_outcomes_count_unrecovered_signs_of_runs_with_a_known_end(shop: Store) -> None:
    outcomes = sign_outcomes(shop.database, ALL)

    assert outcomes == {"": Outcome(5, 1), "timeout": Outcome(3, 1)}
    assert sign_outcomes(shop.database, Scope(0, 1)) == {"": Outcome(0, 0)}


def test_similar_traces_are_counted_by_day_and_version_and_leave_out_the_trace_itself(
    shop: Store,
) -> None:
    [hint] = diagnose([], fault_signs(shop.database, trace_id(5)), {}).hints
    found = similar(shop.database, hint, trace_id(5), ALL)

    assert [(day.version, day.n, day.n_failed) for day in found.days if day.version] == [
        ("1.2", 3, 1)
    ]
    assert found.trace_ids == (trace_id(6), trace_id(4), trace_id(3))
    assert similar(shop.database, hint, trace_id(5), ALL, limit=1).trace_ids == (trace_id(6),)


def test_the_last_good_trace_did_the_same_and_shows_no_sign(shop: Store) -> None:
    shop.trace(7, start=1, is_run_failed=False, agent_name="another")
    shop.call(7, 0, start=1)
    shop.trace(8, start=2, is_run_failed=False)
    shop.call(8, 0, start=2, tool="other")

    assert last_good(shop.database, trace_id(5), ALL) == trace_id(1)
    shop.trace(9, start=3, is_run_failed=False)
    shop.call(9, 0, start=3)
    assert last_good(shop.database, trace_id(5), ALL) == trace_id(9)
    only_day_1 = Scope(1_700_000_000 * 10**9 + 10 * 10**9, 2**62)
    assert last_good(shop.database, trace_id(5), only_day_1) == trace_id(2)
    assert last_good(shop.database, trace_id(7), ALL) is None
