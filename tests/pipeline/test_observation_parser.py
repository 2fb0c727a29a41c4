"""SAP: every branch of the seed's reading, the other seed's tools, and any input whatever."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.observation import (
    ConfidenceOrigin,
    Context,
    EntityRef,
    FragmentKind,
    RuleSet,
    SemanticFragment,
    ToolOutput,
    load_rules,
    package_rules,
    parse,
)
from pipeline.observation.payload import MAX_FACTS
from pipeline.observation.preview import preview
from pipeline.observation.times import compile_format, read_date, read_datetime
from pipeline.vocabulary import ErrorClass

TRACKING = Context(intent="track_delivery", primary=EntityRef("order", "12345"))
CANCELLING = replace(TRACKING, intent="cancel_order")


def _read(
    body: object, tool: str = "order_api", context: Context = TRACKING, **given_values: Any
) -> list[SemanticFragment]:
    return parse(ToolOutput(tool, None, None, body, **given_values), package_rules(), context)


def _of(fragments: list[SemanticFragment], fact_type: str) -> SemanticFragment:
    return next(fragment for fragment in fragments if fragment.type == fact_type)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("pending", "待支付"),
        ("shipped", "已发货"),
        ("delivered", "已签收"),
        ("cancelled", "已取消"),
    ],
)
def test_a_known_status_is_mapped(order_body: dict[str, Any], status: str, words: str) -> None:
    fact = _of(_read(order_body | {"status": status}), "STATUS")

    assert (fact.kind, fact.value, dict(fact.words)["zh"]) == (FragmentKind.FACT, status, words)
    assert (fact.confidence, fact.confidence_origin) == (0.98, ConfidenceOrigin.DECLARED)
    assert fact.source == "order_api.status"
    assert fact.entity == EntityRef("order", "12345")


@pytest.mark.parametrize("status", ["refunding", "SHIPPED", "", 7, True, [], {"a": 1}, 1e300])
def test_an_unknown_status_is_unknown_and_its_raw_value_kept(
    order_body: dict[str, Any], status: object
) -> None:
    fact = _of(_read(order_body | {"status": status}), "STATUS")

    assert (fact.kind, fact.value, fact.confidence) == (FragmentKind.UNKNOWN, None, 0.3)
    assert fact.reason == "unmapped"
    assert fact.raw is not None


@pytest.mark.parametrize(
    "text", ["2024-06-15", "2024/06/15", "15 Jun 2024", "2024年06月15日", " 2024-06-15 "]
)
def test_a_delivery_date_is_a_date_in_each_declared_format(
    order_body: dict[str, Any], text: str
) -> None:
    fact = _of(_read(order_body | {"estimated_delivery": text}), "EST_DELIVERY")

    assert (fact.value, fact.confidence) == (date(2024, 6, 15), 0.95)
    assert fact.valid_at == datetime(2024, 6, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["10", "may", "12:30", "06/07/2024", "2024-02-30", "2024-06-15T10:00:00Z", 20240615, ""]
)
def test_what_is_no_date_is_unparsed_never_guessed(
    order_body: dict[str, Any], text: object
) -> None:
    fact = _of(_read(order_body | {"estimated_delivery": text}), "EST_DELIVERY")

    assert (fact.kind, fact.value, fact.confidence) == (FragmentKind.UNPARSED, None, 0.1)


def test_missing_and_null_fields_say_so(order_body: dict[str, Any]) -> None:
    del order_body["status"]
    facts = _read(order_body | {"estimated_delivery": None})

    assert (_of(facts, "STATUS").kind, _of(facts, "STATUS").reason) == ("UNKNOWN", "missing")
    assert _of(facts, "EST_DELIVERY").kind == FragmentKind.UNPARSED
    assert _of(facts, "EST_DELIVERY").reason == "missing"


def test_the_latest_event_is_the_newest_whatever_the_order(order_body: dict[str, Any]) -> None:
    order_body["logistics_info"].reverse()
    fact = _of(_read(order_body), "LATEST_EVENT")

    assert (fact.value, fact.confidence) == ("In transit to destination", 0.9)
    assert fact.valid_at == datetime(2024, 6, 11, 14, 5, 44, tzinfo=UTC)
    assert fact.source == "order_api.logistics_info.latest"
    assert fact.ages_from_event


def test_events_in_several_zones_are_compared_in_utc_and_timeless_ones_passed_over(
    order_body: dict[str, Any],
) -> None:
    order_body["logistics_info"] = [
        {"event": "no time"},
        {"time": "soon", "event": "no time either"},
        {"time": "2024-06-11T23:00:00", "event": "no offset"},
        {"time": "2024-06-11T20:00:00+08:00", "event": "earlier"},
        {"time": "2024-06-11T13:00:00Z", "event": "later"},
        None,
        "text",
    ]

    assert _of(_read(order_body), "LATEST_EVENT").value == "later"


@pytest.mark.parametrize("logistics", [[], None])
def test_no_events_say_nothing(order_body: dict[str, Any], logistics: object) -> None:
    facts = _read(order_body | {"logistics_info": logistics})

    assert [fact.type for fact in facts] == ["STATUS", "EST_DELIVERY"]


@pytest.mark.parametrize(
    ("logistics", "reason"),
    [
        ("text", "not_a_list"),
        ([{"event": "x"}], "no_readable_item"),
        ([{"time": "2024-06-11T14:05:44Z"}], "missing"),
        ([None] * 100_001, "too_many_items"),
    ],
)
def test_unreadable_events_are_unparsed_with_a_reason(
    order_body: dict[str, Any], logistics: object, reason: str
) -> None:
    fact = _of(_read(order_body | {"logistics_info": logistics}), "LATEST_EVENT")

    assert (fact.kind, fact.reason) == (FragmentKind.UNPARSED, reason)


def test_the_intent_selects_the_fields(order_body: dict[str, Any]) -> None:
    body = order_body | {"cancellation_deadline": "2024-06-12T00:00:00+08:00"}

    def types(context: Context) -> list[str]:
        return [fact.type for fact in _read(body, context=context)]

    assert types(TRACKING) == ["STATUS", "EST_DELIVERY", "LATEST_EVENT"]
    assert types(CANCELLING) == ["STATUS", "CANCELLATION_DEADLINE"]
    assert types(Context()) == ["STATUS", "EST_DELIVERY", "CANCELLATION_DEADLINE", "LATEST_EVENT"]
    deadline = _of(_read(body, context=CANCELLING), "CANCELLATION_DEADLINE")
    assert deadline.value == datetime(2024, 6, 11, 16, tzinfo=UTC)


def test_the_entity_comes_from_the_output_and_from_the_context_only_without_one(
    order_body: dict[str, Any],
) -> None:
    context = replace(TRACKING, values={"target_order_id": "999"})

    named = _read(order_body, context=context)[0]
    del order_body["order_id"]
    unnamed = _read(order_body, context=context)[0]

    assert (named.entity.id, named.is_entity_from_context) == ("12345", False)
    assert (unnamed.entity.id, unnamed.is_entity_from_context) == ("999", True)


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        (None, "EMPTY", "no_data"),
        ("", "EMPTY", "no_data"),
        (b"", "EMPTY", "no_data"),
        ({}, "EMPTY", "no_data"),
        ([], "EMPTY", "no_data"),
        ({"data": []}, "EMPTY", "no_data"),
        ({"code": 200, "data": None}, "EMPTY", "no_data"),
        ({"code": 404, "data": None}, "FAILED", "code"),
        ({"code": "INVALID_ARGUMENT", "msg": "x"}, "FAILED", "code"),
        ("not json", "UNPARSED", "not_json"),
        ('{"half": ', "UNPARSED", "not_json"),
        (b"\xff\xfe", "UNPARSED", "not_utf8"),
        ("[" * 100_000, "UNPARSED", "too_deep"),
        ("7" * 5_000, "UNPARSED", "not_json"),
        ("[" + "{}," * 100_000 + "{}]", "UNPARSED", "too_many_parts"),
        (" " * 4_000_001, "UNPARSED", "too_large"),
        (b" " * 4_000_001, "UNPARSED", "too_large"),
        (42, "UNPARSED", "not_an_object"),
        ([1, 2], "UNPARSED", "not_an_object"),
        ("NaN", "UNPARSED", "not_an_object"),
    ],
)
def test_an_answer_without_facts_is_one_fragment_that_says_why(
    body: object, kind: str, reason: str
) -> None:
    (fragment,) = _read(body)

    assert (fragment.type, fragment.kind, fragment.reason) == ("TOOL_RESULT", kind, reason)


def test_data_counts_before_the_code_and_the_message_never() -> None:
    body = {
        "code": 500,
        "msg": "internal error at 10.0.0.7",
        "data": [{"province": "JS", "current_stock": 1}],
    }

    facts = _read(body, "inventory_check")

    assert [fact.type for fact in facts] == ["STOCK_LEVEL"]
    assert "10.0.0.7" not in repr(facts)


@pytest.mark.parametrize(
    ("error", "value"), [(ErrorClass.TIMEOUT, "TIMEOUT"), ("weird", "UPSTREAM"), ("AUTH", "AUTH")]
)
def test_a_failed_call_is_a_fact_about_the_call(error: str, value: str) -> None:
    (fragment,) = _read({"order_id": "1", "status": "shipped"}, error=error)

    assert (fragment.kind, fragment.value) == (FragmentKind.FAILED, value)
    assert fragment.entity == EntityRef("tool", "order_api")


def test_a_fallback_answer_is_degraded_never_a_fact(order_body: dict[str, Any]) -> None:
    facts = _read(order_body, degradation="L1")

    assert {fact.kind for fact in facts} == {FragmentKind.DEGRADED}
    assert {fact.reason for fact in facts} == {"L1"}


def test_an_empty_answer_is_told_so_that_the_model_can_act() -> None:
    (fragment,) = _read({"data": []}, "inventory_check")

    assert (fragment.type, fragment.kind, fragment.value) == ("STOCK_STATUS", "EMPTY", "not_found")
    assert dict(fragment.words)["zh"] == "未查询到指定省份的库存记录，请确认省份名称是否正确"


def test_one_answer_may_be_about_many_entities_up_to_a_bound() -> None:
    records = [{"province": f"P{i}", "current_stock": i} for i in range(1_200)]

    facts = _read({"data": records}, "inventory_check")

    assert len({fact.entity for fact in facts if fact.type == "STOCK_LEVEL"}) == 500
    assert [(f.kind, f.reason, f.raw) for f in facts if f.type == "TOOL_RESULT"] == [
        ("UNPARSED", "records_left_out", "700")
    ]


def test_facts_are_bounded_too_and_no_record_is_half_read() -> None:
    levels = {"current_stock": 7, "min_safe_level": 5}
    records = [{"province": f"P{i}"} | levels for i in range(1_200)]

    facts = _read({"data": records}, "inventory_check")

    known = [fact for fact in facts if fact.type != "TOOL_RESULT"]
    assert len(known) == MAX_FACTS
    assert len({fact.entity for fact in known}) == MAX_FACTS // 2
    assert [(f.kind, f.reason, f.raw) for f in facts if f.type == "TOOL_RESULT"] == [
        ("UNPARSED", "records_left_out", "950")
    ]


def test_coupons_are_counted_and_the_first_expiry_and_largest_discount_chosen() -> None:
    body = {
        "user_id": "U789",
        "coupons": [
            {"code": "A", "status": "valid", "valid_until": "2024-07-01", "discount": 5},
            {"code": "B", "status": "valid", "valid_until": "2024/06/20", "discount": 20.5},
            {"code": "C", "status": "expired", "valid_until": "2024-01-01", "discount": 99},
        ],
    }

    facts = {fact.type: fact.value for fact in _read(body, "coupon_api")}

    assert facts == {
        "COUPON_COUNT": 2,
        "COUPON_EXPIRY": date(2024, 6, 20),
        "COUPON_DISCOUNT": 20.5,
    }


def test_no_usable_coupon_is_a_count_of_zero_and_nothing_else() -> None:
    facts = _read({"user_id": "U789", "coupons": []}, "coupon_api")

    assert [(fact.type, fact.value) for fact in facts] == [("COUPON_COUNT", 0)]


def test_sensitive_ids_are_pseudonyms_and_never_readable(points_body: dict[str, Any]) -> None:
    plain = _read(points_body, "points_api")
    keyed = _read(points_body, "points_api", replace(TRACKING, pseudonym_key=b"secret"))
    failed = _read(points_body, "points_api", error="TIMEOUT")
    text = _read("user U789", "points_api")

    assert "U789" not in repr([plain, keyed, failed, text])
    assert plain[0].entity.id.startswith("anon-")
    assert plain[0].entity != keyed[0].entity


def test_a_bare_body_is_read_by_every_parser_whose_keys_match(rules: RuleSet) -> None:
    body = {"order_id": "1", "status": "shipped", "user_id": "U1", "points_balance": 3}

    facts = parse(ToolOutput("", None, None, body), rules, TRACKING)

    assert {"STATUS", "USER_POINTS"} <= {fact.type for fact in facts}
    assert {fact.tool for fact in facts} == {"order_status_api", "user_points_api"}


def test_an_output_that_nothing_reads_is_unparsed() -> None:
    (fragment,) = _read({"a": 1}, "weather_api")

    assert (fragment.kind, fragment.reason, fragment.raw) == ("UNPARSED", "no_rules", '{"a": 1}')


NUMBERS = """
name: n
output_schema:
  - {name: plain, type: number, optional: true}
  - {name: cents, type: number, scale: 0.01, optional: true}
  - {name: flag, type: boolean, true_values: ["Y", "1"], false_values: ["N"], optional: true}
  - {name: when, type: datetime, formats: [epoch_ms, "%d.%m.%Y %H:%M"], zone: Asia/Shanghai, optional: true}
  - name: level
    type: number
    optional: true
    bands: [{up_to: 5, code: low}, {above: 5, code: high}]
  - name: kind
    type: enum
    values: [a, b]
    synonyms: {alpha: a}
    fallback_mapping: {gamma: {zh: 丙, en: third}}
    ignore_case: true
    optional: true
  - {name: deep, type: string, path: [x.y.0.z, other], optional: true}
  - {name: total, type: list, path: items, item_schema: [{name: v, type: number}], extract_strategy: sum}
  - {name: first, type: list, path: words, extract_strategy: first}
  - {name: last, type: list, path: words, extract_strategy: last}
  - {name: joined, type: list, path: words, extract_strategy: join, separator: "+"}
  - {name: lowest, type: list, path: nums, item_type: number, extract_strategy: min}
  - {name: some, type: list, path: items, item_schema: [{name: v, type: number}, {name: t, type: string}], extract_strategy: filter, where: {t: [x]}}
