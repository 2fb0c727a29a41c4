"""Cases played before and after a change: what breaks, what is mended, what nobody can judge."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from pipeline.observation import load_rules, package_rule_texts
from pipeline.replay import (
    Case,
    CaseKind,
    Chosen,
    Offered,
    ReplayError,
    case_from_json,
)
from pipeline.replay.choosers import FunctionChooser, LexicalChooser, RecordedChooser, Situation
from pipeline.replay.contracts import Contracts, changed_contracts, read_contracts
from pipeline.replay.gate import contract_gate
from pipeline.replay.outcome import Change, Compared, Outcome
from pipeline.replay.playing import compare
from pipeline.replay.setup import AS_RECORDED, Setup, play

SHIPPED = {"order_id": "202611200815", "status": "shipped", "estimated_delivery": "2026-11-28"}
SCHEMA = {
    "type": "object",
    "properties": {"order_no": {"type": "string"}},
    "required": ["order_no"],
}
DECISION: dict[str, Any] = {
    "case_id": "decision",
    "kind": "decision",
    "input": [{"role": "user", "text": "202611200815 的订单状态"}],
    "offered": [
        {"name": "query_order_status", "description": "查询订单状态", "input_schema": SCHEMA},
        {"name": "search_orders", "description": "按商品名搜索"},
    ],
    "chosen": {"tool": "query_order_status", "arguments": {"order_no": "202611200815"}},
    "gold": {
        "need": "CALL",
        "best": ["query_order_status"],
        "arguments": {"query_order_status": {"order_no": {"values": ["202611200815"]}}},
    },
}
OBSERVATION: dict[str, Any] = {
    "case_id": "observation",
    "kind": "observation",
    "context": {
        "query_time": "2026-11-20T00:00:12+00:00",
        "intent": "track_delivery",
        "primary": ["order", "202611200815"],
    },
    "recorded": [
        {
            "tool": "query_order_status",
            "version": "1.2.0",
            "received_at": "2026-11-20T00:00:00+00:00",
            "body": SHIPPED,
        }
    ],
    "expected": {
        "facts": [
            {
                "entity": "order:202611200815",
                "type": "STATUS",
                "source": "query_order_status.status",
                "value": "shipped",
            },
            {
                "entity": "order:202611200815",
                "type": "EST_DELIVERY",
                "source": "query_order_status.estimated_delivery",
                "value": ["date", "2026-11-28"],
            },
        ],
        "prompt": {"text": "【订单状态】已发货\n【预计送达】2026-11-28（信息新鲜度：12秒前）"},
    },
}
TASK: dict[str, Any] = {
    **DECISION,
    **OBSERVATION,
    "case_id": "task",
    "kind": "end_to_end",
    "recorded": [
        {**OBSERVATION["recorded"][0], "arguments": {"order_no": "202611200815"}},
    ],
    "expected": {"facts": OBSERVATION["expected"]["facts"]},
}
ADAPTER: dict[str, Any] = {
    "case_id": "adapter",
    "kind": "adapter",
    "recorded": [{"tool": "orders.upstream", "body": {"st": 3}, "arguments": {"status": 200}}],
    "expected": {"answer": {"status": "shipped"}},
}
CODE = Setup("code")


def _case(value: Mapping[str, Any], **more: Any) -> Case:
    return case_from_json({**value, **more})


def _rules(old: str, new: str) -> Setup:
    texts = {name: text.replace(old, new) for name, text in package_rule_texts().items()}
    assert texts != package_rule_texts()
    return Setup("changed rules", rules=load_rules(texts, version="changed"))


def _compared(case: Case, before: Setup, after: Setup) -> Compared:
    [found] = compare([case], before, after)
    return found


@pytest.mark.parametrize("value", [DECISION, OBSERVATION, TASK, ADAPTER], ids=lambda v: v["kind"])
def test_what_was_recorded_and_nothing_changed_stays_right(value: Mapping[str, Any]) -> None:
    found = _compared(_case(value), AS_RECORDED, CODE)
    assert (found.change, found.diff) == (Change.SAME_RIGHT, ())


def test_a_dictionary_without_a_word_breaks_the_observation_that_needs_it() -> None:
    found = _compared(_case(OBSERVATION), CODE, _rules("shipped", "shopped"))
    assert found.change is Change.BROKEN
    assert "the prompt is another one" in found.after.problems
    assert any(line.startswith("- prompt: 【订单状态】已发货") for line in found.diff)
    assert any(line.startswith("+ fact: ") and "UNKNOWN" in line for line in found.diff)


def test_a_dictionary_that_learns_a_word_mends_the_observation() -> None:
    body = SHIPPED | {"status": "refunding"}
    recorded = [{**OBSERVATION["recorded"][0], "body": body}]
    expected = {"prompt": {"text": OBSERVATION["expected"]["prompt"]["text"]}}
    case = _case(OBSERVATION, recorded=recorded, expected=expected)
    found = _compared(case, CODE, _rules("shipped", "refunding"))
    assert found.change is Change.FIXED
    assert found.after.facts is None


def test_a_fact_too_many_is_a_change_too() -> None:
    few = {"facts": OBSERVATION["expected"]["facts"][:1]}
    outcome = play(_case(OBSERVATION, expected=few), CODE)
    assert outcome.is_right is False
    [problem] = outcome.problems
    assert problem.startswith("not expected: order:202611200815 EST_DELIVERY")


def test_a_text_answer_that_looks_like_json_stays_a_text() -> None:
    recorded = [{"tool": "query_order_status", "body": "7"}]
    outcome = play(_case(OBSERVATION, recorded=recorded, expected={"facts": []}), CODE)
    assert outcome.facts is not None
    assert "FACT" not in "".join(outcome.facts)


def test_a_context_that_cannot_be_read_skips_the_case_and_says_so() -> None:
    outcome = play(_case(OBSERVATION, context={"query_time": "noon"}), CODE)
    assert outcome.is_right is None
    assert "context" in (outcome.skipped or "")


def test_a_contract_that_refuses_the_recorded_call_breaks_the_case_whoever_chooses() -> None:
    strict = {**SCHEMA, "properties": {"order_no": {"type": "string", "pattern": "^[0-9]{13}$"}}}
    changed = Contracts(
        {"query_order_status": Offered("query_order_status", "查询订单状态", strict)}
    )
    for chooser in (RecordedChooser(), LexicalChooser()):
        before, after = Setup("before", chooser), Setup("after", chooser, changed)
        found = _compared(_case(DECISION), before, after)
        assert found.change is Change.BROKEN
        assert any("refused now: order_no" in problem for problem in found.after.problems)


def test_a_contract_that_loses_its_words_leads_the_lexical_chooser_astray() -> None:
    changed = Contracts({"query_order_status": Offered("query_order_status", "干活")})
    before = Setup("before", LexicalChooser())
    found = _compared(_case(DECISION), before, replace(before, contracts=changed))
    assert found.change is Change.BROKEN
    assert found.diff[:2] == ("- tool: query_order_status", f"+ tool: {found.after.tool}")
    assert found.before.label != found.after.label


def test_a_tool_that_is_gone_is_no_longer_offered() -> None:
    gone = Contracts({}, frozenset({"query_order_status"}))
    found = _compared(_case(DECISION), CODE, Setup("after", RecordedChooser(), gone))
    assert found.change is Change.BROKEN
    assert any("not on offer any more" in problem for problem in found.after.problems)


def test_who_has_no_choice_to_give_skips_the_case() -> None:
    value = {name: part for name, part in DECISION.items() if name != "chosen"}
    found = _compared(_case(value), CODE, Setup("after", LexicalChooser()))
    assert found.change is Change.SKIPPED
    assert found.before.skipped == "recorded: no choice to give"


def test_a_chooser_that_fails_skips_the_case_and_says_why() -> None:
    wrong = FunctionChooser("mine", lambda _: 7)
    found = _compared(_case(DECISION), CODE, Setup("after", wrong))
    assert found.change is Change.SKIPPED
    assert "expected a tool's name" in (found.after.skipped or "")


def test_a_case_without_gold_cannot_be_judged() -> None:
    bare = replace(_case(DECISION), gold=None)
    assert play(bare, CODE).skipped == "nobody said what is right"
    assert play(replace(_case(TASK), gold=None), CODE).skipped == "nobody said what is right"


def test_an_adapter_is_held_against_the_recorded_answer() -> None:
    def changed(upstream: list[dict[str, Any]]) -> dict[str, str]:
        return {"status": {3: "shipped", 4: "done"}[upstream[0]["body"]["st"]]}

    def broken(upstream: list[dict[str, Any]]) -> dict[str, Any]:
        return {"status": upstream[0]["body"]["st"]}

    case = _case(ADAPTER)
    assert _compared(case, AS_RECORDED, Setup("a", adapter=changed)).change is Change.SAME_RIGHT
    found = _compared(case, AS_RECORDED, Setup("b", adapter=broken))
    assert found.change is Change.BROKEN
    assert found.diff == ('- answer: {"status": "shipped"}', '+ answer: {"status": 3}')


def _scripted(*calls: Chosen) -> FunctionChooser:
    return FunctionChooser(
        "scripted",
        lambda given: (
            {"tool": calls[given["step"]].tool, "arguments": calls[given["step"]].arguments}
            if given["step"] < len(calls)
            else None
        ),
    )


RIGHT = Chosen("query_order_status", {"order_no": "202611200815"})
TASKS: dict[str, tuple[tuple[Chosen, ...], str | None]] = {
    "the right call": ((RIGHT,), None),
    "open arguments fit any": ((Chosen("query_order_status"),), None),
    "the right call twice": ((RIGHT, RIGHT), None),
    "none at all": ((), "calls: none: expected query_order_status"),
    "a call that nobody recorded": (
        (Chosen("search_orders", {"keyword": "x"}),),
        'search_orders {"keyword":"x"}: no answer to this call is recorded',
    ),
    "other arguments": (
        (Chosen("query_order_status", {"order_no": "1"}),),
        "order_no: '1': expected '202611200815'",
    ),
    "without end": ((RIGHT,) * 20, "stopped after 6 calls"),
}


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_played_call_by_call_and_what_was_recorded_answers(name: str) -> None:
    calls, problem = TASKS[name]
    outcome = play(_case(TASK), Setup("x", _scripted(*calls)))
    assert outcome.is_right is (problem is None)
    if problem is not None:
        assert any(problem in told for told in outcome.problems)


def test_a_task_shows_the_model_what_the_pipeline_makes_of_an_answer() -> None:
    given: list[Situation] = []

    class Watching:
        name = "watching"

        def choose(self, situation: Situation) -> Chosen:
            given.append(situation)
            return RIGHT if situation.step == 0 else Chosen("NO_CALL")

    outcome = play(_case(TASK), Setup("x", Watching()))
    assert outcome.is_right
    call, answer = given[1].input[-2:]
    assert (call.kind, call.name) == ("call", "query_order_status")
    assert answer.text.startswith("【订单状态】已发货")


def test_calls_of_one_turn_may_come_in_any_order() -> None:
    gold = {"need": "CALL", "best": ["search_orders", "query_order_status"]}
    recorded = [{"tool": "search_orders"}, *TASK["recorded"]]
    calls = _scripted(RIGHT, Chosen("search_orders"))
    strict = _case(TASK, gold=gold, recorded=recorded)
    free = _case(TASK, gold=gold | {"is_ordered": False}, recorded=recorded)
    assert play(strict, Setup("x", calls)).is_right is False
    assert play(free, Setup("x", calls)).is_right is True


def test_no_call_where_none_was_right_is_right_and_a_forbidden_one_is_not() -> None:
    silent = _case(TASK, gold={"need": "NO_CALL"}, expected=None)
    assert play(silent, Setup("x", _scripted())).is_right is True
    assert play(silent, Setup("x", _scripted(RIGHT))).is_right is False
    gold = {"need": "CALL", "best": ["search_orders"], "forbidden": ["query_order_status"]}
    outcome = play(_case(TASK, gold=gold), Setup("x", _scripted(RIGHT)))
    assert "called query_order_status: forbidden" in outcome.problems


def test_retired_cases_are_left_out_and_order_and_progress_are_kept() -> None:
    cases = [_case(DECISION, case_id=f"c{n}", is_retired=n == 2) for n in range(5)]
    told: list[tuple[int, int]] = []
    found = compare(cases, CODE, CODE, on_progress=lambda done, total: told.append((done, total)))
    assert [item.case.case_id for item in found] == ["c0", "c1", "c3", "c4"]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


CHANGES = {
    (True, True): Change.SAME_RIGHT,
    (True, False): Change.BROKEN,
    (False, True): Change.FIXED,
    (False, False): Change.SAME_WRONG,
    (None, True): Change.SKIPPED,
    (True, None): Change.SKIPPED,
}


@pytest.mark.parametrize("pair", CHANGES)
def test_a_change_follows_from_before_and_after(pair: tuple[bool | None, bool | None]) -> None:
    before, after = pair
    found = Compared(_case(DECISION), Outcome(before), Outcome(after))
    assert found.change is CHANGES[pair]


def _contracts(folder: Path, **descriptions: str) -> Contracts:
    folder.mkdir()
    for name, description in descriptions.items():
        value = {"name": name, "description": description, "input_schema": SCHEMA, "quota": 3}
        (folder / f"{name}.json").write_bytes(orjson.dumps(value))
    return read_contracts(folder)


def test_contracts_are_read_by_what_a_model_sees_of_them(tmp_path: Path) -> None:
    found = _contracts(tmp_path / "one", query_order_status="查询订单状态")
    assert found.tools == {
        "query_order_status": Offered("query_order_status", "查询订单状态", SCHEMA, None)
    }


WRONG_CONTRACTS: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"{", "is no JSON"),
    "a list": (b"[]", "expected an object with a name"),
    "no name": (b"{}", "expected an object with a name"),
    "a description that is no text": (b'{"name": "a", "description": 1}', "description: expected"),
    "a schema that is none": (b'{"name": "a", "input_schema": []}', "input_schema: expected"),
}


@pytest.mark.parametrize("name", WRONG_CONTRACTS)
def test_a_file_that_is_no_contract_is_named(tmp_path: Path, name: str) -> None:
    data, sentence = WRONG_CONTRACTS[name]
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(ReplayError, match=rf"a\.json: .*{sentence}"):
        read_contracts(tmp_path)


def test_a_folder_without_contracts_and_two_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"no \*\.json file in it"):
        read_contracts(tmp_path)
    with pytest.raises(ReplayError, match="no such folder"):
        read_contracts(tmp_path / "none")
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_bytes(b'{"name": "same"}')
    with pytest.raises(ReplayError, match="name: same: another file has it too"):
        read_contracts(tmp_path)


def test_changes_of_contracts_are_what_a_model_sees_and_no_version_number(tmp_path: Path) -> None:
    base = _contracts(tmp_path / "base", a="one", b="two", c="three")
    head = _contracts(tmp_path / "head", a="one", b="other", d="new")
    found = {change.name: change.what for change in changed_contracts(base, head)}
    assert found == {"b": ("description",), "c": ("removed",), "d": ("added",)}
    newer = Contracts({name: replace(tool, version="9") for name, tool in base.tools.items()})
    assert list(changed_contracts(base, newer)) == []


def test_the_gate_is_open_when_nothing_changed_or_a_covered_change_breaks_nothing(
    tmp_path: Path,
) -> None:
    base = _contracts(tmp_path / "base", query_order_status="查询订单状态", search_orders="搜索")
    head = _contracts(
        tmp_path / "head", query_order_status="查询订单状态，只读", search_orders="搜索"
    )
    same = contract_gate(base, base, [_case(DECISION)], LexicalChooser())
    assert (same.changes, same.compared, same.is_open) == ((), (), True)
    found = contract_gate(base, head, [_case(DECISION)], LexicalChooser())
    assert (len(found.compared), found.is_open) == (1, True)


def test_the_gate_refuses_what_no_case_covers_and_what_breaks_one(tmp_path: Path) -> None:
    base = _contracts(tmp_path / "base", query_order_status="查询订单状态", search_orders="搜索")
    head = _contracts(tmp_path / "head", query_order_status="干活", search_orders="搜索订单状态")
    found = contract_gate(base, head, [_case(DECISION)], LexicalChooser())
    assert found.uncovered == ("search_orders",)
    assert [item.case.case_id for item in found.broken] == ["decision"]
    assert not found.is_open


def test_a_case_that_only_reads_outputs_covers_no_contract(tmp_path: Path) -> None:
    base = _contracts(tmp_path / "base", query_order_status="查询订单状态")
    head = _contracts(tmp_path / "head", query_order_status="查询订单")
    found = contract_gate(base, head, [_case(OBSERVATION)], LexicalChooser())
    assert found.uncovered == ("query_order_status",)
    assert _case(OBSERVATION).kind is CaseKind.OBSERVATION


def test_a_retired_case_covers_nothing(tmp_path: Path) -> None:
    base = _contracts(tmp_path / "base", query_order_status="查询订单状态")
    head = _contracts(tmp_path / "head", query_order_status="查询订单")
    retired = _case(DECISION, is_retired=True)
    assert contract_gate(base, head, [retired], LexicalChooser()).uncovered
