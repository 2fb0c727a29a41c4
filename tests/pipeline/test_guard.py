"""The guard: dangers, tokens, rates, quotas, batches; every look is an event, canaries are marked."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import attributes as names
from pipeline.contracts import Contract, Danger, Quotas, Registry
from pipeline.execution import Call, CallResult, Executor, Masker, TaskBudget
from pipeline.guard import (
    BatchRule,
    Buckets,
    Canary,
    ConfirmationRule,
    Confirmations,
    DailyQuotas,
    DangerRule,
    Guard,
    GuardRule,
    QuotaRule,
    RateRule,
    TokenBucket,
    TokenProblem,
    try_canaries,
)
from pipeline.vocabulary import CallStatus, GuardDecision
from sample_traces.virtual_loop import run_virtually
from tests.contract_samples import contract
from tests.faulty_system import FaultySystem, Recorded

SECRET = b"sixteen bytes or more"
REFUND = contract(
    name="refund_order",
    danger=Danger.MONEY,
    sensitive=frozenset({"confirm_token"}),
    fallback=None,
    returns=None,
    is_idempotent=False,
    input_schema={
        "type": "object",
        "properties": {"order_no": {"type": "string"}, "confirm_token": {"type": "string"}},
    },
)
ALL_DANGERS = DangerRule({}, frozenset(Danger))


class Clock:
    """Time that tests move; it may jump."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def refund(order_no: str = "1", **changes: Any) -> Call:
    return replace(Call("task", 0, "refund_order", {"order_no": order_no}, "call_1", "alice"), **changes)  # fmt: skip


def run(
    call: Call, known: Contract, *rules: GuardRule, recorded: Recorded | None = None
) -> tuple[CallResult, FaultySystem]:
    system, spans = FaultySystem(), recorded or Recorded()

    async def main() -> CallResult:
        executor = Executor(
            Registry([known]),
            {known.name: system},
            guard=Guard(rules, spans.tracer),
            tracer=spans.tracer,
        )
        return await executor.run(call, TaskBudget(0.0))

    return run_virtually(main()), system


@pytest.mark.parametrize(
    ("danger", "caller", "is_allowed"),
    [
        (Danger.READ, "bob", True),
        (Danger.WRITE, "bob", True),
        (Danger.DELETE, "bob", False),
        (Danger.MONEY, "bob", False),
        (Danger.MONEY, "cashier", True),
        (Danger.DELETE, "cashier", False),
    ],
)
def test_a_caller_may_use_the_dangers_it_was_given(
    danger: Danger, caller: str, is_allowed: bool
) -> None:
    rule = DangerRule({"cashier": frozenset({Danger.READ, Danger.MONEY})})
    result, system = run(refund(caller=caller), replace(REFUND, danger=danger), rule)

    assert result.is_ok is is_allowed
    assert bool(system.requests) is is_allowed
    if not is_allowed:
        assert result.status is CallStatus.BLOCKED
        assert "不要重试" in result.text


def test_what_looks_dangerous_and_is_not_declared_runs_for_nobody() -> None:
    undeclared = replace(REFUND, danger=None)

    assert ALL_DANGERS.evaluate(refund(), undeclared).decision is GuardDecision.BLOCK
    assert ALL_DANGERS.evaluate(refund(), REFUND).decision is GuardDecision.ALLOW


def test_a_confirmed_call_runs_once_and_its_token_is_in_no_span() -> None:
    confirmations = Confirmations(SECRET, Clock())
    rule = ConfirmationRule(confirmations)
    token = confirmations.issue(refund())
    recorded = Recorded()

    asked, _ = run(refund(), REFUND, ALL_DANGERS, rule)
    confirmed = refund(arguments={"order_no": "1", "confirm_token": token})
    first, _ = run(confirmed, REFUND, ALL_DANGERS, rule, recorded=recorded)
    second, system = run(confirmed, REFUND, ALL_DANGERS, rule)

    assert asked.verdicts[-1].decision is GuardDecision.ESCALATE
    assert first.is_ok
    assert second.verdicts[-1].decision is GuardDecision.BLOCK
    assert system.requests == []
    assert token not in recorded.text()


