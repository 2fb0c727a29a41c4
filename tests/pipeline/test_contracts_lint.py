"""Contract lint: each rule fires on what it is about, and a good contract has nothing to mend."""

from typing import Any

import pytest

from pipeline.contracts import Contract, Danger, Fallback, Rule, alike_pairs, lint_contracts
from pipeline.contracts.rule_texts import RULE_TEXTS
from tests.contract_samples import contract

TEXT = {"type": "string", "description": "说明"}
EXAMPLE = {"type": "string", "pattern": "^[0-9]+$", "description": "示例：202611200815"}


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def rules_of(*contracts: Contract) -> set[tuple[str, Rule]]:
    return {(finding.tool, finding.rule) for finding in lint_contracts(contracts)}


def test_the_seeds_example_has_nothing_to_mend() -> None:
    assert lint_contracts([contract()]) == ()


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        (contract(name="ticket_handler"), Rule.VERB_NOUN),
        (contract(name="queryOrderStatus"), Rule.VERB_NOUN),
        (contract(name="query"), Rule.VERB_NOUN),
        (contract(name="svc_tk_v2_create"), Rule.INTERNAL_NAME),
        (contract(description="查询订单状态", danger=None), Rule.BOUNDARY),
        (contract(description="查询订单状态"), Rule.BOUNDARY),
        (contract(when=()), Rule.WHEN),
        (contract(when_not=None), Rule.WHEN_NOT),
        (contract(input_schema=schema(kind={"type": "string", "description": "可选值 late/damaged"})), Rule.FREE_TEXT),
        (contract(input_schema=schema(start_date=TEXT)), Rule.FREE_TEXT),
        (contract(input_schema=schema(period=TEXT)), Rule.FREE_TEXT),
        (contract(input_schema=schema(amount={"type": "number", "description": "金额"})), Rule.NO_EXAMPLE),
        (contract(input_schema=schema(order_id={"type": "integer", "description": "订单"})), Rule.NO_EXAMPLE),
        (contract(input_schema=schema(keyword={"type": "string"})), Rule.NO_DESCRIPTION),
        (contract(input_schema=schema(filter={"type": "object", "description": "条件"})), Rule.OPEN_OBJECT),
        (contract(input_schema=schema(**{f"p{n}": TEXT for n in range(7)})), Rule.TOO_MANY),
        (contract(input_schema=schema(include_logistics={"type": "boolean", "default": True, "description": "明细"})), Rule.DETAIL_ON),
        (contract(name="delete_order", danger=None), Rule.DANGER),
        (contract(name="delete_order", danger=Danger.WRITE), Rule.DANGER_LOW),
        (contract(danger=Danger.WRITE), Rule.NOT_IDEMPOTENT),
        (contract(danger=Danger.WRITE, fallback=Fallback(default={})), Rule.WRITE_FALLBACK),
        (contract(input_schema=schema(phone=EXAMPLE)), Rule.SENSITIVE),
        (contract(input_schema=schema(userId=EXAMPLE)), Rule.SENSITIVE),
        (contract(input_schema=schema(confirm_token=EXAMPLE)), Rule.SENSITIVE),
        (contract(sla_p95_ms=None), Rule.NO_SLA),
        (contract(sla_p95_ms=8_000), Rule.SLA_LOOSE),
        (contract(name="create_ticket", danger=Danger.WRITE, quotas=contract().quotas.__class__()), Rule.DAILY_QUOTA),
    ],
)  # fmt: skip
def test_a_rule_fires(changed: Contract, rule: Rule) -> None:
    assert (changed.name, rule) in rules_of(changed)


@pytest.mark.parametrize(
    "fine",
    [
        schema(keyword=TEXT),
        schema(**{f"p{n}": TEXT for n in range(6)}),
        schema(start_date={"type": "string", "format": "date", "description": "示例：2024-01-07"}),
        schema(kind={"type": "string", "enum": ["late", "damaged"]}),
        schema(include_logistics={"type": "boolean", "default": False, "description": "明细"}),
    ],
)
def test_what_is_well_written_is_left_alone(fine: dict[str, Any]) -> None:
    assert rules_of(contract(input_schema=fine)) == set()


def test_what_is_declared_sensitive_is_left_alone() -> None:
    declared = contract(input_schema=schema(phone=EXAMPLE), sensitive=frozenset({"phone"}))
    assert rules_of(declared) == set()
    other = schema(emailed={"type": "boolean", "description": "是否已通知"})
    assert rules_of(contract(input_schema=other)) == set()
    (finding,) = lint_contracts([contract(input_schema=schema(phone=EXAMPLE))])
    assert finding.suggestion("en") == 'Declare "sensitive": ["order_no", "phone"].'


def test_a_noun_before_a_lone_verb_is_no_prefix() -> None:
    seeds = [contract(name=name) for name in ("inventory_check", "query_order", "search_orders")]
    assert ("inventory_check", Rule.PREFIX) not in rules_of(*seeds)


def test_prefixes_are_one_style() -> None:
    mixed = [contract(name=name) for name in ("crm_query_customer", "crm_create_lead", "search_orders")]  # fmt: skip
    plain = [contract(name=name) for name in ("query_order", "crm_create_lead", "search_orders")]

    assert ("search_orders", Rule.PREFIX) in rules_of(*mixed)
    assert ("crm_create_lead", Rule.PREFIX) in rules_of(*plain)
    assert all(rule is not Rule.PREFIX for _, rule in rules_of(*mixed[:2]))


def test_near_duplicates_are_measured() -> None:
    one = contract(name="query_order_status")
    other = contract(name="query_order_state")
    far = contract(
        name="create_ticket", description="登记一张售后工单，写操作。", when=("东西坏了",)
    )

    (pair,) = alike_pairs([one, other, far])
    assert {pair.one, pair.other} == {"query_order_state", "query_order_status"}
    assert 0.75 <= pair.similarity <= 1
    (finding,) = [f for f in lint_contracts([one, other, far]) if f.rule is Rule.NEAR_DUPLICATE]
    assert f"{pair.similarity:.0%}" in finding.suggestion("en")


def test_every_rule_is_worded_in_both_languages_with_its_source() -> None:
    assert set(RULE_TEXTS) == set(Rule)
    for changed in (contract(name="svc_tk_v2_create", danger=None, when=(), when_not=None, description="x"),):  # fmt: skip
        for finding in lint_contracts([changed]):
            assert finding.source.startswith(("S3", "S4"))
            for language in ("zh", "en"):
                assert finding.reason(language)
                assert "{" not in finding.suggestion(language)


def test_the_worst_comes_first() -> None:
    found = lint_contracts([contract(name="delete_order", danger=None, when_not=None)])
    assert found[0].rule is Rule.DANGER
