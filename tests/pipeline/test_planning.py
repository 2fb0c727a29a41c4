"""Planning: tools are looked up, plans are read strictly, circles are noticed."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contracts import Registry
from pipeline.planning import (
    Completion,
    Conversation,
    EndpointModel,
    JsonPlanner,
    LoopGuard,
    ModelError,
    ModelRequest,
    PastStep,
    PlanError,
    Retriever,
    Situation,
    ToolRequest,
    Turn,
    cycle_period,
    parse_plan,
)
from tests.contract_samples import contract
from tests.faulty_system import Recorded
from tests.scripted import ScriptedModel, says

QUERY = contract()
SEARCH = contract(
    name="search_orders",
    description="按商品名或手机尾号搜索订单，只读。",
    when=("找一下我买的保温杯",),
    when_not="已知订单号时不要用。",
    input_schema={
        "type": "object",
        "properties": {"keyword": {"type": "string", "description": "商品名"}},
        "required": ["keyword"],
    },
)
POINTS = contract(
    name="get_user_points",
    description="查询用户的积分余额与到期日，只读。",
    when=("我还有多少积分",),
    when_not="不要用来查优惠券。",
    input_schema={"type": "object", "properties": {"user_id": {"type": "string"}}},
)
STOCK = contract(name="inventory_check", description="查询各省库存，只读。", when=("库存还够吗",))
ALL = (QUERY, SEARCH, POINTS, STOCK)
GOOD = [{"tool": "search_orders", "params": {"keyword": "保温杯"}, "reason": "先定位订单"}]


@pytest.mark.parametrize(
    ("request_", "first"),
    [
        ("我的订单 202611200815 到哪了", "query_order_status"),
        ("帮我找一下上周买的保温杯", "search_orders"),
        ("我的积分还有多少", "get_user_points"),
        ("江苏的库存还够吗", "inventory_check"),
    ],
)
def test_the_tool_a_request_is_about_comes_first(request_: str, first: str) -> None:
    found = Retriever(Registry(ALL)).top(request_)

    assert found[0].name == first
    assert len(found) <= 3


def test_a_tool_is_found_by_what_its_parameters_are_for() -> None:
    kinds = {"type": "string", "enum": ["damaged"], "description": "问题类别，如破损、漏发"}
    ticket = contract(
        name="create_ticket",
        description="登记一张售后工单，写操作。",
        when=(),
        input_schema={"type": "object", "properties": {"kind": kinds}},
    )
    retriever = Retriever(Registry([QUERY, POINTS, ticket]))
    assert retriever.top("包裹破损")[0].name == "create_ticket"
    assert retriever.top("it is damaged")[0].name == "create_ticket"


def test_a_task_with_few_tools_is_told_of_them_and_of_no_others() -> None:
    model = ScriptedModel([says("[]"), says("好")])
    conversation = Conversation("c-1")
    conversation.say("我的积分还有多少")

    planner = JsonPlanner(model, Registry(ALL))
    asyncio.run(planner.plan(Situation(conversation, [STOCK])))

    tools = model.asked[0].instructions
    assert "inventory_check" in tools, "the best of those on offer, not of the whole catalogue"
    assert "get_user_points" not in tools


def test_a_new_contract_is_found_without_a_restart() -> None:
    registry = Registry([QUERY])
    retriever = Retriever(registry)
    assert [c.name for c in retriever.top("我的积分还有多少")] == ["query_order_status"]
    registry.replace(ALL)
    assert retriever.top("我的积分还有多少")[0].name == "get_user_points"
    assert Retriever(Registry([])).top("x") == ()


def test_a_plan_is_read_with_its_reasons() -> None:
    plan = parse_plan(json.dumps(GOOD), ALL)

    assert [(step.tool, step.reason) for step in plan.steps] == [("search_orders", "先定位订单")]
    assert parse_plan("[]", ALL).is_done
    refusal = [{"tool": "unavailable", "params": {}, "reason": "需求超出能力范围"}]
    assert parse_plan(json.dumps(refusal), ALL).unavailable == "需求超出能力范围"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("好的，计划如下：[]", "no JSON"),
        ("```json\n[]\n```", "no JSON"),
        ('{"tool": "x"}', "expected a JSON array"),
        ("[1]", r"\[0\]: expected an object"),
        ('[{"tool": "search_orders", "params": {"keyword": "x"}}]', "reason: missing"),
        (json.dumps([{**GOOD[0], "step": 1}]), "step: no such field"),
        (json.dumps([{**GOOD[0], "tool": "crm_lookup"}]), "crm_lookup.*expected one of"),
        (json.dumps([{**GOOD[0], "params": {"region_code": 1}}]), "region_code"),
        (json.dumps([{**GOOD[0], "params": []}]), "JSON 对象"),
        (json.dumps([{**GOOD[0], "reason": "长" * 61}]), "reason"),
        (json.dumps(GOOD * 11), "at most 10"),
        ("[" * 100_000, "characters"),
    ],
)
def test_what_is_no_plan_is_refused_with_what_is_wrong(text: str, told: str) -> None:
    with pytest.raises(PlanError, match=told):
        parse_plan(text, ALL)


@given(st.text(max_size=200))
def test_any_text_is_a_plan_or_refused(text: str) -> None:
    try:
        plan = parse_plan(text, ALL)
    except PlanError as error:
        assert error.problems  # noqa: PT017
    else:
        assert text.strip() == "[]" or plan.steps


def plan(model: ScriptedModel, recorded: Recorded | None = None, past: Any = ()) -> Turn:
    conversation = Conversation("c-1")
    conversation.say("帮我找一下上周买的保温杯")
    planner = JsonPlanner(model, Registry(ALL), tracer=(recorded or Recorded()).tracer)
    return asyncio.run(planner.plan(Situation(conversation, ALL, past)))


def test_a_plan_becomes_calls_and_the_span_tells_them() -> None:
    model, recorded = ScriptedModel([says(json.dumps(GOOD))]), Recorded()
    past = [PastStep("sales_summary", 0, "ok")]

    turn = plan(model, recorded, past)

    (request,) = turn.requests
    assert (request.tool, request.arguments, request.reason) == (
        "search_orders", {"keyword": "保温杯"}, "先定位订单",
    )  # fmt: skip
    assert "sales_summary_step1" in model.asked[0].instructions
    assert "search_orders" in model.asked[0].instructions
    (span,) = recorded.spans("chat scripted-1")
    output = json.loads(str(dict(span.attributes or {})["gen_ai.output.messages"]))
    assert [part["type"] for part in output[0]["parts"]] == ["text", "tool_call"]


def test_a_plan_of_wrong_form_is_asked_for_twice_more() -> None:
    model = ScriptedModel([says("好的"), says("[1]"), says(json.dumps(GOOD))])

    assert plan(model).requests[0].tool == "search_orders"
    assert len(model.asked) == 3
    reminder = model.asked[1].messages[-1]["parts"][0]["content"]
    assert "请严格按以下格式输出" in reminder
    never = ScriptedModel([says("好的")])
    with pytest.raises(PlanError, match="no JSON"):
        plan(never)
    assert len(never.asked) == 3


def test_nothing_left_to_do_asks_for_the_answer_and_no_tool_says_why() -> None:
    assert plan(ScriptedModel([says("[]"), says("没有找到。")])).completion.text == "没有找到。"
    refusal = [{"tool": "unavailable", "params": {}, "reason": "需求超出能力范围"}]
    turn = plan(ScriptedModel([says(json.dumps(refusal))]))
    assert (turn.requests, turn.completion.text) == ((), "需求超出能力范围")


@pytest.mark.parametrize(
    ("asked", "period"),
    [("aaa", 1), ("ababab", 2), ("xyabcabcabc", 3), ("aab", None), ("abab", None), ("", None)],
)
def test_a_cycle_is_seen_by_what_is_asked_for(asked: str, period: int | None) -> None:
    assert cycle_period(list(asked)) == period


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), min_size=1, max_size=6))  # fmt: skip
def test_three_equal_rounds_are_always_a_cycle(before: list[str], round_: list[str]) -> None:
    period = cycle_period([*before, *round_ * 3])
    assert period is not None
    assert period <= len(round_)


def test_a_step_that_worked_is_not_run_again() -> None:
    guard = LoopGuard()
    guard.done(3)
    assert guard.has_done(3)
    assert not guard.has_done(4)


def endpoint(answer: httpx.Response | Exception) -> tuple[Completion, dict[str, Any]]:
    """What an endpoint's answer becomes, and what it was sent."""
    sent: dict[str, Any] = {}

    def respond(request: httpx.Request) -> httpx.Response:
        sent.update(json.loads(request.content), authorization=request.headers["authorization"])
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def main() -> Completion:
        async with httpx.AsyncClient(transport=httpx.MockTransport(respond)) as client:
            model = EndpointModel("m-1", "http://model.example/v1", client, "k3y")
            conversation = Conversation()
            conversation.say("到哪了")
            request = ToolRequest("query_order_status", {"order_no": "1"}, "call_1")
            conversation.add(Completion(requests=(request,)))
            conversation.show([("call_1", {"status": "shipped"})])
            return await model.complete(ModelRequest("系统", conversation.messages, ALL))

    return asyncio.run(main()), sent


