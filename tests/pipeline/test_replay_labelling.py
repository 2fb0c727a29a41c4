"""The label of a choice: eight exclusive labels, and why."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.replay import ArgumentRule, Chosen, Gold, Offered, Sub, label_choice
from pipeline.vocabulary import NO_CALL, SelectionLabel

ORDER_NO = {"type": "string", "pattern": "^[0-9]{12}$"}
OFFERED = (
    Offered(
        "query_order_status",
        input_schema={
            "type": "object",
            "properties": {"order_no": ORDER_NO, "include_logistics": {"type": "boolean"}},
            "required": ["order_no"],
        },
    ),
    Offered("search_orders"),
    Offered("refund_order"),
)
GOLD = Gold(
    "CALL",
    best=("query_order_status",),
    acceptable=("search_orders",),
    forbidden=("refund_order",),
    arguments={"query_order_status": {"order_no": ArgumentRule(values=("202611200815",))}},
)
NOTHING = Gold("NO_CALL")
RIGHT = {"order_no": "202611200815"}


def _call(tool: str = "query_order_status", **arguments: Any) -> Chosen:
    return Chosen(tool, arguments)


Row = tuple[Gold, Chosen, SelectionLabel, Sub | None]
TABLE: dict[str, Row] = {
    "none needed, none made": (NOTHING, Chosen(NO_CALL), SelectionLabel.CORRECT_NO_CALL, None),
    "none needed, one made": (
        NOTHING,
        _call(**RIGHT),
        SelectionLabel.SHOULD_NOT_HAVE_CALLED,
        None,
    ),
    "needed, none made": (GOLD, Chosen(NO_CALL), SelectionLabel.SHOULD_HAVE_CALLED, None),
    "needed, not on offer, none made": (
        Gold("CALL", best=("elsewhere",)),
        Chosen(NO_CALL),
        SelectionLabel.SHOULD_HAVE_CALLED,
        Sub.GOLD_NOT_OFFERED,
    ),
    "best": (GOLD, _call(**RIGHT), SelectionLabel.RIGHT, None),
    "best, arguments unknown": (
        GOLD,
        Chosen("query_order_status"),
        SelectionLabel.RIGHT,
        None,
    ),
    "acceptable": (GOLD, _call("search_orders"), SelectionLabel.ACCEPTABLE_ALTERNATIVE, None),
    "forbidden": (GOLD, _call("refund_order"), SelectionLabel.WRONG_TOOL, Sub.FORBIDDEN),
    "not on offer": (GOLD, _call("invented"), SelectionLabel.WRONG_TOOL, Sub.NOT_OFFERED),
    "wrong since the right one is not on offer": (
        Gold("CALL", best=("elsewhere",)),
        _call("search_orders"),
        SelectionLabel.WRONG_TOOL,
        Sub.GOLD_NOT_OFFERED,
    ),
    "another value": (
        GOLD,
        _call(order_no="202611200816"),
        SelectionLabel.RIGHT_TOOL_WRONG_ARGS,
        Sub.VALUE,
    ),
    "against the schema": (
        GOLD,
        _call(order_no="#202611200815"),
        SelectionLabel.RIGHT_TOOL_WRONG_ARGS,
        Sub.SCHEMA,
    ),
    "a required one missing": (GOLD, _call(), SelectionLabel.RIGHT_TOOL_WRONG_ARGS, Sub.SCHEMA),
    "a parameter nobody knows": (
        GOLD,
        _call(**RIGHT, colour="red"),
        SelectionLabel.RIGHT_TOOL_WRONG_ARGS,
        Sub.UNKNOWN_PARAM,
    ),
    "a newline after the last digit": (
        GOLD,
        _call(order_no="202611200815\n"),
        SelectionLabel.RIGHT_TOOL_WRONG_ARGS,
        Sub.SCHEMA,
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_the_first_label_that_applies_is_given(name: str) -> None:
    gold, chosen, label, sub = TABLE[name]
    verdict = label_choice(gold, OFFERED, chosen)
    assert (verdict.label, verdict.sub) == (label, sub)


OK = {
    SelectionLabel.CORRECT_NO_CALL: (True, True),
    SelectionLabel.RIGHT: (True, True),
    SelectionLabel.ACCEPTABLE_ALTERNATIVE: (True, True),
    SelectionLabel.RIGHT_TOOL_WRONG_ARGS: (True, False),
    SelectionLabel.WRONG_TOOL: (False, False),
    SelectionLabel.SHOULD_HAVE_CALLED: (False, False),
    SelectionLabel.SHOULD_NOT_HAVE_CALLED: (False, False),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_right_tool_with_wrong_arguments_is_a_right_selection_and_a_wrong_call(name: str) -> None:
    gold, chosen, label, _ = TABLE[name]
    verdict = label_choice(gold, OFFERED, chosen)
    assert (verdict.is_selection_ok, verdict.is_call_ok) == OK[label]


RULES: dict[str, tuple[ArgumentRule, Any, bool]] = {
    "one of several": (ArgumentRule(values=("a", "b")), "b", True),
    "none of several": (ArgumentRule(values=("a", "b")), "c", False),
    "no rule at all allows nothing": (ArgumentRule(), "a", False),
    "ignored": (ArgumentRule(is_ignored=True), {"x": 1}, True),
    "by pattern": (ArgumentRule(pattern="[0-9]{3}"), "123", True),
    "by pattern, whole": (ArgumentRule(pattern="[0-9]{3}"), "1234", False),
    "by pattern, no text": (ArgumentRule(pattern="[0-9]{3}"), 123, False),
    "by pattern or value": (ArgumentRule(values=(7,), pattern="[0-9]{3}"), 7, True),
    "int for float": (ArgumentRule(values=(1.0,)), 1, True),
    "true is not 1": (ArgumentRule(values=(1,)), True, False),
    "lists in order": (ArgumentRule(values=([1, [2]],)), [1, [2]], True),
    "lists out of order": (ArgumentRule(values=([1, 2],)), [2, 1], False),
    "objects": (ArgumentRule(values=({"a": 1},)), {"a": 1.0}, True),
    "objects with more": (ArgumentRule(values=({"a": 1},)), {"a": 1, "b": 2}, False),
    "text is no number": (ArgumentRule(values=("1",)), 1, False),
}


@pytest.mark.parametrize("name", RULES)
def test_an_argument_is_right_by_its_rule(name: str) -> None:
    rule, value, is_right = RULES[name]
    gold = Gold("CALL", best=("t",), arguments={"t": {"p": rule}})
    assert label_choice(gold, (), _call("t", p=value)).is_call_ok is is_right


def test_an_argument_may_be_left_out_only_where_its_rule_says_so() -> None:
    rules = {"p": ArgumentRule(values=(1,)), "q": ArgumentRule(values=(1,), is_optional=True)}
    gold = Gold("CALL", best=("t",), arguments={"t": rules})
    assert label_choice(gold, (), _call("t", p=1)).is_call_ok
    verdict = label_choice(gold, (), _call("t", q=1))
    assert (verdict.sub, verdict.reason) == (Sub.VALUE, "p: missing")


def test_the_reason_names_the_argument_and_what_was_expected() -> None:
    verdict = label_choice(GOLD, OFFERED, _call(order_no="202611200816"))
    assert verdict.reason == "order_no: '202611200816': expected '202611200815'"
    verdict = label_choice(GOLD, OFFERED, _call(order_no="#1"))
    assert verdict.reason == "order_no: '#1' does not match '^[0-9]{12}$'"


HOSTILE_SCHEMAS: dict[str, dict[str, Any]] = {
    "a type that is none": {"type": "banana"},
    "a reference to another place": {"$ref": "http://127.0.0.1:9/schema.json"},
    "a reference to itself": {"$ref": "#"},
    "a pattern that RE2 does not know": {
        "properties": {"order_no": {"pattern": "(?=a)(a+)+$"}},
    },
    "a pattern that is none": {"properties": {"order_no": {"pattern": "("}}},
}


@pytest.mark.parametrize("name", HOSTILE_SCHEMAS)
def test_a_schema_that_is_none_judges_nothing_and_fetches_nothing(name: str) -> None:
    offered = (Offered("t", input_schema=HOSTILE_SCHEMAS[name]),)
    verdict = label_choice(Gold("CALL", best=("t",)), offered, _call("t", order_no="a" * 40))
    assert verdict.label is SelectionLabel.RIGHT


_tools = st.sampled_from(["a", "b", "c", "d", NO_CALL])
_golds = st.just(NOTHING) | st.builds(
    Gold,
    need=st.just("CALL"),
    best=st.lists(st.sampled_from("ab"), min_size=1).map(tuple),
    acceptable=st.lists(st.just("c")).map(tuple),
)


@given(_golds, st.lists(st.builds(Offered, _tools), max_size=4), _tools)
def test_every_choice_gets_a_label_and_a_right_call_is_a_right_selection(
    gold: Gold, offered: list[Offered], tool: str
) -> None:
    verdict = label_choice(gold, offered, Chosen(tool))
    assert verdict.label in SelectionLabel
    assert verdict.is_selection_ok or not verdict.is_call_ok
