"""CSA: the laws of `align`, and what `resolve` reads out of a snapshot."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.observation import (
    Caller,
    CellKind,
    ConfidenceOrigin,
    Context,
    EntityRef,
    FragmentKind,
    RuleSet,
    SemanticFragment,
    SignalName,
    ToolOutput,
    ValueType,
    align,
    decode_context,
    decode_snapshot,
    encode_context,
    encode_snapshot,
    fragment_from_row,
    fragment_row,
    observe,
    parse,
    primary_entity,
    related_entities,
    resolve,
)
from pipeline.observation.errors import ObservationError, TemplateError
from pipeline.observation.fragment import tagged

NOW = datetime(2024, 6, 11, 15, tzinfo=UTC)
NOW_ASKED = datetime(2024, 6, 11, 15, 5, 44, tzinfo=UTC)
ORDER = EntityRef("order", "12345")


def _fact(
    value: object, source: str = "a.status", confidence: float = 0.9, **more: object
) -> SemanticFragment:
    values: dict[str, object] = {
        "type": "STATUS",
        "kind": FragmentKind.FACT,
        "confidence_origin": ConfidenceOrigin.DECLARED,
        "entity": ORDER,
        "tool": source.split(".")[0],
        "value_type": ValueType.ENUM,
    }
    return SemanticFragment(value=value, source=source, confidence=confidence, **(values | more))  # type: ignore[arg-type]


MOMENTS = st.none() | st.integers(0, 3).map(lambda hours: NOW - timedelta(hours=hours))
FRAGMENTS = st.builds(
    lambda value, source, type_, entity, confidence, at, kind: _fact(
        None if kind in ("UNKNOWN", "UNPARSED") else value,
        source,
        confidence,
        type=type_,
        entity=EntityRef("order", entity),
        observed_at=at,
        kind=FragmentKind(kind),
    ),
    st.sampled_from(["shipped", "delivered", 1, 1.0, True, 2.5, date(2024, 6, 15), NOW]),
    st.sampled_from(["a.x", "b.x", "c.y"]),
    st.sampled_from(["STATUS", "EST_DELIVERY", "OTHER"]),
    st.sampled_from(["1", "2"]),
    st.sampled_from([0.3, 0.85, 0.9, 0.98]),
    MOMENTS,
    st.sampled_from(["FACT", "FACT", "FACT", "UNKNOWN", "UNPARSED", "DEGRADED"]),
)
BUNDLES = st.lists(FRAGMENTS, max_size=8)


@given(BUNDLES, BUNDLES)
def test_aligning_parts_is_aligning_the_whole(
    a: list[SemanticFragment], b: list[SemanticFragment]
) -> None:
    whole = align(a + b)

    assert whole == align([*align(a), *align(b)])
    assert whole == align(a) | align(b) == align(b) | align(a)
    assert align(whole) == whole == whole | whole


@given(BUNDLES, BUNDLES, BUNDLES)
def test_align_is_associative(
    a: list[SemanticFragment], b: list[SemanticFragment], c: list[SemanticFragment]
) -> None:
    first, second, third = align(a), align(b), align(c)

    assert (first | second) | third == first | (second | third)


@given(BUNDLES, st.randoms(use_true_random=False))
def test_the_hash_ignores_order_repetition_and_time_of_observation(
    fragments: list[SemanticFragment], random: object
) -> None:
    shuffled = fragments * 2
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    later = [replace(fragment, observed_at=NOW, rule_version="9") for fragment in shuffled]

    assert align(shuffled) == align(fragments)
    assert align(later).content_hash == align(fragments).content_hash


@given(BUNDLES)
def test_the_hash_tells_contents_apart(fragments: list[SemanticFragment]) -> None:
    more = _fact("something else")

    assert align([*fragments, more]).content_hash != align(fragments).content_hash


@given(BUNDLES)
def test_a_snapshot_survives_storage(fragments: list[SemanticFragment]) -> None:
    snapshot = align(fragments)

    assert decode_snapshot(encode_snapshot(snapshot)) == snapshot
    assert all(fragment_from_row(fragment_row(f)) == f for f in snapshot)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"type": "A"}]', '[{"confidence": 2}]'])
def test_what_is_no_stored_snapshot_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ObservationError, match="expected what"):
        decode_snapshot(text)


@given(BUNDLES, st.randoms(use_true_random=False))
def test_resolving_depends_on_the_set_alone_and_gives_one_cell_each(
    fragments: list[SemanticFragment], random: object
) -> None:
    shuffled = list(fragments)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    resolved = resolve(align(fragments), NOW)

    assert resolved == resolve(align(shuffled), NOW)
    assert len({cell.key for cell in resolved.cells}) == len(resolved.cells)
    assert {(cell.entity, cell.type) for cell in resolved.cells} == {
        (fragment.entity, fragment.type) for fragment in fragments
    }


@given(BUNDLES)
def test_a_conflict_has_distinct_values_and_nothing_else_has_two(
    fragments: list[SemanticFragment],
) -> None:
    for cell in resolve(align(fragments), NOW).cells:
        values = [(isinstance(a.value, bool), a.value) for a in cell.alternatives]
        assert len(set(values)) == len(values)
        assert (cell.kind is CellKind.CONFLICT) == (len(values) > 1)


def _only_cell(fragments: Sequence[SemanticFragment]):  # type: ignore[no-untyped-def]
    (cell,) = resolve(align(fragments), NOW).cells
    return cell


def test_equal_values_corroborate_and_the_most_confident_speaks() -> None:
    cell = _only_cell([_fact("shipped", "a.s", 0.9), _fact("shipped", "b.s", 0.98)])

    assert (cell.kind, cell.value, cell.confidence) == (CellKind.FACT, "shipped", 0.98)
    assert cell.alternatives[0].sources == ("a.s", "b.s")


def test_a_conflict_has_one_vote_for_each_distinct_value() -> None:
    facts = [_fact("shipped", "a.s", 0.98), _fact("delivered", "b.s", 0.95)]

    twice = _only_cell([*facts, _fact("shipped", "c.s", 0.9)])

    assert twice.kind is CellKind.CONFLICT
    assert [a.value for a in twice.alternatives] == ["shipped", "delivered"]
    assert twice.confidence == _only_cell(facts).confidence == 0.965


def test_a_source_that_answers_again_replaces_what_it_said() -> None:
    old = _fact("pending", observed_at=NOW - timedelta(hours=1))
    new = _fact("shipped", observed_at=NOW)

    cell = _only_cell([old, new])

    assert (cell.kind, cell.value, len(align([old, new]))) == (CellKind.FACT, "shipped", 2)


def test_a_fact_outweighs_a_fallback_and_an_unknown_value_is_no_conflict() -> None:
    live = _fact("shipped", "a.s")
    fallback = _fact("delivered", "b.s", kind=FragmentKind.DEGRADED)
    unknown = _fact(None, "c.s", 0.3, kind=FragmentKind.UNKNOWN)

    assert _only_cell([live, fallback, unknown]).value == "shipped"
    assert _only_cell([fallback, unknown]).kind is CellKind.DEGRADED
    assert _only_cell([unknown]).kind is CellKind.UNKNOWN


def test_ages_run_from_the_answer_or_from_the_event() -> None:
    times: dict[str, Any] = {
        "observed_at": NOW - timedelta(seconds=12),
        "valid_at": NOW - timedelta(hours=1),
    }

    assert _only_cell([_fact("x", **times)]).age_seconds == 12
    assert _only_cell([_fact("x", ages_from_event=True, **times)]).age_seconds == 3600
    assert _only_cell([_fact("x")]).age_seconds is None


def test_nothing_in_a_snapshot_can_be_changed() -> None:
    snapshot = align([_fact("shipped")])

    with pytest.raises(FrozenInstanceError):
        snapshot.fragments = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        snapshot.fragments[0].value = "x"  # type: ignore[misc]


@pytest.mark.parametrize("confidence", [1.0, -0.1, float("nan")])
def test_certainty_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        _fact("x", confidence=confidence)


def _resolve_seed(rules: RuleSet, outputs: list[ToolOutput], context: Context):  # type: ignore[no-untyped-def]
    fragments = itertools.chain.from_iterable(parse(o, rules, context) for o in outputs)
    return resolve(
        align(fragments),
        context.query_time,
        primary_entity(rules, context),
        rules=rules,
        related=related_entities(rules, context),
    )


def test_points_are_shown_with_the_order_whose_user_they_belong_to(
    rules: RuleSet, seed_outputs: list[ToolOutput], seed_context: dict[str, object]
) -> None:
    context = Context.from_mapping(seed_context)
    resolved = _resolve_seed(rules, seed_outputs, context)

    assert [group.entity for group in resolved.groups] == [ORDER]
    assert list(resolved.view()) == ["STATUS", "EST_DELIVERY", "LATEST_EVENT", "USER_POINTS"]
    assert resolved.signals == ()


def test_the_orders_own_user_relates_without_the_context(
    rules: RuleSet, seed_outputs: list[ToolOutput], order_body: dict[str, object]
) -> None:
    named = replace(seed_outputs[0], body=order_body | {"user_id": "U789"})
    other = replace(seed_outputs[0], body=order_body | {"user_id": "U1"})
    context = Context(primary=ORDER)

    assert len(_resolve_seed(rules, [named, seed_outputs[1]], context).groups) == 1
    assert len(_resolve_seed(rules, [other, seed_outputs[1]], context).groups) == 2


def test_another_order_than_the_one_asked_for_is_a_signal(
    rules: RuleSet, seed_outputs: list[ToolOutput], seed_context: dict[str, object]
) -> None:
    context = Context.from_mapping(seed_context | {"target_order_id": "99999"})

    (signal,) = _resolve_seed(rules, seed_outputs, context).signals

    assert (signal.name, signal.tool) == (SignalName.ENTITY_MISMATCH, "order_api")
    assert (signal.expected.id, signal.found) == ("99999", (ORDER,))


STOCK = {"province_name": "Jiangsu", "current_stock": 12500, "min_safe_level": 10000}


def test_tools_are_fused_by_declared_formulas_over_one_entity(rules: RuleSet) -> None:
    outputs = [
        ToolOutput("inventory_check", None, None, {"code": 200, "data": [STOCK]}),
        ToolOutput(
            "sales_summary",
            None,
            None,
            {"data": [{"province": "Jiangsu", "sales": 5000, "avg_daily_sales": 833}]},
        ),
    ]

    cells = _resolve_seed(rules, outputs, Context()).view()

    derived = {name: cell for name, cell in cells.items() if cell.kind is CellKind.DERIVED}
    assert {name: cell.value for name, cell in derived.items()} == {
        "STOCK_STATUS": "adequate",
        "STOCK_MARGIN": 2500,
        "STOCK_COVERAGE_DAYS": 15,
        "COVERAGE_RATIO": 2.5,
    }
    ratio = cells["COVERAGE_RATIO"]
    assert ratio.confidence == pytest.approx(0.95 * 0.95)
    assert set(ratio.evidence[0].derived_from) == {
        *cells["STOCK_LEVEL"].fact_ids,
        *cells["UNITS_SOLD"].fact_ids,
    }


@pytest.mark.parametrize(
    "sales",
    [
        {"province": "Zhejiang", "sales": 5000},
        {"province": "Jiangsu", "sales": 0},
        {"province": "Jiangsu"},
        {"province": "Jiangsu", "sales": "many"},
    ],
)
def test_nothing_is_derived_from_what_is_not_there(
    rules: RuleSet, sales: dict[str, object]
) -> None:
    outputs = [
        ToolOutput("inventory_check", None, None, {"data": [STOCK]}),
        ToolOutput("sales_summary", None, None, {"data": [sales]}),
    ]

    types = {cell.type for cell in _resolve_seed(rules, outputs, Context()).cells}

    assert "COVERAGE_RATIO" not in types


def test_nothing_is_derived_from_a_conflict(rules: RuleSet) -> None:
    outputs = [
        ToolOutput(tool, None, None, {"data": [STOCK | {"current_stock": stock}]})
        for tool, stock in (("inventory_check", 1), ("query_inventory", 2))
    ]

    resolved = _resolve_seed(rules, outputs, Context())

    assert {c.type: c.kind for c in resolved.cells} == {
        "STOCK_LEVEL": CellKind.CONFLICT,
        "SAFE_LEVEL": CellKind.FACT,
    }
    assert (resolved.health.n_multi_source_cells, resolved.health.n_conflicts) == (2, 1)


def test_health_counts_what_is_wrong(
    rules: RuleSet, order_body: dict[str, object], asked: datetime
) -> None:
    bad = order_body | {"status": "refunding", "estimated_delivery": "soon"}
    outputs: list[object] = [
        ToolOutput("order_api", None, asked, bad),
        ToolOutput("points_api", None, asked, None, error="TIMEOUT"),
        ToolOutput("coupon_api", None, asked, {"data": []}),
    ]

    health = observe(outputs, {"query_timestamp": asked}, rules=rules).clean.resolved.health

    assert (health.n_cells, health.n_unknown, health.n_unparsed) == (3, 1, 1)
    assert (health.n_failed, health.n_empty, health.n_conflicts) == (1, 1, 0)
    assert health.mean_confidence == pytest.approx((0.3 + 0.1 + 0.9) / 3)


def test_no_evidence_has_no_confidence_and_a_stable_hash() -> None:
    empty = resolve(align([]), NOW)

    assert (empty.cells, empty.health.mean_confidence) == ((), None)
    assert align([]).content_hash == align([]).content_hash


@pytest.mark.parametrize("key", [None, b"secret"])
def test_a_context_survives_storage_without_readable_ids_and_without_the_key(
    rules: RuleSet, seed_context: dict[str, object], key: bytes | None
) -> None:
    context = Context.from_mapping(seed_context | {"pseudonym_key": key, "phone": "555-1234"})

    text = encode_context(context, rules)
    again = decode_context(text)

    assert not any(word in text for word in ("U789", "555", "secret"))
    assert (again.query_time, again.intent, again.primary) == (NOW_ASKED, "track_delivery", ORDER)
    assert related_entities(rules, again) == related_entities(rules, context)
    assert encode_context(again, rules) == text


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"primary": 3}'])
def test_what_is_no_stored_context_is_refused(text: str) -> None:
    with pytest.raises(ObservationError, match="encode_context"):
        decode_context(text)


TEXTS = st.text(max_size=6) | st.sampled_from(['"\\\n', "\ud800", "中文\u2028", "\x00\x7f"])


@given(
    st.none() | TEXTS | st.integers() | st.floats() | st.booleans() | st.just(NOW) | st.dates(),
    st.lists(st.tuples(TEXTS, TEXTS), max_size=2).map(tuple),
    st.floats(0, 0.99),
    TEXTS,
    st.none() | TEXTS,
    st.booleans(),
    st.sampled_from([None, NOW]),
    st.lists(TEXTS, max_size=2).map(tuple),
)
def test_a_facts_canonical_text_is_the_json_array_of_what_it_says(
    value: Any,
    words: Any,
    confidence: float,
    text: str,
    raw: str | None,
    flag: bool,
    valid_at: datetime | None,
    derived_from: Any,
) -> None:
    fact = _fact(
        value,
        text,
        confidence,
        words=words,
        entity=EntityRef(text, text),
        raw=raw,
        reason=raw,
        valid_at=valid_at,
        is_optional=flag,
        ages_from_event=flag,
        derived_from=derived_from,
    )

    content = [
        fact.type, fact.kind, tagged(value), words, confidence, fact.confidence_origin, text,
        fact.entity, fact.value_type, flag, False, flag,
        None if valid_at is None else valid_at.isoformat(), raw, raw, derived_from,
    ]  # fmt: skip
    assert fact.canonical() == json.dumps(content, separators=(",", ":"))


def test_a_snapshot_renders_itself_as_the_observation_does() -> None:
    observation = observe(
        [{"order_id": 12345, "status": "shipped"}],
        {"target_order_id": 12345, "query_timestamp": NOW_ASKED},
    )
    snapshot = observation.clean.snapshot

    assert snapshot.to_prompt(query_time=NOW_ASKED) == observation.to_prompt().text
    assert snapshot.to_prompt("verbose", "en", query_time=NOW_ASKED).startswith("[Order status]")
    assert "前" not in snapshot.to_prompt()
    with pytest.raises(TemplateError, match="debug"):
        snapshot.to_prompt("debug", caller=Caller.REMOTE)