@pytest.mark.parametrize("says_yes", [True, False])
def test_a_person_is_asked_while_the_task_waits(says_yes: bool) -> None:
    confirmations, recorded, system = Confirmations(SECRET, Clock()), Recorded(), FaultySystem()
    asked: list[Call] = []

    async def confirm(call: Call) -> str | None:
        asked.append(call)
        return confirmations.issue(call) if says_yes else None

    async def main() -> CallResult:
        rules: list[GuardRule] = [ALL_DANGERS, ConfirmationRule(confirmations)]
        guard = Guard(rules, recorded.tracer, confirm=confirm)
        executor = Executor(Registry([REFUND]), {REFUND.name: system}, guard=guard)
        return await executor.run(refund(), TaskBudget(0.0))

    result = run_virtually(main())

    assert asked == [refund()]
    assert result.is_ok is bool(system.requests) is says_yes
    told = [dict(span.attributes or {})[names.GUARD_DECISION] for span in recorded.spans("guard")]
    assert told == ["allow", "escalate", *(["allow", "allow"] if says_yes else [])]


def test_a_person_is_not_asked_about_what_is_forbidden_and_a_wrong_token_does_not_help() -> None:
    async def forged(call: Call) -> str:
        return Confirmations(b"another secret, as long", Clock()).issue(call)

    async def main(*rules: GuardRule) -> CallResult | None:
        guard = Guard(rules, confirm=forged)
        return await guard.stop(refund(), REFUND, Masker(REFUND, {}))

    rule = ConfirmationRule(Confirmations(SECRET, Clock()))
    stopped = run_virtually(main(ALL_DANGERS, rule))
    assert stopped is not None
    assert [verdict.decision for verdict in stopped.verdicts][-1] is GuardDecision.BLOCK
    forbidden = run_virtually(main(DangerRule({}), rule))
    assert forbidden is not None
    assert [verdict.rule for verdict in forbidden.verdicts] == ["danger_level"]


CHANGES = st.sampled_from(
    [
        {"arguments": {"order_no": "2"}},
        {"tool": "cancel_order"},
        {"task_id": "other"},
        {"caller": "mallory"},
    ]
)


@given(CHANGES)
def test_a_token_confirms_the_very_call_it_was_given_for(change: dict[str, Any]) -> None:
    confirmations = Confirmations(SECRET, Clock())
    token = confirmations.issue(refund())

    assert confirmations.problem(refund(confirm_token=token)) is None
    other = refund(**change, confirm_token=token)
    assert confirmations.problem(other) is TokenProblem.OTHER_CALL


@given(st.text(max_size=60), st.integers(0, 200), st.integers(0, 255))
def test_nothing_but_our_own_tokens_confirms(made_up: str, at: int, byte: int) -> None:
    confirmations = Confirmations(SECRET, Clock())
    token = confirmations.issue(refund())
    at %= len(token)
    bent = token[:at] + chr(33 + byte % 90) + token[at + 1 :]
    foreign = Confirmations(b"another secret, as long", Clock()).issue(refund())

    for text in {made_up, bent, foreign} - {token}:
        found = confirmations.problem(refund(confirm_token=text))
        assert found in {TokenProblem.FORGED, TokenProblem.MISSING}


@pytest.mark.parametrize(
    ("seconds", "problem"),
    [(299, None), (300, TokenProblem.EXPIRED), (-4, None), (-3600, TokenProblem.EXPIRED)],
)
def test_a_token_is_good_for_a_while_and_a_clock_that_jumps_back_revives_none(
    seconds: float, problem: TokenProblem | None
) -> None:
    clock = Clock()
    confirmations = Confirmations(SECRET, clock)
    token = confirmations.issue(refund())
    clock.now += seconds

    assert confirmations.problem(refund(confirm_token=token)) is problem


