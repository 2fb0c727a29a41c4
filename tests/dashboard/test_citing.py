"""Cases of decisions that rest on what a draft changes."""

import json

import pytest

from dashboard.tuning.citing import citing_cases
from pipeline.observation import FragmentKind, ValueType, load_rules, package_rule_texts
from pipeline.replay import Case, CaseKind, Gold, Passage, Recorded
from replay_store.backtest_change import Change, Said
from replay_store.backtest_impact import ChangeClass, PromptPair

BASE = package_rule_texts()
SHIPPED = ("shipped: {zh: 已发货, en: Shipped}", "shipped: {zh: 已寄出, en: Sent}")
BASE_RULES = load_rules(BASE)
DRAFT_RULES = load_rules({**BASE, "order_status.yaml": BASE["order_status.yaml"].replace(*SHIPPED)})
NONE = Gold("NO_CALL")
ANSWER = json.dumps({"order_id": "1", "status": "shipped"})


def said(value: str | None, zh: str, en: str, kind: FragmentKind = FragmentKind.FACT) -> Said:
    words = (("en", en), ("zh", zh))
    return Said(kind, ValueType.ENUM, value, words, None, None, 0.98)


NUMBER = Said(FragmentKind.FACT, ValueType.NUMBER, None, (), None, None, 1.0)
SENT = said("shipped", "已寄出", "Sent")


def changed(
    before: Said | None, fact_type: str = "STATUS", after: Said | None = SENT
) -> ChangeClass:
    change = Change(fact_type, before, after)
    return ChangeClass(change, 1, 1, (), PromptPair("", "", "", "", 0, 0))


WORDED = changed(said("shipped", "已发货", "Shipped"))
UNKNOWN = changed(Said(FragmentKind.UNKNOWN, ValueType.ENUM, None, (), '"x"', "unmapped", 0.3))


def decision(*passages: Passage, gold: Gold | None = NONE, is_retired: bool = False) -> Case:
    kind = CaseKind.DECISION
    return Case("a", kind, input=passages, gold=gold, is_retired=is_retired)


def shown(text: str, tool: str = "query_order_status") -> tuple[Passage, Passage]:
    return Passage("assistant", "{}", "call", tool), Passage("tool", text, "answer")


def cited(case: Case, *classes: ChangeClass) -> list[tuple[str, ...]]:
    found = citing_cases(classes, [case], BASE_RULES, DRAFT_RULES)
    return [item.fact_types for item in found]


@pytest.mark.parametrize(
    ("text", "classes", "facts"),
    [
        ("【订单状态】已发货\n【预计送达】2026-11-28", [WORDED], [("STATUS",)]),
        ("Order status: Shipped", [WORDED], [("STATUS",)]),
        ("【订单状态】已签收", [WORDED], []),
        ("Order status: Shippedlike", [WORDED], []),
        ("【预计送达】已发货", [WORDED], []),
        ("【订单状态】未知状态（取值未收录）", [UNKNOWN], [("STATUS",)]),
        ("【订单状态】已发货", [UNKNOWN], []),
        ("【订单状态】已寄出", [WORDED], [("STATUS",)]),
        ("【库存】5 件", [changed(NUMBER, "STOCK_LEVEL", NUMBER)], [("STOCK_LEVEL",)]),
        ("【订单状态】已发货", [], []),
    ],
)
def test_what_a_model_was_shown_cites_a_fact_by_its_name_and_what_was_said(
    text: str, classes: list[ChangeClass], facts: list[tuple[str, ...]]
) -> None:
    assert cited(decision(*shown(text)), *classes) == facts


def test_what_a_tool_answered_is_read_by_both_versions() -> None:
    assert cited(decision(*shown(ANSWER))) == [("STATUS",)]
    assert cited(decision(*shown(ANSWER, "search_orders"))) == []
    assert cited(decision(*shown(ANSWER.replace("shipped", "delivered")))) == []


def test_calls_of_one_turn_are_answered_in_their_order() -> None:
    calls = [Passage("assistant", "{}", "call", n) for n in ("search_orders", "query_order_status")]
    answers = [Passage("tool", text, "answer") for text in ("{}", ANSWER)]

    assert cited(decision(*calls, *answers)) == [("STATUS",)]
    assert cited(decision(*calls, *reversed(answers))) == []


def test_a_task_cites_what_its_tools_answered() -> None:
    body = {"order_id": "1", "status": "shipped"}
    case = Case(
        "a", CaseKind.END_TO_END, gold=NONE, recorded=(Recorded("query_order_status", body),)
    )

    assert cited(case) == [("STATUS",)]


@pytest.mark.parametrize("more", [{"gold": None}, {"is_retired": True}])
def test_cases_without_a_right_choice_and_retired_ones_are_passed_over(
    more: dict[str, bool | None],
) -> None:
    assert cited(decision(*shown(ANSWER), **more)) == []  # type: ignore[arg-type]


def test_a_text_that_is_a_pattern_or_markup_is_only_text() -> None:
    hostile = changed(said("(", "[", "*"))

    assert cited(decision(*shown("【订单状态】[ (a")), hostile) == [("STATUS",)]