def test_an_endpoint_is_asked_and_read_as_openai_has_it() -> None:
    call = {"id": "c9", "type": "function", "function": {"name": "search_orders", "arguments": '{"keyword": "x"}'}}  # fmt: skip
    body = {
        "id": "r-1",
        "model": "m-1-large",
        "choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}},
    }  # fmt: skip
    found, sent = endpoint(httpx.Response(200, json=body))

    assert found.requests == (ToolRequest("search_orders", {"keyword": "x"}, "c9"),)
    assert (found.usage.input_tokens, found.usage.cached_tokens) == (9, 3)
    assert [message["role"] for message in sent["messages"]] == [
        "system", "user", "assistant", "tool",
    ]  # fmt: skip
    assert sent["messages"][3] == {"role": "tool", "tool_call_id": "call_1", "content": '{"status":"shipped"}'}  # fmt: skip
    assert len(sent["tools"]) == 4
    assert sent["authorization"] == "Bearer k3y"


@pytest.mark.parametrize(
    ("answer", "error_type"),
    [
        (httpx.Response(503), "503"),
        (httpx.Response(200, json={"choices": []}), "shape"),
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.ConnectError("no"), "connection"),
    ],
)
def test_an_endpoint_that_does_not_answer_is_told_by_type(
    answer: httpx.Response | Exception, error_type: str
) -> None:
    with pytest.raises(ModelError) as caught:
        endpoint(answer)
    assert caught.value.error_type == error_type
    assert "k3y" not in str(caught.value)
