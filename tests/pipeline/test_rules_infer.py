"""Drafting rules from recorded answers: what is counted, what is claimed, and that it loads."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.observation import Context, RuleSet, ToolOutput, load_rules, parse
from pipeline.observation.fragment import ValueType
from pipeline.observation.rules.infer import Draft, draft_rules


def _answers(n: int = 30) -> list[dict[str, Any]]:
    return [
        {
            "order_id": f"{10_000 + number}",
            "status": ("shipped", "pending", "refunding")[number % 3],
            "eta": "2024/06/15" if number % 2 else "2024-06-16",
            "paid_at": "2024-06-10T08:23:11Z",
            "amount": number * 1.5,
            "gift": number % 2 == 0,
            "user": {"user_id": "anon-0123456789abcdef", "phone": "***"},
            "events": [{"time": "2024-06-10T08:23:11Z", "event": "picked up", "n": 1}],
            "tags": ["a", "b"],
            **({"remark": f"free text {number}"} if number % 3 else {"remark": None}),
        }
        for number in range(n)
    ]


def _draft(bodies: list[Any], tool: str = "order_api") -> tuple[Draft, RuleSet]:
    draft = draft_rules(tool, bodies)
    assert draft is not None
    return draft, load_rules({"draft.yaml": draft.text})


def test_a_text_that_tells_the_records_of_each_answer_apart_may_name_them() -> None:
    provinces = ["Jiangsu", "Hubei", "Zhejiang"]
    bodies = [
        {"data": [{"province": p, "day": f"2024-06-1{k}", "kind": "a", "stock": k * n}
                  for k, p in enumerate(provinces)]}
        for n in range(4)
    ]  # fmt: skip

    draft, rules = _draft(bodies, "inventory_check")

    assert draft.entity_candidates == ("province",)
    assert rules.tools[0].entity is not None
    assert rules.tools[0].entity.type == "province"
    assert _draft(bodies[:2])[0].entity_candidates == ()
    repeated = [{"data": [record, record]} for body in bodies for record in body["data"]]
    assert _draft(repeated)[0].entity_candidates == ()


def test_a_draft_says_types_formats_enums_and_what_may_be_absent() -> None:
    draft, rules = _draft([json.dumps(answer) for answer in _answers()])

    fields = {field.name: field for field in rules.tools[0].fields}
    assert {name: field.value_type for name, field in fields.items()} == {
        "order_id": ValueType.STRING,
        "status": ValueType.ENUM,
        "eta": ValueType.DATE,
        "paid_at": ValueType.DATETIME,
        "amount": ValueType.NUMBER,
        "gift": ValueType.BOOLEAN,
        "user_user_id": ValueType.STRING,
        "user_phone": ValueType.STRING,
        "events": ValueType.STRING,
        "tags": ValueType.STRING,
        "remark": ValueType.STRING,
    }
    assert [form.text for form in fields["eta"].formats] == ["%Y/%m/%d"]
    assert {name for name, field in fields.items() if field.is_optional} == {
        "events",
        "tags",
        "remark",
    }
    assert {name for name, field in fields.items() if field.is_sensitive} == {
        "user_user_id", "user_phone",
    }  # fmt: skip
    assert fields["events"].list_rule is not None
    assert fields["events"].list_rule.strategy == "latest_by_time"
    for counted in ('- "pending"  # 10', "absent or null in 10 of 30", "string 20"):
        assert counted in draft.text


def test_entity_candidates_are_ids_that_every_answer_has() -> None:
    draft, rules = _draft(_answers())

    assert draft.entity_candidates == ("order_id", "user.user_id")
    entity = rules.tools[0].entity
    assert entity is not None
    assert (entity.type, entity.paths) == ("order", (("order_id",),))
    assert rules.tools[0].required_keys == {"order_id"}


def test_without_an_id_a_draft_says_so() -> None:
    draft, rules = _draft([{"amount": number} for number in range(5)])

    assert draft.entity_candidates == ()
    assert "No field names what an answer is about" in draft.text
    assert rules.tools[0].entity is None


def test_records_are_looked_for_under_data_when_all_answers_have_it() -> None:
    bodies = [{"code": 200, "msg": "m", "data": [answer]} for answer in _answers(9)]
    draft, rules = _draft([*bodies, {"code": 404, "data": None}, "<html>", None])

    assert rules.tools[0].envelope.is_declared
    assert "msg" not in draft.text
    assert "12 distinct recorded answers: 9 with records, 2 empty, 1 not readable" in draft.text


def test_what_was_recorded_is_read_whole_by_its_draft() -> None:
    answers = _answers()
    _, rules = _draft(answers)

    for answer in answers:
        facts = parse(ToolOutput("order_api", None, None, answer), rules, Context())
        assert {fact.kind for fact in facts} == {"FACT"}


@pytest.mark.parametrize("bodies", [[], [None], ["<html>"], [[]], [{}], [{"data": []}], ["7", 3]])
def test_where_no_answer_holds_a_record_nothing_is_drafted(bodies: list[Any]) -> None:
    assert draft_rules("t", bodies) is None


def test_texts_of_a_tool_cannot_break_out_of_the_draft() -> None:
    value = 'x"\n- name: evil\u2028# \u0085end\ud800 {{ a }}'
    answer = {value: value, "conflict": value, "a.b": 1, "": 2, "id": value}
    draft, rules = _draft([answer] * 3, tool=value)

    names = {field.name for field in rules.tools[0].fields}
    assert names == {value, "conflict", "id"}
    assert rules.tools[0].name == value
    assert "2 values lie where no path leads" not in draft.text
    assert "6 values lie where no path leads" in draft.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=80)
@given(st.lists(JSON, max_size=6), st.text(min_size=1, max_size=10))
def test_whatever_was_recorded_the_draft_loads(bodies: list[Any], tool: str) -> None:
    draft = draft_rules(tool, bodies)

    assert draft is None or load_rules({"t.yaml": draft.text}).tools[0].name == tool
