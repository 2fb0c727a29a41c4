"""What a task may use is never exceeded, nothing starts that cannot end, and nothing done is lost."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.trace import StatusCode

from pipeline import attributes as names
from pipeline.agent import CALL_LIMIT, Agent, Task, TaskResult
from pipeline.contracts import Contract, Danger, Fallback, Registry
from pipeline.execution import BudgetError, Call, CallResult, Executor, Request, TaskBudget
from pipeline.planning import (
    Completion,
    FunctionPlanner,
    JsonPlanner,
    ModelRequest,
    Planner,
    Situation,
    ToolCallPlanner,
    Turn,
)
from pipeline.vocabulary import ErrorClass
from sample_traces.virtual_loop import run_virtually
from tests.contract_samples import contract
from tests.faulty_system import FaultySystem, Recorded
from tests.scripted import ScriptedModel, calls, says

TOOL, CACHE = "query_order_status", "read_order_cache"
PLAIN: dict[str, Any] = {"sensitive": frozenset(), "returns": None, "timeout_seconds": 3.0}
READ = contract(**PLAIN, fallback=None)
WITH_CACHE = contract(**PLAIN, fallback=Fallback(tool=CACHE))
CACHED = contract(**PLAIN, name=CACHE, fallback=None)


def call(step_index: int = 0) -> Call:
    return Call("task-1", step_index, TOOL, {"order_no": "202611200815"})


def execute(
    systems: dict[str, Any], *known: Contract, seconds: float = 1000.0
) -> tuple[CallResult, float]:
    """One call with so much time left to its task; how long it took."""

    async def main() -> tuple[CallResult, float]:
        executor = Executor(Registry(known), systems, jitter=lambda: 1.0)
        result = await executor.run(call(), TaskBudget(0.0, seconds=seconds))
        return result, asyncio.get_running_loop().time()

    return run_virtually(main())


WORDS = st.lists(st.sampled_from(["ok", "late", "503", "refused"]), min_size=1, max_size=4)


@given(WORDS, WORDS, st.floats(0.01, 12.0), st.floats(0.0, 2.0))
@settings(max_examples=50)
def test_a_tool_that_stands_in_keeps_to_the_budget_of_call_and_task(
    words: list[str], stand_in: list[str], seconds: float, delay: float
) -> None:
    systems = {TOOL: FaultySystem(words), CACHE: FaultySystem(stand_in, delay_seconds=delay)}

    _, took = execute(systems, WITH_CACHE, CACHED, seconds=seconds)

    assert took <= min(8.0, seconds) + 1e-6


def test_whatever_a_tool_that_stands_in_raises_fails_the_call_and_not_the_task() -> None:
    async def buggy(request: Request) -> None:
        raise KeyError("10.0.0.7")

    result, _ = execute({TOOL: FaultySystem(["503"]), CACHE: buggy}, WITH_CACHE, CACHED)

    assert (result.error_class, result.degradation) == (ErrorClass.UPSTREAM, None)


def test_no_try_starts_that_has_no_time_to_end() -> None:
    system = FaultySystem()
    write = contract(**PLAIN, fallback=None, danger=Danger.WRITE, is_idempotent=False)

    async def main() -> tuple[list[CallResult], int]:
        executor = Executor(Registry([write]), {TOOL: system})
        found = [await executor.run(call(n), TaskBudget(0.0, seconds=0.1)) for n in range(4)]
        return found, executor.breakers.n_trips

    results, n_trips = run_virtually(main())
    assert {(r.error_class, r.n_attempts) for r in results} == {(ErrorClass.TIMEOUT, 0)}
    assert system.requests == []
    assert n_trips == 0, "nobody was asked, so nobody failed"


def test_calls_of_a_turn_that_were_made_before_the_time_was_up_are_told() -> None:
    system = FaultySystem(delay_seconds=1.0)

    async def main() -> BudgetError:
        executor = Executor(Registry([READ]), {TOOL: system})
        budget = TaskBudget(0.0, seconds=1.5, max_calls=20)
        with pytest.raises(BudgetError, match="time") as caught:
            await executor.run_all([call(step) for step in range(9)], budget)
        return caught.value

    made = run_virtually(main()).results
    assert [result.call.step_index for result in made] == list(range(len(made)))
    assert [result.is_ok for result in made[:4]] == [True] * 4
    assert len(made) == 8, "the second four ran into the end of the budget; none was cut off"


def run(
    planner: Planner, registry: Registry, system: Any, recorded: Recorded, **limits: Any
) -> TaskResult:
    async def main() -> TaskResult:
        executor = Executor(registry, {TOOL: system}, tracer=recorded.tracer)
        agent = Agent(planner, executor, tracer=recorded.tracer, **limits)
        return await agent.run(Task("task-1", "查一下"))

    return run_virtually(main())


def test_a_task_that_is_stopped_in_the_midst_of_a_plan_tells_what_it_has_done() -> None:
    numbers = [f"20261120081{n}" for n in range(3)]
    plan = [{"tool": TOOL, "params": {"order_no": one}, "reason": "查"} for one in numbers]
    registry = Registry([READ])
    planner = JsonPlanner(ScriptedModel([says(json.dumps(plan))]), registry)

    result = run(planner, registry, FaultySystem(), Recorded(), max_calls=2)

    assert result.error_type == CALL_LIMIT
    assert [one.call.arguments["order_no"] for one in result.results] == numbers[:2]


class _Slow(ScriptedModel):
    """Takes its time before each line."""

    async def complete(self, request: ModelRequest) -> Completion:
        await asyncio.sleep(40)
        return await super().complete(request)


def test_a_task_ends_at_its_budget_even_when_its_model_does_not_answer() -> None:
    recorded = Recorded()
    model = _Slow([calls((TOOL, dict(call().arguments))), says("好")])
    planner = ToolCallPlanner(model, "x", recorded.tracer)

    async def main() -> tuple[TaskResult, float]:
        executor = Executor(Registry([READ]), {TOOL: FaultySystem()})
        agent = Agent(planner, executor, tracer=recorded.tracer, task_seconds=60)
        result = await agent.run(Task("task-1", "查一下"))
        return result, asyncio.get_running_loop().time()

    result, seconds = run_virtually(main())

    assert (result.error_type, len(result.results)) == (CALL_LIMIT, 1)
    assert seconds == pytest.approx(60)
    told = [dict(span.attributes or {}).get("error.type") for span in recorded.spans("chat")]
    assert told == [None, "cancelled"]


def test_a_timeout_of_the_planners_own_is_no_end_of_the_budget() -> None:
    async def fails(situation: Situation) -> str:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        run(FunctionPlanner(fails), Registry([READ]), FaultySystem(), Recorded())


def test_a_task_that_breaks_says_so_on_its_root() -> None:
    class Broken:
        async def plan(self, situation: Situation) -> Turn:
            raise LookupError("of the caller's own")

    recorded = Recorded()
    with pytest.raises(LookupError):
        run(Broken(), Registry([READ]), FaultySystem(), recorded)
    (root,) = recorded.spans("invoke_agent")
    assert root.status.status_code is StatusCode.ERROR
    assert dict(root.attributes or {})["error.type"] == "LookupError"


@pytest.mark.parametrize(
    ("danger", "error_class"),
    [(Danger.READ, ErrorClass.TIMEOUT), (Danger.WRITE, ErrorClass.UNKNOWN_OUTCOME)],
)
def test_a_task_that_is_cancelled_says_so_on_each_span_that_was_open(
    danger: Danger, error_class: ErrorClass
) -> None:
    recorded, known = Recorded(), contract(**PLAIN, fallback=None, danger=danger)
    planner = ToolCallPlanner(ScriptedModel([calls((TOOL, dict(call().arguments)))]), "x")

    async def main() -> None:
        executor = Executor(
            Registry([known]), {TOOL: FaultySystem(["late"])}, tracer=recorded.tracer
        )
        agent = Agent(planner, executor, tracer=recorded.tracer)
        task = asyncio.create_task(agent.run(Task("task-1", "查一下")))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtually(main())
    told = {span.name: dict(span.attributes or {}) for span in recorded.spans()}
    assert told["invoke_agent agent"]["error.type"] == "CancelledError"
    for name in ("attempt", f"execute_tool {TOOL}"):
        assert told[name]["error.type"] == "cancelled"
        assert told[name][names.ERROR_CLASS] == error_class.value
