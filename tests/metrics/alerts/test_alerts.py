"""Alerts over a store: what is told of it, what is told as one, and what is explained away."""

from dataclasses import replace

import pytest

from metrics import DEFAULT_THRESHOLDS, HOUR_NS, DataRange, Scope, guard_hits
from metrics.alerts import (
    CAUSES,
    HELP,
    Alert,
    AlertKey,
    Cause,
    Deploy,
    Severity,
    alert_scope,
    evaluate_alerts,
    figure_name,
    help_text,
    incidents,
)
from metrics.alerts.checks import ingest_silence
from metrics.alerts.watch import bucket_ms, detector_of
from metrics.standouts import Subject, SubjectKind
from metrics.values import Unit
from tests.metrics.conftest import T0, Store

HOUR = 3_600
DAY = 24 * HOUR
START = HOUR - T0 // 10**9 % HOUR  # seconds after T0 of the first whole hour


def alert(
    metric: str = "retry_rate",
    tool: str | None = "search",
    since: int = 0,
    until: int = 5,
    *,
    cleared: bool = False,
    severity: Severity = Severity.TICKET,
    deploys: tuple[Deploy, ...] = (),
) -> Alert:
    subject = None if tool is None else Subject(SubjectKind.TOOL, tool, tool)
    return Alert(
        key=AlertKey(metric, subject),
        cause=Cause.ROSE,
        severity=severity,
        since_ns=since * HOUR_NS,
        fired_ns=(since + 2) * HOUR_NS,
        last_ns=until * HOUR_NS,
        cleared_ns=until * HOUR_NS if cleared else None,
        n=80,
        value=0.3,
        unit=Unit.RATE,
        baseline=0.1,
        n_baseline=700,
        limit=0.15,
        p_value=1e-6,
        deploys=deploys,
    )


def grouped(*alerts: Alert) -> list[set[str]]:
    return [{item.key.text for item in found.alerts} for found in incidents(alerts)]


def test_alerts_of_one_tool_at_one_time_are_one_incident() -> None:
    assert grouped(alert(), alert("latency_p95_call")) == [
        {"retry_rate/tool/search", "latency_p95_call/tool/search"}
    ]


def test_other_tools_and_other_times_are_other_incidents() -> None:
    assert len(grouped(alert(), alert(tool="pay"))) == 2
    early = alert(since=0, until=5, cleared=True)
    late = alert("latency_p95_call", since=40, until=45)
    assert len(grouped(early, late)) == 2


def test_alerts_that_began_with_one_deploy_are_one_incident() -> None:
    release = (Deploy("contract", "search", "2", 0, 9, 10),)
    assert len(grouped(alert(deploys=release), alert("steps_per_task", None, deploys=release))) == 1


def test_the_figure_of_everything_joins_the_tool_that_explains_it() -> None:
    whole, tool = alert("selection_accuracy", None), alert("selection_accuracy")
    assert len(grouped(whole, tool)) == 1
    assert len(grouped(whole, alert("retry_rate"))) == 2


def test_the_same_figure_soon_again_is_the_same_incident() -> None:
    first = alert(since=0, until=5, cleared=True)
    assert len(grouped(first, alert(since=40, until=45))) == 1
    assert len(grouped(first, alert(since=400, until=405))) == 2


def test_every_alert_is_in_one_incident_and_those_that_go_on_come_first() -> None:
    alerts = [
        alert(cleared=True),
        alert(tool="pay", severity=Severity.PAGE),
        alert(tool="ship"),
        alert("steps_per_task", None, cleared=True),
    ]
    found = incidents(alerts)
    assert sorted(item.key.text for one in found for item in one.alerts) == sorted(
        item.key.text for item in alerts
    )
    assert [one.is_firing for one in found] == [True, True, False, False]
    assert found[0].severity is Severity.PAGE


def test_an_incident_is_over_when_its_last_alert_is() -> None:
    (going_on,) = incidents([alert(cleared=True), alert("latency_p95_call")])
    (over,) = incidents([alert(cleared=True), alert("latency_p95_call", until=9, cleared=True)])
    assert going_on.cleared_ns is None
    assert over.cleared_ns == 9 * HOUR_NS
    assert going_on.incident_id == over.incident_id


def test_ids_tell_stretches_apart_and_are_the_same_everywhere() -> None:
    assert alert().alert_id == alert().alert_id != alert(since=1).alert_id
    assert len({alert().alert_id, alert("steps_per_task").alert_id, alert(tool="x").alert_id}) == 3


def test_every_cause_and_every_watched_figure_has_words() -> None:
    assert CAUSES.keys() == HELP.keys() == set(Cause)
    for text in (*CAUSES.values(), *HELP.values()):
        assert text.en.endswith(".")
        assert text.zh.endswith("。")
    assert figure_name(AlertKey("ingest", None)).en == "Ingest"


