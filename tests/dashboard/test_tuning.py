"""A draft tried, guarded by cases, judged, and published with what it was judged by."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.errors import DashboardError, GateClosedError
from dashboard.i18n import catalogue
from dashboard.plurals import filled
from dashboard.tuning.cases import guard_changes, update_broken
from dashboard.tuning.gate_text import gate_words
from dashboard.tuning.publishing import Publication, publish_gated
from dashboard.tuning.trial import Trial, Wanted, cases_of, gates_of, play_cases, run_trial
from metrics import Scope
from metrics.rule_gates import Gate
from pipeline.observation import load_rules, package_rule_texts
from pipeline.replay import Case, CaseKind, Expected, ExpectedFact, Gold, Recorded
from pipeline.replay.playing import compare
from pipeline.replay.setup import Setup
from pipeline.replay.updating import updated_case
from replay_store import Database
from replay_store.replay import keep_cases
from replay_store.replay.capture import observation_case
from replay_store.rule_reviews import acknowledge, approve, kept_backtests, reviewed
from replay_store.rule_store import V0, rules_in_force, version_of
from tests.observed import answer, emit, order_status, trace_id

ORDER, DOMAIN = "order_status.yaml", "domain.yaml"
ALL = Scope(0, 2**62)
BASE = package_rule_texts()
WHEN = "2026-12-01T00:00:00+00:00"
_TIMES = itertools.count(1_000)


def clock() -> int:
    return next(_TIMES)


def changed(*edits: tuple[str, str, str]) -> dict[str, str]:
    texts = dict(BASE)
    for file, old, new in edits:
        assert texts[file].count(old) == 1
        texts[file] = texts[file].replace(old, new)
    return texts


MAPPED = changed(
    (ORDER, "delivered, cancelled]", "delivered, cancelled, refunding]"),
    (ORDER, "    mapping:\n", "    mapping:\n      refunding: {zh: 退款中, en: Refunding}\n"),
)
LOSING = changed(
    (ORDER, "[pending, shipped, delivered", "[pending, delivered"),
    (ORDER, "      shipped: {zh: 已发货, en: Shipped}\n", ""),
)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Database]:
    """Two orders that are refunding, one that is shipped."""
    with Database.open() as database:
        emit(
            database,
            tmp_path,
            [[order_status(status)] for status in ("refunding", "refunding", "shipped")],
        )
        yield database


def trial_of(database: Database, texts: dict[str, str]) -> Trial:
    return run_trial(database, Wanted(V0, BASE, texts, ALL))


def judged(database: Database, trial: Trial, texts: dict[str, str]) -> tuple[Gate, ...]:
    said = reviewed(database, V0, version_of(texts))
    return gates_of(trial, said, ["ann"], "ann", needs_approval=True)


def closed(gates: tuple[Gate, ...]) -> set[str]:
    return {gate.name.value for gate in gates if not gate.is_open}


def say_all(database: Database, trial: Trial, texts: dict[str, str]) -> None:
    version = version_of(texts)
    keys = [item.change.key for item in trial.impact.classes]
    acknowledge(database, V0, version, keys, "ann", clock)
    approve(database, V0, version, "bob", "", ["ann"], clock)


def test_a_mapping_needs_a_case_a_word_and_a_second_owner(shop: Database) -> None:
    trial = trial_of(shop, MAPPED)

    assert trial.uncovered == ("STATUS",)
    assert closed(judged(shop, trial, MAPPED)) == {"covered", "explained", "approved"}


def test_a_guarding_case_reads_what_the_draft_means_and_is_broken_by_going_back(
    shop: Database,
) -> None:
    trial = trial_of(shop, MAPPED)
    rules = load_rules(MAPPED)

    [made] = guard_changes(shop, trial, rules, "refunds started", WHEN)

    assert made.note == "refunds started"
    again = play_cases(trial, load_rules(BASE), rules, cases_of(shop))
    assert again.uncovered == ()
    [played] = again.compared
    assert (played.before.is_right, played.after.is_right) == (False, True)
    assert any("UNKNOWN" in line for line in played.before.facts or ())


def test_a_case_that_the_draft_breaks_can_be_brought_to_it_with_a_reason(shop: Database) -> None:
    case = observation_case(shop, trace_id(1), _span_of(shop, 1))
    assert case is not None
    keep_cases(shop, [case])
    trial = trial_of(shop, MAPPED)
    assert closed(judged(shop, trial, MAPPED)) >= {"cases"}
    assert any("not read any more" in line for line in trial.broken[0].after.problems)

    update_broken(shop, trial.broken, load_rules(MAPPED), "refunds started", WHEN)

    again = play_cases(trial, load_rules(BASE), load_rules(MAPPED), cases_of(shop))
    assert again.broken == ()
    assert cases_of(shop)[0].note == "refunds started"


def test_a_mapping_that_loses_a_critical_fact_is_refused(shop: Database) -> None:
    trial = trial_of(shop, LOSING)
    say_all(shop, trial, LOSING)
    guard_changes(shop, trial, load_rules(LOSING), "x", WHEN)
    trial = play_cases(trial, load_rules(BASE), load_rules(LOSING), cases_of(shop))
    gates = judged(shop, trial, LOSING)

    assert closed(gates) == {"critical", "unknown"}
    with pytest.raises(GateClosedError, match="closed gates: critical, unknown"):
        publish_gated(shop, Publication(V0, LOSING, "ann", "x", ALL), trial, gates, clock)
    assert rules_in_force(shop).version == V0
    assert kept_backtests(shop, version_of(LOSING)) == []


def test_a_version_is_published_with_its_back_test_and_how_the_gates_stood(
    shop: Database,
) -> None:
    trial = trial_of(shop, MAPPED)
    say_all(shop, trial, MAPPED)
    guard_changes(shop, trial, load_rules(MAPPED), "x", WHEN)
    trial = play_cases(trial, load_rules(BASE), load_rules(MAPPED), cases_of(shop))
    gates = judged(shop, trial, MAPPED)

    version = publish_gated(
        shop, Publication(V0, MAPPED, "ann", "refunds", ALL), trial, gates, clock
    )

    assert rules_in_force(shop).version == version == version_of(MAPPED)
    [kept] = kept_backtests(shop, version)
    assert (kept.backtest.n_facts_changed, kept.backtest.n_unknown_removed) == (2, 2)
    assert (kept.backtest.n_cases, kept.backtest.created_by) == (1, "ann")
    approved = next(g for g in json.loads(kept.backtest.gates) if g["gate"] == "approved")
    assert approved["figures"]["approved_by"] == "bob"
    [found] = kept.classes
    assert (found.fact_type, found.n_facts, found.n_traces) == ("STATUS", 2, 2)
    assert json.loads(found.after or "")["value"] == "refunding"


def test_derived_facts_are_guarded_by_the_facts_they_are_made_of(
    tmp_path: Path, empty_store: Database
) -> None:
    body = {"province": "广东", "current_stock": 90, "min_safe_level": 100}
    emit(empty_store, tmp_path, [[answer("query_inventory", body)]])
    texts = changed(
        (DOMAIN, "{below: 0.8, code", "{below: 0.95, code"),
        (DOMAIN, "from: 0.8,", "from: 0.95,"),
    )
    trial = trial_of(empty_store, texts)
    assert trial.uncovered == ("STOCK_STATUS",)

    guard_changes(empty_store, trial, load_rules(texts), "x", WHEN)
    again = play_cases(trial, load_rules(BASE), load_rules(texts), cases_of(empty_store))
    assert again.uncovered == ()


def test_an_example_that_was_not_recorded_whole_cannot_guard(shop: Database) -> None:
    trial = trial_of(shop, MAPPED)
    with shop.transaction() as cursor:
        cursor.execute("update raw_output set body = body || '…'")

    with pytest.raises(DashboardError, match="STATUS: no example of the change was recorded"):
        guard_changes(shop, trial, load_rules(MAPPED), "x", WHEN)


def test_a_task_keeps_its_choices_when_its_facts_are_brought_up(shop: Database) -> None:
    case = Case(
        "task-1",
        CaseKind.END_TO_END,
        recorded=(Recorded("query_order_status", {"order_id": "1", "status": "refunding"}),),
        gold=Gold("CALL", ("query_order_status",)),
        expected=Expected(
            facts=(ExpectedFact("order:1", "STATUS", "query_order_status.status", "UNKNOWN", None),)
        ),
    )

    made = updated_case(case, load_rules(MAPPED), "why", WHEN)

    assert made.gold == case.gold
    assert made.expected is not None
    assert [fact.kind for fact in made.expected.facts or ()] == ["FACT"]
    rules = load_rules(MAPPED)
    [played] = compare([made], Setup("base"), Setup("draft", rules=rules))
    assert played.after.is_right


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_gate_has_words_for_every_state(shop: Database, language: str) -> None:
    texts = catalogue(language)

    def say(key: str, **values: object) -> str:
        return filled(texts[key], **values)

    for tried in (MAPPED, LOSING, BASE):
        for gate in judged(shop, trial_of(shop, tried), tried):
            words = gate_words(gate, say)
            assert words.title
            assert "{" not in words.said
            assert words.remedy or gate.state == "met"


def _span_of(database: Database, number: int) -> str:
    row = database.row(
        "select hex_span(span_id) as span_id from observation where hex_trace(trace_id) = $t",
        {"t": trace_id(number)},
    )
    assert row is not None
    return str(row["span_id"])
