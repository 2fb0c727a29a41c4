"""The agent loop: one trace a task, steps that keep their keys, stops that say why."""

import json
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.trace import format_trace_id

from pipeline import attributes as names
from pipeline.agent import CALL_LIMIT, LOOP, MODEL_DOWN, NO_PLAN, Agent, Observing, Task, TaskResult
from pipeline.agent.run import Run
from pipeline.contracts import Contract, Registry
from pipeline.execution import Call, CallResult, Executor, Partial, TaskBudget
from pipeline.guard import BatchRule, Guard
from pipeline.observation import Context
from pipeline.planning import (
    Conversation,
    FunctionPlanner,
    JsonPlanner,
    LoopGuard,
    ModelError,
    Plan,
    Planner,
    Situation,
    Step,
    ToolCallPlanner,
)
from pipeline.vocabulary import CallStatus
from sample_traces.virtual_loop import run_virtually
from tests.contract_samples import contract
from tests.faulty_system import FaultySystem, Recorded
from tests.scripted import ScriptedModel, calls, says

ORDER_NO = "202611200815"
ORDER = {"order_id": ORDER_NO, "status": "shipped", "estimated_delivery": "2026-11-22"}
PLAIN = contract(sensitive=frozenset(), returns=None, fallback=None, timeout_seconds=3.0)
SEARCH = contract(
    name="search_orders", sensitive=frozenset(), returns=None, fallback=None,
    input_schema={"type": "object", "properties": {"keyword": {"type": "string"}}},
)  # fmt: skip
ASK = ("query_order_status", {"order_no": ORDER_NO})


def run(
    model: ScriptedModel,
    systems: dict[str, FaultySystem] | None = None,
    recorded: Recorded | None = None,
    *,
    contracts: tuple[Contract, ...] = (PLAIN, SEARCH),
    is_json: bool = False,
    planner: Planner | None = None,
    **limits: Any,
) -> TaskResult:
    spans = recorded or Recorded()
    registry = Registry(contracts)
    known = systems or {"query_order_status": FaultySystem(answer=ORDER)}

    async def main() -> TaskResult:
        plans = planner or ToolCallPlanner(model, "你是客服助手。", spans.tracer)
        if is_json:
            plans = JsonPlanner(model, registry, tracer=spans.tracer)
        executor = Executor(
            registry, known, tracer=spans.tracer, jitter=lambda: 1.0, guard=Guard([BatchRule()])
        )
        observing = Observing(tracer=spans.tracer)
        agent = Agent(plans, executor, observing, tracer=spans.tracer, name="shop", **limits)
        context = Context(values={"target_order_id": ORDER_NO}, intent="track_delivery")
        task = Task("task-1", "我的订单到哪了", "app", "u-1", "c-1", context)
        return await agent.run(task)

    return run_virtually(main())


def test_a_task_is_one_trace_with_every_stage_in_it() -> None:
    model, recorded = ScriptedModel([calls(ASK), says("已发货。")]), Recorded()

    result = run(model, recorded=recorded)

    assert (result.answer, result.error_type) == ("已发货。", None)
    spans = recorded.spans()
    assert {span.context.trace_id for span in spans if span.context} == {int(result.trace_id or "", 16)}  # fmt: skip
    assert [span.name for span in sorted(spans, key=lambda s: s.start_time or 0)] == [
        "invoke_agent shop", "chat scripted-1", "execute_tool query_order_status", "attempt",
        "observe", "parse", "align", "render", "chat scripted-1",
    ]  # fmt: skip
    (root,) = recorded.spans("invoke_agent")
    told = dict(root.attributes or {})
    assert (told[names.TASK_ID], told[names.CALLER], told["user.id"]) == ("task-1", "app", "u-1")
    assert root.context is not None
    assert result.trace_id == format_trace_id(root.context.trace_id)


def test_the_model_reads_the_prompt_of_the_observation_and_not_the_raw_answer() -> None:
    model = ScriptedModel([calls(ASK), says("已发货。")])
    run(model)

    shown = model.asked[1].messages[-1]["parts"][0]["response"]
    assert "已发货" in shown
    assert "estimated_delivery" not in shown


def test_a_prompt_tells_that_there_is_more_than_it_says() -> None:
    model = ScriptedModel([calls(ASK), says("好")])
    run(model, {"query_order_status": FaultySystem(answer=Partial(ORDER))})

    shown = model.asked[1].messages[-1]["parts"][0]["response"]
    assert "已发货" in shown
    assert shown.endswith("还有更多，需要更精确的筛选条件。")


def test_independent_calls_are_one_observation_and_other_tools_are_shown_as_they_came() -> None:
    other = ("search_orders", {"keyword": "杯"})
    model = ScriptedModel([calls(ASK, ASK, other), says("好")])
    systems = {"query_order_status": FaultySystem(answer=ORDER), "search_orders": FaultySystem(answer={"total": 0})}  # fmt: skip

    recorded = Recorded()
    run(model, systems, recorded)

    (root,) = recorded.spans("invoke_agent")
    parents = {span.parent.span_id for span in recorded.spans("execute_tool") if span.parent}
    assert root.context is not None
    assert parents == {root.context.span_id}, "side by side, and all of one trace"
    first, second, third = (p["response"] for p in model.asked[1].messages[-1]["parts"])
    assert "已发货" in first
    assert second == "（结果已并入本轮第一条观察）"
    assert third == {"total": 0}