def test_a_used_token_stays_used_when_others_are_used_after_it() -> None:
    clock = Clock()
    confirmations = Confirmations(SECRET, clock)
    first = refund("1", confirm_token=confirmations.issue(refund("1")))
    confirmations.use(first)
    for number in range(2, 5):
        clock.now += 60
        confirmations.use(
            refund(str(number), confirm_token=confirmations.issue(refund(str(number))))
        )

    assert confirmations.problem(first) is TokenProblem.USED
    clock.now += 300
    assert confirmations.problem(first) is TokenProblem.EXPIRED


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16"):
        Confirmations(b"short", Clock())


@given(st.floats(0.5, 50), st.lists(st.floats(-1, 2), max_size=80))
def test_a_bucket_lets_through_its_rate_and_one_second_more(
    per_second: float, steps: list[float]
) -> None:
    now, bucket, n, passed = 0.0, TokenBucket(per_second, 0.0), 0, 0.0
    for step in steps:
        now += step
        passed += max(0.0, step)
        if bucket.has_one(now):
            bucket.take()
            n += 1
    assert n <= per_second * passed + max(1.0, per_second) + 1e-6


def test_a_clock_that_goes_back_takes_no_tokens_away() -> None:
    bucket = TokenBucket(2.0, 1000.0)
    bucket.take()

    assert bucket.has_one(0.0)
    bucket.take()
    assert not bucket.has_one(0.4)
    assert bucket.has_one(0.5)


def test_a_tool_gets_seventy_percent_of_its_measured_peak_and_a_caller_its_own_share() -> None:
    clock = Clock(0.0)
    limited = replace(REFUND, quotas=Quotas(peak_per_second=10, caller_per_second=2))
    buckets = Buckets(clock)

    def n_through(caller: str) -> int:
        n = 0
        while buckets.is_free(limited, caller):
            buckets.take(limited, caller)
            n += 1
        return n

    assert [n_through(caller) for caller in ("a", "b", "c", "d")] == [2, 2, 2, 1]
    clock.now += 1.0
    assert sum(n_through(caller) for caller in "abcdefgh") == 7


def test_a_quota_ends_with_the_day_of_its_zone_and_not_with_a_clock_set_back() -> None:
    shanghai = timezone(timedelta(hours=8))
    now = datetime(2026, 11, 20, 23, 59, tzinfo=shanghai)
    quotas = DailyQuotas(lambda: now)
    limited = replace(REFUND, quotas=Quotas(per_day=3, caller_per_day=2))

    def n_through(caller: str) -> int:
        n = 0
        while quotas.is_free(limited, caller) and n < 9:
            quotas.take(limited, caller)
            n += 1
        return n

    assert [n_through(caller) for caller in ("a", "b", "c")] == [2, 1, 0]
    now += timedelta(minutes=1)
    assert n_through("a") == 2, "a new day in Shanghai, the same one in UTC"
    assert now.astimezone(UTC).day == 20
    now -= timedelta(days=1)
    assert n_through("a") == 0


@pytest.mark.parametrize(
    ("arguments", "is_stopped"),
    [
        ({"scope": "all"}, True),
        ({"scope": "全部"}, True),
        ({"scope": " ALL "}, True),
        ({"filter": {"customer": "*"}}, True),
        ({}, True),
        ({"limit": 1001}, True),
        ({"ids": list(range(1001))}, True),
        ({"scope": "day", "date": "2026-11-20"}, False),
        ({"ids": [1, 2], "limit": 1000}, False),
        ({"scope": "day", "is_detailed": True}, False),
    ],
)
def test_an_export_of_everything_is_stopped(arguments: dict[str, Any], is_stopped: bool) -> None:
    export = replace(REFUND, name="export_orders", danger=Danger.BULK, input_schema={"type": "object", "properties": {name: {} for name in arguments}})  # fmt: skip
    result, _ = run(replace(refund(arguments=arguments), tool="export_orders"), export, BatchRule())

    assert (result.status is CallStatus.BLOCKED) is is_stopped


