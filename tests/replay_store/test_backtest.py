"""A draft's effect on recorded raw outputs, counted."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.observation import (
    FragmentKind,
    RuleSet,
    load_rules,
    package_rule_texts,
    package_rules,
)
from replay_store import Database, backtest_compare
from replay_store.backtest import backtest
from replay_store.backtest_impact import Impact
from replay_store.backtest_reread import reread_all, unread_inputs
from replay_store.rule_store import V0, StoredRules, publish, roll_back, rules_in_force
from tests.observed import HOUR_NS, T0, emit, order_status, trace_id
from tests.stores import memory_store

ORDER = "order_status.yaml"
DOMAIN = "domain.yaml"
T0_NS = int(T0.timestamp()) * 1_000_000_000
Emit = Callable[..., Database]


@pytest.fixture
def emitted(tmp_path: Path) -> Iterator[Emit]:
    with memory_store() as database:

        def run(*observations: Any, **more: Any) -> Database:
            emit(database, tmp_path, observations, **more)
            return database

        yield run


@pytest.fixture
def shop(emitted: Emit) -> Database:
    """Refunding twice the same, once in conflict's reach, and one order that is fine."""
    return emitted(
        [order_status("refunding")],
        [order_status("refunding")],
        [order_status("shipped")],
        [order_status("refunding"), order_status("shipped", tool="order_api")],
    )


def changed(*edits: tuple[str, str, str]) -> dict[str, str]:
    """The package's files with texts replaced, each exactly once."""
    texts = package_rule_texts()
    for file, old, new in edits:
        assert texts[file].count(old) == 1
        texts[file] = texts[file].replace(old, new)
    return texts


REFUNDING = (
    (ORDER, "delivered, cancelled]", "delivered, cancelled, refunding]"),
    (
        ORDER,
        "      cancelled: {zh: 已取消, en: Cancelled}\n",
        "      cancelled: {zh: 已取消, en: Cancelled}\n      refunding: {zh: 退款中, en: Refunding}\n",
    ),
)


def refunding() -> RuleSet:
    return load_rules(changed(*REFUNDING))


def counts(impact: Impact) -> tuple[int, ...]:
    return (
        impact.n_facts_changed,
        impact.n_traces_changed,
        impact.n_unknown_removed,
        impact.n_unknown_added,
        impact.n_conflicts_made,
        impact.n_conflicts_cleared,
        impact.n_prompts_changed,
    )


def test_a_mapped_value_removes_unknowns_and_can_make_a_conflict(shop: Database) -> None:
    impact = backtest(shop, package_rules(), refunding())

    assert counts(impact) == (3, 3, 2, 0, 1, 0, 3)
    assert (impact.n_observations, impact.n_distinct, impact.n_traces) == (4, 3, 4)
    [found] = impact.classes
    before, after = found.change.before, found.change.after
    assert before is not None
    assert after is not None
    assert (found.change.fact_type, before.kind, before.raw) == ("STATUS", "UNKNOWN", '"refunding"')
    assert (after.kind, after.value) == (FragmentKind.FACT, "refunding")
    assert (found.n_facts, found.n_traces) == (3, 3)
    assert [example.trace_id for example in found.examples] == [trace_id(1), trace_id(4)]
    assert "未知" in found.prompt.before.splitlines()[0]
    assert "退款中" in found.prompt.after.splitlines()[0]
    assert impact.token_delta == impact.n_tokens_after - impact.n_tokens_before


def test_the_way_back_is_the_mirror_image(shop: Database) -> None:
    there = backtest(shop, package_rules(), refunding())
    back = backtest(shop, refunding(), package_rules())

    assert (back.n_unknown_added, back.n_conflicts_cleared) == (
        there.n_unknown_removed,
        there.n_conflicts_made,
    )
    assert back.n_facts_changed == there.n_facts_changed
    assert back.token_delta == -there.token_delta


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ((ORDER, "# Order status", "# About orders"), (0, 0, 0, 0, 0, 0, 0)),
        ((ORDER, "zh: 已发货", "zh: 已寄出"), (2, 2, 0, 0, 0, 0, 2)),
        ((ORDER, "    confidence: 0.98\n", "    confidence: 0.5\n"), (2, 2, 0, 0, 0, 0, 0)),
        ((DOMAIN, "zh: 订单状态", "zh: 状态"), (0, 4, 0, 0, 0, 0, 4)),
    ],
    ids=["comment", "word", "confidence", "label"],
)
def test_each_kind_of_edit_is_counted_for_what_it_does(
    shop: Database, edit: tuple[str, str, str], expected: tuple[int, ...]
) -> None:
    impact = backtest(shop, package_rules(), load_rules(changed(edit)))

    assert counts(impact) == expected
    assert impact.is_nothing is (expected[1] == 0)


