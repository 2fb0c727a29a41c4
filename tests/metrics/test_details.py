"""What stands beside the five metrics: confusion, kinds of retries, keys, quotas, cost, patterns."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import (
    Cycle,
    LabelSource,
    Note,
    Promise,
    QuotaState,
    Scope,
    State,
    accuracy_by,
    after_error,
    confusion,
    cost,
    degradation_share,
    idempotency_honesty,
    quota_used,
    retry_kinds,
    selection_accuracy,
    step_patterns,
)
from metrics.alerts import deploys
from metrics.intervals import Proportion, proportion_interval
from metrics.step_patterns import first_cycle, is_ping_pong
from tests.metrics.conftest import ALL, SECOND, T0, Store, trace_id
from tests.stores import memory_store

DAY = 86_400
HOUR = 3_600


def judged(
    store: Store,
    number: int,
    tool: str,
    label: str,
    expected: str | None = None,
    *,
    by: str = "ann",
    probability: float = 1.0,
    sub: str | None = None,
    **values: object,
) -> None:
    if by == "ann":
        store.decision(number, tool=tool, **values)  # type: ignore[arg-type]
    store.label(number, label=label, by=by, probability=probability)
    with store.database.transaction() as cursor:
        cursor.execute(
            "update label set expected_tool = $expected, sub = $sub "
            "where trace_id = $trace and annotator = $by",
            {"expected": expected, "sub": sub, "trace": trace_id(number), "by": by},
        )


def matrix(store: Store, scope: Scope = ALL) -> dict[tuple[str, str], int]:
    return {(cell.needed, cell.chosen): cell.n for cell in confusion(store.database, scope).cells}


def test_a_matrix_has_a_row_for_what_was_needed_and_a_column_for_what_was_chosen(
    store: Store,
) -> None:
    judged(store, 1, "search", "RIGHT")
    judged(store, 2, "search", "ACCEPTABLE_ALTERNATIVE", "pay")
    judged(store, 3, "search", "WRONG_TOOL", "pay")
    judged(store, 4, "search", "RIGHT_TOOL_WRONG_ARGS")
    judged(store, 5, "search", "SHOULD_NOT_HAVE_CALLED")
    judged(store, 6, "NO_CALL", "SHOULD_HAVE_CALLED", "pay")
    judged(store, 7, "NO_CALL", "CORRECT_NO_CALL")
    judged(store, 8, "search", "WRONG_TOOL")
    judged(store, 9, "magic", "WRONG_TOOL", "pay", sub="UNKNOWN_TOOL")
    judged(store, 10, "search", "CANT_TELL")
    assert matrix(store) == {
        ("search", "search"): 3,
        ("pay", "search"): 1,
        ("NO_CALL", "search"): 1,
        ("pay", "NO_CALL"): 1,
        ("NO_CALL", "NO_CALL"): 1,
        ("UNKNOWN", "search"): 1,
        ("pay", "UNKNOWN"): 1,
    }


def test_the_diagonal_over_all_is_selection_accuracy(store: Store) -> None:
    for number in range(20):
        judged(store, number, "search", "RIGHT", probability=0.5)
    for number in range(20, 30):
        judged(store, number, "pay", "WRONG_TOOL", "search", probability=0.1)
    found = confusion(store.database, ALL)
    right = sum(cell.weight for cell in found.cells if cell.is_right)
    total = sum(cell.weight for cell in found.cells)
    accuracy = selection_accuracy(store.database, ALL).selection
    assert right / total == pytest.approx(accuracy.value)
    assert found.n == accuracy.n


def test_tied_annotators_and_other_sources_are_left_out(store: Store) -> None:
    judged(store, 1, "search", "RIGHT")
    judged(store, 1, "search", "WRONG_TOOL", "pay", by="ben")
    store.decision(2)
    store.label(2, source="replay", kind="RULE")
    assert matrix(store) == {}
    replay = confusion(store.database, ALL, LabelSource.REPLAY)
    assert [(cell.needed, cell.n) for cell in replay.cells] == [("search", 1)]


def test_precision_and_recall_of_a_tool(store: Store) -> None:
    for number in range(8):
        judged(store, number, "search", "RIGHT")
    for number in range(8, 10):
        judged(store, number, "search", "WRONG_TOOL", "pay")
    judged(store, 10, "pay", "RIGHT")
    found = confusion(store.database, ALL)
    tools = {tool.tool_name: tool for tool in found.tools}
    assert (tools["search"].precision, tools["search"].recall) == (0.8, 1.0)
    assert tools["pay"].precision == 1
    assert tools["pay"].recall == pytest.approx(1 / 3)
    assert found.macro_f1 is None
    (pair,) = found.pairs
    assert (pair.one, pair.other, pair.n, pair.n_needed) == ("pay", "search", 2, 11)
    assert pair.interval is not None
    assert pair.interval.low < pair.rate < pair.interval.high
    assert pair.rate == pytest.approx(2 / 11)


def mixed_up(store: Store, first: int, is_mixed: Sequence[bool]) -> None:
    """One trace with a decision a turn, each needing `pay`; the mixed ones chose `search`."""
    for turn, wrong in enumerate(is_mixed):
        store.decision(first, turn, tool="search" if wrong else "pay")
        store.label(first, turn, label="WRONG_TOOL" if wrong else "RIGHT")
    with store.database.transaction() as cursor:
        cursor.execute("update label set expected_tool = 'pay' where label = 'WRONG_TOOL'")


def test_an_interval_of_two_confused_tools_knows_that_a_trace_s_decisions_are_alike(
    store: Store,
) -> None:
    """Forty decisions, about a quarter of them mixed up: one a trace, or all four of three traces."""
    for number in range(40):
        mixed_up(store, number, [number % 4 == 0])
    (apart,) = confusion(store.database, ALL).pairs

    with memory_store() as database:
        alike = Store(database)
        for number in range(10):
            mixed_up(alike, number, [number % 4 == 0] * 4)
        (together,) = confusion(alike.database, ALL).pairs

    assert (apart.n, apart.n_needed, together.n, together.n_needed) == (10, 40, 12, 40)
    assert apart.interval is not None
    assert together.interval is not None
    wide, narrow = (found.high - found.low for found in (together.interval, apart.interval))
    assert wide > 1.5 * narrow
    assert apart.interval == proportion_interval(Proportion(10, 40, 40, 40, 10, 10, 40))


def test_two_tools_confused_in_one_trace_alone_have_no_interval_and_come_last(
    store: Store,
) -> None:
    mixed_up(store, 1, [True, True, False])
    for number in (2, 3):
        judged(store, number, "refund", "WRONG_TOOL", "track")

    first, last = confusion(store.database, ALL).pairs

    assert (first.one, last.one) == ("refund", "pay")
    assert last.interval is None
    assert last.rate == pytest.approx(2 / 3)


def test_an_empty_store_has_no_matrix(store: Store) -> None:
    found = confusion(store.database, ALL)
    assert (found.cells, found.tools, found.pairs, found.n, found.macro_f1) == ((), (), (), 0, None)


def test_accuracy_is_told_by_version_and_by_model(store: Store) -> None:
    for number in range(60):
        version = "2" if number >= 40 else "1"
        label = "RIGHT" if version == "1" else "WRONG_TOOL"
        judged(store, number, "search", label, "pay", contract_version=version, model="m")
    found = {
        (str(item.subject.kind), item.subject.name): item.metric
        for item in accuracy_by(store.database, ALL)
    }
    assert found["version", "1"].note is Note.MEETS
    assert found["version", "2"].state is State.BAD
    assert found["model", "m"].value == pytest.approx(2 / 3)
    assert found["model", "m"].n == 60


def test_too_few_judged_say_how_many_more(store: Store) -> None:
    for number in range(10):
        label = "RIGHT" if number else "WRONG_TOOL"
        judged(store, number, "search", label, "pay", contract_version="1")
    (found,) = accuracy_by(store.database, ALL)
    assert found.metric.note is Note.NOT_ENOUGH_EVIDENCE
    assert found.metric.n_more is not None
    assert found.metric.n_more > 100


def test_degraded_calls_are_counted_by_level(store: Store) -> None:
    for number, level in enumerate(["L1", "L2", "L2", "L3", "odd", None, None, None]):
        store.call(number, 0, degradation=level)
    store.call(9, 0, status="blocked", degradation="L1")
    (found,) = degradation_share(store.database, ALL)
    assert (found.n_l1, found.n_l2, found.n_l3, found.n_other, found.n_calls) == (1, 2, 1, 1, 8)
    assert found.share == 5 / 8


def test_a_quota_is_used_by_day_and_caller(store: Store) -> None:
    start = DAY - T0 // SECOND % DAY
    for number in range(30):
        store.call(number, 0, start=start + (number >= 20) * DAY, caller="app")
    store.call(40, 0, start=start, caller=None)
    scope = Scope(T0, T0 + (start + 2 * DAY) * SECOND)
    promise = Promise("search", per_day=84, caller_per_day=40)
    app, whole, unnamed = quota_used(store.database, scope, [promise])
    assert (app.caller, app.n_busiest, app.n_newest, app.n_days) == ("app", 20, 10, 2)
    assert (app.share, app.newest_share) == (0.5, 0.25)
    assert (whole.is_all, whole.n_busiest, whole.share) == (True, 21, 0.25)
    assert (unnamed.caller, unnamed.n_busiest, unnamed.n_newest) == (None, 1, 0)
    unlimited = quota_used(store.database, scope)
    assert {(use.share, use.state) for use in unlimited} == {(None, QuotaState.NO_QUOTA)}


def hours_of_a_day(store: Store, n: int, hours: float) -> tuple[float, Scope]:
    """So many calls in the first hours of a day, and a scope that ends then."""
    start = DAY - T0 // SECOND % DAY
    for number in range(n):
        store.call(number, 0, start=start + number * hours * HOUR / n, caller="app")
    return start, Scope(T0, T0 + round((start + hours * HOUR) * SECOND))


@pytest.mark.parametrize(
    ("n", "hours", "quota", "state", "used_up_hour"),
    [
        (30, 12, 100, QuotaState.WITHIN, None),
        (30, 12, 60, QuotaState.BURNING, 24),
        (30, 12, 40, QuotaState.BURNING, 16),
        (30, 12, 30, QuotaState.OVER, None),
        (9, 1, 20, QuotaState.WITHIN, None),
        (30, 0.5, 40, QuotaState.WITHIN, None),
    ],
)
def test_a_slow_burn_is_seen_before_the_quota_is_used_up(
    store: Store, n: int, hours: float, quota: int, state: QuotaState, used_up_hour: int | None
) -> None:
    start, scope = hours_of_a_day(store, n, hours)
    (use,) = quota_used(store.database, scope, [Promise("search", caller_per_day=quota)])
    assert (use.state, use.n_newest) == (state, n)
    wanted = None if used_up_hour is None else T0 + round((start + used_up_hour * HOUR) * SECOND)
    assert use.used_up_ns == wanted


def test_the_days_of_a_quota_begin_in_the_zone_that_is_given(store: Store) -> None:
    start, _ = hours_of_a_day(store, 24, 24)
    scope = Scope(T0, T0 + round((start + DAY) * SECOND))
    in_utc = quota_used(store.database, scope)
    in_shanghai = quota_used(store.database, scope, day_offset_ns=8 * HOUR * SECOND)
    assert [(use.n_days, use.n_busiest, use.n_newest) for use in in_utc] == [(1, 24, 24)]
    assert [(use.n_days, use.n_busiest, use.n_newest) for use in in_shanghai] == [(2, 16, 8)]


def after(store: Store, error: str, *next_calls: tuple[str, int, str]) -> None:
    """A failed call of search with arguments 1, and a turn with these calls after it."""
    store.call(1, 0, status="error", error_type=error, turn_index=0, arguments_hash=1)
    store.decision(1, 0)
    if not next_calls:
        store.decision(1, 1, None, tool="NO_CALL")
    for index, (tool, arguments, status) in enumerate(next_calls):
        store.decision(1, 1, index, tool=tool)
        store.call(1, 1 + index, tool=tool, status=status, turn_index=1, arguments_hash=arguments)


@pytest.mark.parametrize(
    ("error", "next_calls", "followed"),
    [
        ("INVALID_ARGUMENT", [("search", 2, "ok")], 1),
        ("INVALID_ARGUMENT", [("search", 1, "error")], 0),
        ("NOT_FOUND", [("find", 1, "ok")], 1),
        ("NOT_FOUND", [("search", 1, "error")], 0),
        ("PERMISSION", [], 1),
        ("PERMISSION", [("search", 1, "error")], 0),
        ("TOO_LARGE", [("search", 2, "ok")], 1),
        ("timeout", [("search", 1, "ok")], None),
    ],
)
def test_each_error_class_advises_its_own_step(
    store: Store, error: str, next_calls: list[tuple[str, int, str]], followed: int | None
) -> None:
    after(store, error, *next_calls)
    (found,) = after_error(store.database, ALL)
    assert (found.n, found.n_followed) == (1, followed)
    assert (found.followed is None) == (followed is None)


def test_corrected_arguments_count_as_mended_only_if_they_worked(store: Store) -> None:
    after(store, "INVALID_ARGUMENT", ("search", 2, "error"))
    (found,) = after_error(store.database, ALL)
    assert (found.n_corrected, found.n_corrected_ok, found.follow_rate) == (1, 0, 1.0)


def test_an_error_at_the_end_of_a_trace_is_followed_by_nothing(store: Store) -> None:
    store.call(1, 0, status="error", error_type="NOT_FOUND", turn_index=0)
    store.decision(1, 0)
    assert after_error(store.database, ALL) == ()


def test_retries_are_told_apart_by_tool_and_error(store: Store) -> None:
    store.call(1, 0, attempts=3, status="ok", error_type=None)
    store.attempt(1, 0, 0, status="error", error_type="TIMEOUT")
    store.call(2, 0, status="error", error_type="NOT_FOUND", arguments_hash=7)
    store.call(2, 1, root=0, retry_of=0, status="error", error_type="NOT_FOUND", arguments_hash=7)
    store.call(3, 0, attempts=5, seconds=9, status="error", error_type="TIMEOUT")
    store.attempt(3, 0, 0, status="error", error_type="TIMEOUT")
    store.call(4, 0)
    timeout, missing = retry_kinds(store.database, ALL)
    assert (timeout.error_type, timeout.n_chains, timeout.n_retries) == ("TIMEOUT", 2, 6)
    assert (timeout.n_explicit, timeout.n_inferred, timeout.n_futile) == (2, 0, 0)
    assert (timeout.n_over_budget, timeout.n_ok, timeout.success_rate) == (1, 1, 0.5)
    assert (missing.error_type, missing.n_futile, missing.n_inferred) == ("NOT_FOUND", 1, 1)
    assert missing.success_rate == 0


def test_a_corrected_retry_is_not_futile(store: Store) -> None:
    store.call(1, 0, status="error", error_type="INVALID_ARGUMENT", arguments_hash=1)
    store.call(1, 1, root=0, retry_of=0, arguments_hash=2)
    (found,) = retry_kinds(store.database, ALL)
    assert (found.n_futile, found.n_ok) == (0, 1)


def test_attempts_of_a_corrected_call_are_not_futile(store: Store) -> None:
    store.call(1, 0, status="error", error_type="NOT_FOUND", arguments_hash=1)
    store.call(1, 1, root=0, retry_of=0, arguments_hash=2, attempts=2)
    store.attempt(1, 1, 0, status="error", error_type="TIMEOUT")
    (found,) = retry_kinds(store.database, ALL)
    assert (found.n_futile, found.n_explicit) == (0, 1)


def test_attempts_after_an_error_that_no_repeat_mends_are_futile(store: Store) -> None:
    store.call(1, 0, attempts=2, arguments_hash=1, status="error", error_type="PERMISSION")
    store.attempt(1, 0, 0, status="error", error_type="PERMISSION")
    (found,) = retry_kinds(store.database, ALL)
    assert found.n_futile == 1


def key(task: str, step: int) -> str:
    return hashlib.sha256(f"{task}:{step}".encode()).hexdigest()[:32]


def test_a_key_is_honest_when_task_and_step_give_it(store: Store) -> None:
    store.trace(1, task="task")
    store.call(1, 0, step_index=3, idempotency_key=key("task", 3))
    store.call(1, 1, step_index=4, idempotency_key="made up")
    store.call(1, 2, step_index=4, idempotency_key="made up again")
    store.call(1, 3)
    (found,) = idempotency_honesty(store.database, ALL)
    assert (found.n_calls, found.n_with_key, found.n_deterministic) == (4, 3, 1)
    assert (found.n_steps, found.n_steps_with_several) == (2, 1)
    assert found.deterministic_share == pytest.approx(1 / 3)


def test_a_step_counts_whole_where_its_first_key_is(store: Store) -> None:
    store.trace(1, task="task")
    store.call(1, 0, start=HOUR - 1, step_index=4, idempotency_key="one")
    store.call(1, 1, start=HOUR + 1, step_index=4, idempotency_key="another")
    first, later = (
        Scope(T0 + at * HOUR * SECOND, T0 + (at + 1) * HOUR * SECOND) for at in range(2)
    )
    (found,) = idempotency_honesty(store.database, first)
    assert (found.n_calls, found.n_steps, found.n_steps_with_several) == (1, 1, 1)
    (found,) = idempotency_honesty(store.database, later)
    assert (found.n_calls, found.n_steps, found.n_steps_with_several) == (1, 0, 0)


def test_a_retried_chain_counts_whole_where_its_first_call_is(store: Store) -> None:
    store.trace(1)
    store.call(1, 0, start=HOUR + 1, status="error", arguments_hash=1)
    store.call(1, 1, start=HOUR - 1, root=0, retry_of=0, arguments_hash=2)
    first, later = (
        Scope(T0 + at * HOUR * SECOND, T0 + (at + 1) * HOUR * SECOND) for at in range(2)
    )
    assert retry_kinds(store.database, first) == ()
    (found,) = retry_kinds(store.database, later)
    assert (found.n_chains, found.n_retries, found.n_ok) == (1, 1, 1)


def test_of_one_tool_only_versions_of_its_contract_are_told(store: Store) -> None:
    store.trace(1)
    store.call(1, 0, tool="search", contract_version="2")
    store.call(1, 1, tool="pay", contract_version="1")
    store.decision(1, model="model-a")
    assert {(one.kind, one.version) for one in deploys(store.database, ALL)} == {
        ("contract", "1"),
        ("contract", "2"),
        ("model", "model-a"),
    }
    (found,) = deploys(store.database, replace(ALL, tool_name="pay"))
    assert (found.kind, found.name, found.version) == ("contract", "pay", "1")


def test_without_keys_there_is_no_share(store: Store) -> None:
    store.call(1, 0)
    (found,) = idempotency_honesty(store.database, ALL)
    assert found.deterministic_share is None


def test_cost_is_counted_a_task(store: Store) -> None:
    store.trace(1, task="a", input_tokens=900, output_tokens=100, n_tool_calls=3)
    store.trace(2, task="a", input_tokens=500, output_tokens=0, n_tool_calls=1)
    store.trace(3, input_tokens=100, output_tokens=100)
    store.trace(4)
    found = cost(store.database, ALL)
    assert (found.n_tasks, found.tokens_a_task, found.tool_calls_a_task) == (2, 850, 2)
    assert (found.n_requests, found.catalogue_tokens, found.catalogue_share) == (0, None, None)


def test_no_tasks_cost_nothing_that_could_be_told(store: Store) -> None:
    found = cost(store.database, ALL)
    assert (found.n_tasks, found.tokens_a_task, found.tool_calls_a_task) == (0, None, None)


@pytest.mark.parametrize(
    ("keys", "cycle", "ping_pong"),
    [
        ("abab", Cycle(0, 2, 2), True),
        ("xabababy", Cycle(1, 2, 3), True),
        ("aa", Cycle(0, 1, 2), False),
        ("aaaa", Cycle(0, 1, 4), False),
        ("abcabc", Cycle(0, 3, 2), False),
        ("abca", None, False),
        ("", None, False),
    ],
)
def test_what_a_cycle_is(keys: str, cycle: Cycle | None, ping_pong: bool) -> None:
    assert first_cycle(keys) == cycle
    assert is_ping_pong(keys) == ping_pong


@given(st.text("abc", max_size=6), st.text("abc", min_size=1, max_size=6), st.integers(2, 4))
def test_a_cycle_found_is_there(before: str, period: str, repeats: int) -> None:
    keys = before + period * repeats
    found = first_cycle(keys)
    assert found is not None
    stretch = keys[found.start : found.start + found.period * found.repeats]
    assert stretch == keys[found.start : found.start + found.period] * found.repeats
    assert found.period <= len(period)


def test_calls_whose_arguments_are_hidden_equal_none() -> None:
    assert first_cycle([None, None, None]) is None
    assert not is_ping_pong([None, "a", None, "a"])


def test_patterns_are_counted_by_trace(store: Store) -> None:
    for number, arguments in enumerate([[1, 2, 1, 2], [1, 2, 3, 4], [1, 1, 5, 6]]):
        store.trace(number)
        for index, value in enumerate(arguments):
            store.call(
                number,
                index,
                tool="search" if index % 2 else "find",
                arguments_hash=value,
                result_preview="same" if number == 0 else str(index),
            )
    found = step_patterns(store.database, ALL)
    assert found.n_traces == 3
    assert found.ping_pong == (trace_id(0),)
    assert found.tool_ping_pong == (trace_id(0), trace_id(1), trace_id(2))
    assert found.cycles == (trace_id(0),)
    assert found.stagnant == (trace_id(0),)
    assert (found.n_observed, found.no_progress) == (0, ())


def test_the_same_snapshot_three_times_is_no_progress(store: Store) -> None:
    for number, n in enumerate([2, 3]):
        store.trace(number)
        for index in range(n):
            store.observation(number, time=index, cells=1)
    found = step_patterns(store.database, ALL)
    assert (found.n_observed, found.no_progress) == (2, (trace_id(1),))