def test_every_look_is_an_event_and_a_stopped_call_counts_nothing() -> None:
    confirmations, buckets = Confirmations(SECRET, Clock()), Buckets(Clock(0.0))
    quotas = DailyQuotas(lambda: datetime(2026, 11, 20, tzinfo=UTC))
    limited = replace(REFUND, quotas=Quotas(peak_per_second=1, per_day=1))
    rules = (ALL_DANGERS, RateRule(buckets), QuotaRule(quotas), ConfirmationRule(confirmations))
    recorded = Recorded()

    stopped, system = run(refund(), limited, *rules, recorded=recorded)
    assert stopped.status is CallStatus.BLOCKED
    assert system.requests == []
    told = [dict(span.attributes or {}) for span in recorded.spans("guard")]
    assert [span[names.GUARD_RULE] for span in told] == [
        "danger_level", "rate_limit", "daily_quota", "confirmation",
    ]  # fmt: skip
    assert [span[names.GUARD_DECISION] for span in told] == ["allow", "allow", "allow", "escalate"]
    assert all(span["gen_ai.tool.call.id"] == "call_1" for span in told)
    assert recorded.spans("execute_tool") == []

    confirmed = refund(confirm_token=confirmations.issue(refund()))
    assert run(confirmed, limited, *rules)[0].is_ok
    again = refund(confirm_token=confirmations.issue(refund()))
    full, _ = run(again, limited, *rules)
    assert full.verdicts[-1].rule == "rate_limit"


@pytest.mark.parametrize(
    ("quotas", "rule"),
    [(Quotas(per_day=2), "daily_quota"), (Quotas(peak_per_second=2 / 0.7), "rate_limit")],
)
def test_calls_side_by_side_do_not_share_what_is_left_of_a_quota(quotas: Quotas, rule: str) -> None:
    limited, system = replace(REFUND, quotas=quotas), FaultySystem()
    daily = DailyQuotas(lambda: datetime(2026, 11, 20, tzinfo=UTC))
    guard = Guard([ALL_DANGERS, RateRule(Buckets(Clock(0.0))), QuotaRule(daily)])

    async def main() -> list[CallResult]:
        executor = Executor(Registry([limited]), {limited.name: system}, guard=guard)
        asked = [refund(str(n), step_index=n) for n in range(5)]
        return await executor.run_all(asked, TaskBudget(0.0, max_calls=9))

    found = run_virtually(main())

    assert [result.status for result in found] == [CallStatus.OK] * 2 + [CallStatus.BLOCKED] * 3
    assert len(system.requests) == 2
    assert {result.verdicts[-1].rule for result in found if not result.is_ok} == {rule}


def test_a_canary_that_passes_is_told_and_its_events_are_marked() -> None:
    export = contract(name="export_orders", danger=Danger.BULK)
    canary = Canary(Call("canary", 0, "export_orders", {"scope": "all"}), "batch_export")
    registry, recorded = Registry([export]), Recorded()

    assert try_canaries(Guard([BatchRule()], recorded.tracer), registry, [canary]) == ()
    (span,) = recorded.spans("guard")
    assert dict(span.attributes or {})[names.GUARD_SYNTHETIC] is True
    (silent,) = try_canaries(Guard([], recorded.tracer), registry, [canary])
    assert silent.stopped_by is None
    event = dict(recorded.spans("guard")[-1].attributes or {})
    assert (event[names.GUARD_RULE], event[names.GUARD_DECISION]) == ("batch_export", "allow")
    strict = Guard([DangerRule({}), BatchRule()], recorded.tracer)
    (other,) = try_canaries(strict, registry, [canary])
    assert other.stopped_by == "danger_level"
    told = [dict(span.attributes or {}) for span in recorded.spans("guard")[2:]]
    assert [span[names.GUARD_RULE] for span in told] == ["danger_level"]
    lenient = Guard([ALL_DANGERS, BatchRule()], recorded.tracer)
    assert try_canaries(lenient, registry, [canary]) == ()
    last = [dict(span.attributes or {})[names.GUARD_RULE] for span in recorded.spans("guard")[3:]]
    assert last == ["batch_export"], "a rule that lets another one's canary pass did nothing wrong"
    (gone,) = try_canaries(Guard([BatchRule()]), Registry([]), [canary])
    assert gone.stopped_by is None