def test_values_of_one_kind_are_one_class(emitted: Emit) -> None:
    days = [[order_status(estimated_delivery=f"0{n}.12.2026")] for n in range(1, 8)]
    database = emitted(*days)
    draft = load_rules(changed((ORDER, '["%Y/%m/%d",', '["%d.%m.%Y", "%Y/%m/%d",')))

    impact = backtest(database, package_rules(), draft)

    [found] = impact.classes
    assert (found.n_facts, found.n_traces, len(found.examples)) == (7, 7, 5)
    assert found.change.before is not None
    assert (found.change.before.kind, found.change.before.reason) == ("UNPARSED", "not_a_date")


def test_a_band_that_moves_changes_the_derived_fact(emitted: Emit) -> None:
    body = {"province": "A", "current_stock": 90, "min_safe_level": 100}
    stock = order_status(tool="query_inventory")
    database = emitted([type(stock)("query_inventory", "1", None, body)])
    draft = changed((DOMAIN, "{below: 0.8,", "{below: 1,"), (DOMAIN, "from: 0.8,", "from: 1,"))

    impact = backtest(database, package_rules(), load_rules(draft))

    [found] = impact.classes
    assert found.change.fact_type == "STOCK_STATUS"
    assert found.change.before is not None
    assert found.change.after is not None
    assert (found.change.before.value, found.change.after.value) == ("warning", "critical")


@pytest.mark.parametrize(
    ("scope", "n"),
    [
        ({}, 4),
        ({"start_time_ns": T0_NS + HOUR_NS}, 3),
        ({"end_time_ns": T0_NS + HOUR_NS}, 1),
        ({"tool_name": "order_api"}, 1),
        ({"tool_name": "nobody"}, 0),
    ],
)
def test_only_what_lies_in_the_scope_is_read(shop: Database, scope: dict[str, Any], n: int) -> None:
    impact = backtest(shop, package_rules(), refunding(), **scope)

    assert impact.n_observations == n


def test_what_cannot_be_read_again_is_counted_apart(emitted: Emit) -> None:
    database = emitted(
        [order_status("refunding")],
        [order_status("refunding", padding="x" * 1_100_000)],
        [order_status("refunding")],
    )
    with database.transaction() as cursor:
        cursor.execute(f"delete from raw_occurrence where trace_id = '{trace_id(3)}'::uuid")

    impact = backtest(database, package_rules(), refunding())

    assert impact.n_observations == 3
    assert impact.n_without_raw == 1
    assert impact.n_partly_raw == 1
    assert impact.n_traces_changed == 1


def test_progress_ends_at_the_total_and_who_is_told_can_end_it(shop: Database) -> None:
    class EnoughError(Exception):
        pass

    def enough(n_done: int, n_total: int) -> None:
        raise EnoughError

    seen: list[tuple[int, int]] = []

    backtest(shop, package_rules(), refunding(), on_progress=lambda *n: seen.append(n))

    assert seen == [(0, 3), (3, 3)]
    with pytest.raises(EnoughError):
        backtest(shop, package_rules(), refunding(), on_progress=enough)


def test_an_empty_store_has_no_effect_to_show() -> None:
    with memory_store() as database:
        impact = backtest(database, package_rules(), refunding())

    assert (impact.n_observations, impact.is_nothing, impact.classes) == (0, True, ())


def test_readers_of_another_version_get_their_counts(shop: Database) -> None:
    publish(shop, V0, changed(*REFUNDING), "ann", "refunds", lambda: 1)
    stored = rules_in_force(shop)

    n_read = reread_all(shop, stored, lambda: 2)

    rows = shop.rows(
        "select hex_trace(trace_id) as trace_id, n_unknown, n_conflicts, rule_version"
        " from reread order by trace_id"
    )
    assert n_read == 4
    assert [row["trace_id"] for row in rows] == [trace_id(n) for n in (1, 2, 3, 4)]
    assert [row["n_unknown"] for row in rows] == [0, 0, 0, 0]
    assert [row["n_conflicts"] for row in rows] == [0, 0, 0, 1]
    assert {row["rule_version"] for row in rows} == {stored.version}
    assert reread_all(shop, stored, lambda: 3) == 0
    assert unread_inputs(shop, stored) == []