@pytest.mark.parametrize(
    "metric",
    [
        "retry_rate",
        "retry_success_rate",
        "latency_p95_call",
        "latency_p95_model",
        "steps_per_task",
        "unknown_share",
        "conflict_share",
        "noise_exposure",
        "parse_p95",
        "guard_hits",
        "selection_accuracy",
    ],
)
def test_every_watched_figure_has_a_detector_and_a_name(metric: str) -> None:
    assert callable(detector_of(AlertKey(metric, None), DEFAULT_THRESHOLDS).step)
    assert figure_name(AlertKey(metric, None)).zh


def test_a_bucket_stands_for_the_durations_in_it() -> None:
    # floor(ln(us) / ln(1.02)) of one second is 697
    assert bucket_ms(697) == pytest.approx(1_000, rel=0.011)


def test_the_history_does_not_shift_from_look_to_look() -> None:
    week = 7 * 24 * HOUR_NS
    first, later = alert_scope(0, 100 * week), alert_scope(0, 100 * week + 5 * HOUR_NS)
    assert first.start_time_ns == later.start_time_ns
    length = first.end_time_ns - first.start_time_ns
    assert 8 * week <= length <= 12 * week + HOUR_NS
    assert alert_scope(99 * week + 7, 100 * week).start_time_ns == 99 * week


def test_an_empty_store_has_nothing_to_tell(store: Store) -> None:
    found = evaluate_alerts(store.database)
    assert (found.scope, found.alerts, found.incidents, found.firing) == (None, (), (), ())


def alerts_of(store: Store, **given: object) -> dict[str, Alert]:
    found = evaluate_alerts(store.database, **given)  # type: ignore[arg-type]
    return {item.key.text: item for item in found.alerts}


def retries(store: Store, *, odd_from: int, days: int = 8) -> None:
    """Sixty calls an hour of which three are retried; from a day on every fourth."""
    number = 0
    for hour in range(24 * days):
        for index in range(60):
            number += 1
            every = 4 if hour >= 24 * odd_from else 20
            store.call(
                number,
                0,
                start=START + hour * HOUR + 50 * index,
                attempts=2 if index % every == 0 else 1,
            )


def test_a_retry_rate_that_rose_is_told_with_its_figures_and_its_hour(store: Store) -> None:
    retries(store, odd_from=6)
    found = alerts_of(store)["retry_rate/tool/search"]
    assert found.since_ns == T0 + (START + 6 * DAY) * 10**9
    assert found.fired_ns == found.since_ns + 2 * HOUR_NS
    assert (found.value, found.n) == (0.25, 60)
    assert found.baseline == pytest.approx(0.05)
    assert (found.is_firing, found.cause, found.severity) == (True, Cause.ROSE, Severity.TICKET)


def test_a_scope_without_change_is_quiet(store: Store) -> None:
    retries(store, odd_from=99, days=5)
    assert alerts_of(store) == {}


def test_a_canary_that_got_through_is_a_page(store: Store) -> None:
    store.guard(1, time=1, synthetic=True, decision="block")
    store.guard(2, time=2, synthetic=True, decision="allow")
    store.guard(3, time=2, synthetic=True, decision="block", rule="other")
    (found,) = alerts_of(store).values()
    assert found.key.text == "guard_canary/rule/danger"
    assert (found.cause, found.severity) == (Cause.CANARY_NOT_BLOCKED, Severity.PAGE)
    assert found.trace_id == f"{2:032x}"


def silent_rule(
    store: Store, hours: int = 200, silent: int = 60, *, is_evaluated: bool = True
) -> None:
    """A rule that hits once in four evaluations, and nothing in the last hours."""
    for hour in range(hours):
        for place in range(4):
            number = 10 * hour + place
            start = START + hour * HOUR + place
            is_hit = place == hour % 4 and hour < hours - silent
            store.call(number, 0, start=start)
            if is_evaluated or hour < hours - silent:
                store.guard(number, time=start, decision="block" if is_hit else "allow")


@pytest.mark.parametrize("is_evaluated", [True, False])
def test_the_figure_and_the_alert_tell_the_same_silence(store: Store, is_evaluated: bool) -> None:
    silent_rule(store, is_evaluated=is_evaluated)
    found = evaluate_alerts(store.database)
    (alert,) = (item for item in found.alerts if item.key.metric == "guard_hits")
    assert found.scope is not None
    (rule,) = guard_hits(store.database, found.scope).silent
    assert (rule.silent_since_ns, rule.n_silent) == (alert.since_ns, alert.n)


@pytest.mark.parametrize(("canary_hour", "is_proven"), [(None, False), (20, False), (190, True)])
def test_a_rule_that_fell_silent_is_known_to_bite_when_a_canary_was_stopped_since(
    store: Store, canary_hour: int | None, is_proven: bool
) -> None:
    silent_rule(store)
    if canary_hour is not None:
        store.guard(9_999, time=START + canary_hour * HOUR, synthetic=True, decision="block")
    found = alerts_of(store)["guard_hits/rule/search/danger"]
    assert (found.cause, found.proven_ns is not None) == (Cause.HITS_STOPPED, is_proven)
    assert (help_text(found) == HELP[Cause.HITS_STOPPED]) is not is_proven