def test_a_repeat_of_a_failed_call_keeps_its_step_and_its_key() -> None:
    model = ScriptedModel(
        [calls(ASK, turn=0), calls(ASK, turn=1), calls(("search_orders", {"keyword": "x"})), says("好")]
    )  # fmt: skip
    system = FaultySystem(["404", "ok"], answer=ORDER)

    result = run(model, {"query_order_status": system, "search_orders": FaultySystem()})

    assert [r.call.step_index for r in result.results] == [0, 0, 1]
    assert len({request.idempotency_key for request in system.requests}) == 1


def test_a_loop_is_stopped_and_the_user_asked() -> None:
    model = ScriptedModel([calls(ASK), calls(("search_orders", {"keyword": "x"}))] * 6)
    systems = {"query_order_status": FaultySystem(), "search_orders": FaultySystem()}

    result = run(model, systems, max_calls=20)

    assert result.error_type == LOOP
    assert "循环" in result.answer
    assert len(result.results) == 5


def test_a_step_that_has_worked_is_a_loop_when_it_is_planned_again() -> None:
    done = Call("task-1", 0, *ASK)
    run_ = Run(Task("task-1", "x"), TaskBudget(0.0), Conversation(), LoopGuard())
    run_.settle([CallResult(done, CallStatus.OK, "{}")])

    assert run_.is_circling([done])
    assert not run_.is_circling([replace(done, step_index=1)])


def test_a_task_stops_at_its_call_cap_and_says_so() -> None:
    recorded = Recorded()
    lines = [calls(("search_orders", {"keyword": str(n)}), turn=n) for n in range(9)]
    system = FaultySystem()

    result = run(ScriptedModel(lines), {"search_orders": system}, recorded, max_calls=3)

    assert result.error_type == CALL_LIMIT
    assert len(system.requests) == 3
    (root,) = recorded.spans("invoke_agent")
    assert dict(root.attributes or {})["error.type"] == CALL_LIMIT
    many = ScriptedModel([calls(ASK, ASK, ASK, ASK)])
    assert run(many, max_calls=3).results == (), "none of a turn that is too many"


def test_a_model_that_is_down_and_a_plan_that_is_none_end_the_run() -> None:
    recorded = Recorded()
    down = ScriptedModel([ModelError("model gateway: service unavailable", "503")])

    assert run(down, recorded=recorded).error_type == MODEL_DOWN
    (chat,) = recorded.spans("chat")
    assert dict(chat.attributes or {})["error.type"] == "503"
    assert run(ScriptedModel([says("我想想")]), is_json=True).error_type == NO_PLAN


def test_a_planned_sequence_ends_at_its_first_failure() -> None:
    steps = [
        {"tool": "query_order_status", "params": {"order_no": ORDER_NO}, "reason": "查状态"},
        {"tool": "search_orders", "params": {"keyword": "杯"}, "reason": "再找"},
    ]
    later = FaultySystem()
    model = ScriptedModel([says(json.dumps(steps)), says("[]"), says("没查到。")])
    systems = {"query_order_status": FaultySystem(["404"]), "search_orders": later}

    result = run(model, systems, is_json=True)

    assert later.requests == []
    assert [r.status for r in result.results] == [CallStatus.ERROR]
    shown = [p["response"] for p in model.asked[1].messages[-1]["parts"]]
    assert shown[1] == "未执行：前一步失败。"
    assert "query_order_status_step1" in model.asked[1].instructions
    assert result.answer == "没查到。"


@pytest.mark.parametrize("is_async", [False, True])
def test_a_function_plans_and_answers(is_async: bool) -> None:
    def rules(situation: Situation) -> Plan | str:
        if not situation.past:
            return Plan((Step(*ASK, "查状态"),))
        return f"{situation.past[-1].label}: {situation.past[-1].status}"

    async def later(situation: Situation) -> Plan | str:
        return rules(situation)

    planner = FunctionPlanner(later if is_async else rules)
    result = run(ScriptedModel([]), planner=planner)

    assert result.answer == "query_order_status_step1: ok"
    assert [one.call.step_index for one in result.results] == [0]
    refusing = FunctionPlanner(lambda _: Plan((), "需求超出能力范围"))
    assert run(ScriptedModel([]), planner=refusing).answer == "需求超出能力范围"


def test_wrong_arguments_let_the_model_mend_them() -> None:
    wrong = ("query_order_status", {"order_no": "#1"})
    model = ScriptedModel([calls(wrong), calls(ASK), says("好")])

    result = run(model)

    assert [r.status for r in result.results] == [CallStatus.ERROR, CallStatus.OK]
    prompt = model.asked[1].messages[-1]["parts"][0]["response"]
    assert "order_no" in prompt
    assert "示例：202611200815" in prompt


@pytest.mark.parametrize("arguments", ["{not json", None, 3])
def test_arguments_that_are_no_object_are_an_error_and_no_crash(arguments: Any) -> None:
    model = ScriptedModel([calls(("query_order_status", arguments)), says("好")])

    (result,) = run(model).results
    assert result.status is CallStatus.ERROR
    assert "JSON" in result.text