"""


@pytest.mark.parametrize(
    ("body", "value", "confidence"),
    [
        ({"plain": 3}, 3, 0.95),
        ({"plain": 3.5}, 3.5, 0.95),
        ({"plain": "1e2"}, 100, 0.90),
        ({"plain": float("nan")}, None, 0.1),
        ({"plain": True}, None, 0.1),
        ({"plain": 10**40}, None, 0.1),
        ({"plain": "1,250"}, None, 0.1),
        ({"cents": 1999}, 19.99, 0.90),
        ({"flag": False}, False, 0.95),
        ({"flag": "Y"}, True, 0.90),
        ({"flag": 1}, True, 0.90),
        ({"flag": "maybe"}, None, 0.1),
        ({"when": 0}, datetime(1970, 1, 1, tzinfo=UTC), 0.90),
        ({"when": "01.02.2024 08:30"}, datetime(2024, 2, 1, 0, 30, tzinfo=UTC), 0.90),
        ({"when": 1e300}, None, 0.1),
        ({"level": 5}, "low", 0.90),
        ({"level": 5.0001}, "high", 0.90),
        ({"kind": "ALPHA"}, "a", 0.90),
        ({"kind": "Gamma"}, "gamma", 0.7),
        ({"kind": "delta"}, None, 0.3),
        ({"deep": 1, "x": {"y": [{"z": "found"}]}}, "found", 0.95),
        ({"other": "elsewhere"}, "elsewhere", 0.95),
        ({"items": [{"v": 0.1}, {"v": 0.2}]}, 0.3, 0.85),
        ({"items": [{"v": 1}, {"v": "x"}]}, None, 0.1),
        ({"words": ["a", "b"]}, "a", 0.85),
        ({"nums": [3, 1, 2]}, 1, 0.85),
    ],
)
def test_values_are_read_by_type_and_weighed_by_operation(
    body: dict[str, object], value: object, confidence: float
) -> None:
    rules = load_rules({"n.yaml": NUMBERS})

    fact = parse(ToolOutput("n", None, None, body), rules, Context())[0]

    assert (fact.value, type(fact.value)) == (value, type(value))
    assert fact.confidence == confidence


def test_list_strategies_give_one_value_each() -> None:
    body = {"words": ["a", "b"], "items": [{"v": 1, "t": "x"}, {"v": 2, "t": "y"}]}

    facts = parse(ToolOutput("n", None, None, body), load_rules({"n.yaml": NUMBERS}), Context())

    values = {fact.type: fact.value for fact in facts}
    assert values == {"TOTAL": 3, "FIRST": "a", "LAST": "b", "JOINED": "a+b", "SOME": "1"}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
FIELDS = [
    "order_id",
    "status",
    "estimated_delivery",
    "logistics_info",
    "cancellation_deadline",
    "user_id",
    "points_balance",
    "coupons",
    "data",
    "code",
    "msg",
    "province",
    "current_stock",
    "min_safe_level",
    "amount",
    "time",
    "event",
]
RECORDS = st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, max_size=8)
BODIES = (
    JSON_VALUES | RECORDS | st.lists(RECORDS, max_size=3) | st.binary() | st.text()
    | st.fixed_dictionaries({"data": RECORDS | st.lists(RECORDS, max_size=2)})
    | RECORDS.map(lambda record: json.dumps(record, default=str))
)  # fmt: skip
TOOLS = st.sampled_from(
    ["", "order_api", "points_api", "coupon_api", "inventory_check", "sales_summary", "other"]
)


@settings(max_examples=300)
@given(TOOLS, BODIES, st.sampled_from([None, "L1"]), st.none() | st.text(max_size=9))
def test_any_body_gives_fragments_and_the_same_ones_again(
    tool: str, body: object, degradation: str | None, error: str | None
) -> None:
    output = ToolOutput(tool, None, None, body, error=error, degradation=degradation)

    fragments = parse(output, package_rules(), TRACKING)

    assert fragments
    assert all(0 <= fragment.confidence < 1 for fragment in fragments)
    assert fragments == parse(output, package_rules(), TRACKING)


def _deep(depth: int) -> object:
    value: object = "bottom"
    for _ in range(depth):
        value = {"order_id": [value]}
    return value


@pytest.mark.parametrize(
    "make",
    [
        lambda: _deep(1_000),
        lambda: {"order_id": "1", "status": _deep(50_000)},
        lambda: {"order_id": "1", "status": "x" * 10_000_000},
        lambda: json.dumps({"order_id": "1", "status": "x" * 10_000_000}),
        lambda: {"order_id": "1", "logistics_info": [{"time": "x"}] * 99_999},
        lambda: {str(i): i for i in range(300_000)} | {"code": 1},
        lambda: {"order_id": 10**5_000, 10**5_000: 1, "status": object()},
        lambda: {"order_id": "\ud800", "status": "\x00\ud800"},
        lambda: {"data": {"data": {"data": []}}},
    ],
)
def test_huge_deep_and_strange_bodies_give_bounded_fragments(make: Callable[[], object]) -> None:
    body = make()
    start = datetime.now(UTC)

    fragments = [*_read(body), *_read(body, ""), *_read(body, "inventory_check")]

    assert fragments
    assert all(len(fragment.raw or "") <= 500 for fragment in fragments)
    assert datetime.now(UTC) - start < timedelta(seconds=20)


@given(JSON_VALUES)
def test_raw_text_that_fits_reads_back_as_the_same_value(value: object) -> None:
    text = preview(value, 1_000_000)

    again = json.loads(text)

    assert json.dumps(again, sort_keys=True) == json.dumps(value, sort_keys=True)


@given(JSON_VALUES, st.integers(1, 40))
def test_raw_text_never_passes_its_bound(value: object, limit: int) -> None:
    text = preview(value, limit)

    assert len(text) <= limit
    assert text == preview(value, 1_000_000) or text.endswith("…")


@given(st.dictionaries(st.text(), JSON_VALUES), st.integers(1, 100))
def test_raw_text_is_alike_whatever_mapping_holds_the_value(
    value: dict[str, object], limit: int
) -> None:
    assert preview(value, limit) == preview(MappingProxyType(value), limit)


def test_control_characters_stand_as_their_codes() -> None:
    shown = '"\\u0008\\u000c\\u0000\\t\\\\f\\""'
    text = '\b\f\x00\t\\f"'

    assert preview(text) == shown
    assert preview({"a": text}) == f'{{"a": {shown}}}'


@pytest.mark.parametrize(
    ("format_", "text", "moment"),
    [
        ("%d %B %Y", "15 June 2024", "2024-06-15"),
        ("%d %b %Y", "15 Foo 2024", None),
        ("%Y.%m.%d", "2024.13.01", None),
        ("%Y%%%m%%%d", "2024%06%15", "2024-06-15"),
        ("epoch_s", "1718409600", None),
    ],
)
def test_a_declared_format_is_read_exactly(format_: str, text: str, moment: str | None) -> None:
    found = read_date(text, [compile_format(format_)])

    assert (found and found.isoformat()) == moment


@pytest.mark.parametrize(
    ("raw", "moment"),
    [
        ("2024-06-15T10:00:00+08:00", "2024-06-15T02:00:00+00:00"),
        ("2024-06-15 10:00Z", "2024-06-15T10:00:00+00:00"),
        ("2024-06-15T10:00:00.123456789Z", "2024-06-15T10:00:00.123456+00:00"),
        ("2024-06-15T10:00:00", None),
        ("2024-06-15T25:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("15/06/2024 10:00 +0200", "2024-06-15T08:00:00+00:00"),
        (1718409600, "2024-06-15T00:00:00+00:00"),
        (float("inf"), None),
        (True, None),
        (None, None),
    ],
)
def test_a_time_is_read_in_utc_or_not_at_all(raw: object, moment: str | None) -> None:
    formats = [compile_format("epoch_s"), compile_format("%d/%m/%Y %H:%M %z")]

    found = read_datetime(raw, formats, None)

    assert (found and found.isoformat()) == moment


@pytest.mark.parametrize("format_", ["%Y-%Y-%m-%d", "%H:%M", "%Y-%m-%d %", "%Y-%m-%d %p"])
def test_a_format_that_names_no_day_or_a_part_twice_is_refused(format_: str) -> None:
    with pytest.raises(ValueError, match=r"%|names"):
        compile_format(format_)