def test_what_the_files_in_force_made_is_not_read_again(shop: Database) -> None:
    publish(shop, V0, changed(*REFUNDING), "ann", "refunds", lambda: 1)
    reread_all(shop, rules_in_force(shop), lambda: 2)

    roll_back(shop, V0, "ann", "no", lambda: 3)

    assert reread_all(shop, rules_in_force(shop), lambda: 4) == 0
    assert shop.row("select count(*) as n from reread") == {"n": 4}


def test_version_0_reads_what_another_version_made(emitted: Emit) -> None:
    database = emitted([order_status("refunding")], rules=refunding())

    assert reread_all(database, rules_in_force(database), lambda: 1) == 1
    [row] = database.rows("select n_unknown, rule_version from reread")
    assert row == {"n_unknown": 1, "rule_version": V0}


def test_counts_of_half_an_observation_are_not_kept(emitted: Emit) -> None:
    database = emitted([order_status("refunding"), order_status("shipped", tool="order_api")])
    with database.transaction() as cursor:
        cursor.execute("delete from raw_occurrence where position = 1")
    stored = StoredRules("other", package_rule_texts(), refunding())

    assert reread_all(database, stored, lambda: 1) == 0


def test_a_value_that_loses_its_meaning_loses_a_critical_fact(shop: Database) -> None:
    there = backtest(shop, package_rules(), refunding())
    back = backtest(shop, refunding(), package_rules())

    assert there.n_critical_lost == 0
    # The contradicted order still has the other source's word.
    assert back.n_critical_lost == 2


def test_cells_are_counted_by_both_whether_they_differ_or_not(shop: Database) -> None:
    impact = backtest(shop, package_rules(), refunding())

    before, after = impact.cells_before, impact.cells_after
    assert (before.n_cells, before.n_unknown, before.n_conflicts) == (8, 2, 0)
    assert (after.n_cells, after.n_unknown, after.n_conflicts) == (8, 0, 1)
    assert after.n_multi_source_cells - before.n_multi_source_cells == 1


def test_what_reads_the_same_is_counted_as_the_base_read_it(shop: Database) -> None:
    version = publish(shop, V0, changed(*REFUNDING), "ann", "refunds", lambda: 1)
    reread_all(shop, rules_in_force(shop), lambda: 2)
    base = refunding()

    as_recorded = backtest(shop, base, base)
    as_read = backtest(shop, base, base, base_version=version)

    assert (as_recorded.cells_before.n_unknown, as_read.cells_before.n_unknown) == (2, 0)
    assert as_read.cells_before == as_read.cells_after


def test_the_draft_is_timed_where_it_changes_what_reads(shop: Database) -> None:
    untouched = backtest(shop, package_rules(), package_rules())
    touched = backtest(shop, package_rules(), refunding())

    assert (untouched.n_parsed, untouched.parse_p99_ms) == (0, None)
    assert touched.n_parsed == 4  # of three distinct inputs, one with two outputs
    assert touched.parse_p99_ms is not None
    assert touched.n_unstable == 0


@pytest.mark.parametrize(
    "edit",
    [
        REFUNDING,
        ((ORDER, "zh: 已发货", "zh: 已寄出"),),
        ((ORDER, '"%Y/%m/%d", ', ""),),
        ((ORDER, "confidence: 0.90", "confidence: 0.80"),),
        ((ORDER, "required_keys: [order_id]", "required_keys: [status]"),),
        ((DOMAIN, "below: 0.8, code", "below: 0.7, code"), (DOMAIN, "from: 0.8,", "from: 0.7,")),
    ],
)
def test_reading_only_what_differs_finds_the_same(
    shop: Database, monkeypatch: pytest.MonkeyPatch, edit: tuple[tuple[str, str, str], ...]
) -> None:
    draft = load_rules(changed(*edit))
    whole = backtest(shop, package_rules(), draft)

    monkeypatch.setattr(backtest_compare, "N_TIMED", 0)
    narrow = backtest(shop, package_rules(), draft)

    assert replace(narrow, n_parsed=0, parse_p99_ms=None) == replace(
        whole, n_parsed=0, parse_p99_ms=None
    )