def test_a_real_call_that_was_let_through_is_no_canary(store: Store) -> None:
    store.guard(1, time=1, decision="allow")
    assert alerts_of(store) == {}


def degraded(store: Store, *kinds: str | None) -> None:
    for number, kind in enumerate(kinds):
        store.call(number, 0, start=number, degradation=kind)


def test_three_defaults_in_a_row_are_a_task_for_operations(store: Store) -> None:
    degraded(store, None, "L1", "L1", "L1")
    (found,) = alerts_of(store).values()
    assert (found.key.text, found.n, found.is_firing) == ("degradation/tool/search", 3, True)


def test_two_defaults_or_other_levels_are_none(store: Store) -> None:
    degraded(store, "L1", "L1", None, "L1", "L2", "L1", "L1")
    assert alerts_of(store) == {}


def test_a_run_long_ago_is_over(store: Store) -> None:
    degraded(store, "L1", "L1", "L1", *[None] * 30)
    (found,) = alerts_of(store).values()
    assert not found.is_firing


def disturbed(store: Store, *, whitelisted: bool = False) -> None:
    span_id = store.observation(1, cells=1)
    with store.database.transaction() as cursor:
        cursor.execute("update observation set intent = 'track'")
        cursor.execute(
            "insert into observed_noise by name select trace_id, span_id, record_hash, 'n1' as "
            "noise_id, time_ns, 'STATUS' as fact_type, 'DROP' as kind, $white as is_whitelisted "
            "from observation where span_id = $span_id",
            {"white": whitelisted, "span_id": span_id},
        )


def test_noise_on_a_fact_that_is_critical_for_the_intent_is_told(store: Store) -> None:
    disturbed(store)
    store.trace(1)
    critical = {"track": frozenset({"STATUS"})}
    found = alerts_of(store, whitelist=lambda intent: critical.get(intent or "", frozenset()))
    assert [item.cause for item in found.values()] == [Cause.WHITELISTED_NOISE]
    assert alerts_of(store, whitelist=lambda _: frozenset({"DATE"})) == {}
    assert alerts_of(store) == {}


def test_a_row_that_says_itself_that_it_is_whitelisted_is_told(store: Store) -> None:
    disturbed(store, whitelisted=True)
    store.trace(1)
    assert list(alerts_of(store)) == ["noise_on_whitelist/value/STATUS"]


def arrivals(store: Store, days: int) -> int:
    """Ten traces an hour; gives the time of the hour after the last."""
    number = 0
    for hour in range(24 * days):
        for _ in range(10):
            number += 1
            store.trace(number, start=START + hour * HOUR, hour=_hour(hour))
    return T0 + (START + 24 * days * HOUR) * 10**9


def _hour(after: int) -> int:
    return (T0 + (START + after * HOUR) * 10**9) // HOUR_NS


def test_silence_where_something_always_came_is_told_and_explains_the_rest(store: Store) -> None:
    now_ns = arrivals(store, 6)
    store.guard(1, time=START + 5 * DAY, synthetic=True, decision="allow")
    found = alerts_of(store, now_ns=now_ns + 5 * HOUR_NS)
    assert found["ingest"].cause is Cause.NOTHING_ARRIVES
    assert found["ingest"].since_ns == now_ns
    assert found["guard_canary/rule/danger"].is_suppressed
    assert not found["guard_canary/rule/danger"].is_firing


@pytest.mark.parametrize(("days", "hours"), [(6, 0), (6, 0.9), (2, 5)])
def test_a_running_hour_or_a_short_history_is_no_silence(
    store: Store, days: int, hours: float
) -> None:
    now_ns = arrivals(store, days) + int(hours * HOUR_NS)
    scope = Scope(T0, now_ns)
    assert ingest_silence(store.database, scope, now_ns) is None


def test_nights_in_which_nothing_ever_comes_are_no_silence(store: Store) -> None:
    for day in range(9):
        for hour in range(8, 20):
            store.trace(
                100 * day + hour, start=START + day * DAY + hour * HOUR, hour=_hour(24 * day + hour)
            )
    night = T0 + (START + 8 * DAY + 27 * HOUR) * 10**9
    assert ingest_silence(store.database, Scope(T0, night), night) is None


def test_a_suppressed_alert_is_not_firing() -> None:
    assert alert().is_firing
    assert not replace(alert(), is_suppressed=True).is_firing


def test_a_range_of_one_hour_can_be_looked_at() -> None:
    data = DataRange(5 * HOUR_NS, 5 * HOUR_NS)
    scope = alert_scope(data.first_time_ns, data.last_time_ns)
    assert scope.end_time_ns - scope.start_time_ns == HOUR_NS
