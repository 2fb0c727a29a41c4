"""No write happens twice in a task, whatever its model asks for again (S3 §4.1)."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.agent import Agent, Task, TaskResult
from pipeline.contracts import Contract, Danger, Registry
from pipeline.execution import ADVICE, Call, CallResult, Executor, TaskBudget
from pipeline.execution.repeats import UnknownWrites
from pipeline.guard import ConfirmationRule, Confirmations, DuplicateWriteRule, Guard
from pipeline.planning import ToolCallPlanner
from pipeline.vocabulary import CallStatus, ErrorClass
from sample_traces.virtual_loop import run_virtually
from tests.contract_samples import contract
from tests.faulty_system import FaultySystem, Recorded
from tests.scripted import ScriptedModel, calls, says

ORDER = {"order_no": "202611200815"}
OTHER = {"order_no": "202611200816"}
TOOL = "create_ticket"
READ = contract(name="query_order_status", sensitive=frozenset(), returns=None, fallback=None)


def writing(*, is_idempotent: bool = False, danger: Danger = Danger.WRITE) -> Contract:
    return replace(READ, name=TOOL, danger=danger, is_idempotent=is_idempotent)


def run(system: FaultySystem, known: Contract, *asked: Call) -> list[CallResult]:
    async def main() -> list[CallResult]:
        executor = Executor(Registry([known]), {TOOL: system}, jitter=lambda: 1.0)
        budget = TaskBudget(asyncio.get_running_loop().time(), seconds=1000, max_calls=99)
        return [await executor.run(call, budget) for call in asked]

    return run_virtually(main())


def call(step_index: int = 0, **changes: Any) -> Call:
    return replace(Call("task-1", step_index, TOOL, ORDER), **changes)


@pytest.mark.parametrize("word", ["slow", "500"])
@pytest.mark.parametrize("step_index", [0, 7])
def test_a_write_whose_outcome_is_unknown_is_not_sent_again(word: str, step_index: int) -> None:
    system = FaultySystem([word, "ok"], is_deduplicating=False)

    first, again = run(system, writing(), call(), call(step_index))

    assert first.error_class is again.error_class is ErrorClass.UNKNOWN_OUTCOME
    assert (again.status, again.n_attempts) == (CallStatus.ERROR, 0)
    assert again.text == ADVICE[ErrorClass.UNKNOWN_OUTCOME].zh
    assert len(system.effects) == 1


def test_other_arguments_and_other_tasks_are_other_writes_and_a_safe_one_may_come_again() -> None:
    for other in (call(1, arguments=OTHER), call(0, task_id="task-2")):
        first, second = run(FaultySystem(["slow", "ok"]), writing(), call(), other)
        assert (first.is_ok, second.is_ok) == (False, True)
    safe = writing(is_idempotent=True)
    first, second = run(FaultySystem(["slow"] * 4 + ["ok"]), safe, call(), call())
    assert (first.error_class, second.is_ok) == (ErrorClass.TIMEOUT, True)
    busy = run(FaultySystem(["503", "ok"]), writing(), call(), call())
    assert [result.is_ok for result in busy] == [False, True], "a 503 did nothing"


def test_a_write_that_was_cancelled_on_its_way_is_not_sent_again() -> None:
    system, recorded = FaultySystem(["slow", "ok"], is_deduplicating=False), Recorded()

    async def main() -> CallResult:
        executor = Executor(Registry([writing()]), {TOOL: system}, tracer=recorded.tracer)
        task = asyncio.create_task(executor.run(call(), TaskBudget(0.0)))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return await executor.run(call(), TaskBudget(0.0))

    assert run_virtually(main()).error_class is ErrorClass.UNKNOWN_OUTCOME
    assert len(system.effects) == 1


def test_nobody_is_asked_to_confirm_what_is_not_sent_again() -> None:
    asked: list[Call] = []
    confirmations = Confirmations(b"sixteen bytes or more", lambda: 1_000_000.0)

    async def confirm(call: Call) -> str:
        asked.append(call)
        return confirmations.issue(call)

    async def main() -> list[CallResult]:
        guard = Guard([ConfirmationRule(confirmations)], confirm=confirm)
        money = writing(danger=Danger.MONEY)
        executor = Executor(Registry([money]), {TOOL: FaultySystem(["slow"])}, guard=guard)
        return [await executor.run(call(step), TaskBudget(0.0)) for step in range(2)]

    first, again = run_virtually(main())
    assert first.error_class is again.error_class is ErrorClass.UNKNOWN_OUTCOME
    assert asked == [call(0)]


def test_the_oldest_are_forgotten_when_there_are_too_many() -> None:
    unknown = UnknownWrites(max_kept=2)
    for number in range(3):
        unknown.add(call(task_id=f"task-{number}"))

    assert [unknown.has(call(task_id=f"task-{n}")) for n in range(3)] == [False, True, True]


def ask(model: ScriptedModel, system: FaultySystem, known: Contract) -> TaskResult:
    """A task of a model under the rule against duplicate writes."""

    async def main() -> TaskResult:
        registry = Registry([known, READ])
        guard = Guard([DuplicateWriteRule()])
        systems = {TOOL: system, READ.name: FaultySystem()}
        executor = Executor(registry, systems, guard=guard, jitter=lambda: 1.0)
        agent = Agent(ToolCallPlanner(model, "x"), executor, max_calls=20, max_rounds=9)
        return await agent.run(Task("task-1", "登记工单", "app"))

    return run_virtually(main())


def test_the_same_write_as_a_new_step_is_stopped() -> None:
    model = ScriptedModel(
        [calls((TOOL, ORDER)), calls((READ.name, ORDER)), calls((TOOL, ORDER), (TOOL, OTHER)), says("好")]
    )  # fmt: skip
    system = FaultySystem()

    result = ask(model, system, writing(is_idempotent=True))

    assert [r.status for r in result.results] == [
        CallStatus.OK, CallStatus.OK, CallStatus.BLOCKED, CallStatus.OK,
    ]  # fmt: skip
    assert result.results[2].verdicts[-1].rule == "duplicate_write"
    assert len(system.effects) == 2


def test_a_failed_write_may_be_repeated_in_its_step_and_a_read_as_often_as_one_likes() -> None:
    rule, known = DuplicateWriteRule(), writing()
    for at in range(2):
        assert not rule.evaluate(call(3, call_id=f"c{at}"), known).is_hit
        rule.admitted(call(3, call_id=f"c{at}"), known)
    assert rule.evaluate(call(4), known).is_hit
    assert not rule.evaluate(call(4, task_id="task-2"), known).is_hit
    assert not rule.covers(READ)


ASKED = st.lists(
    st.sampled_from([(TOOL, ORDER), (READ.name, ORDER), (READ.name, OTHER)]), max_size=8
)
WORDS = st.lists(st.sampled_from(["ok", "slow", "500", "503", "refused"]), min_size=1, max_size=6)


@given(ASKED, WORDS, st.booleans())
@settings(max_examples=50)
def test_whatever_a_model_asks_for_again_a_write_has_one_effect(
    asked: list[tuple[str, dict[str, Any]]], words: list[str], is_idempotent: bool
) -> None:
    lines = [calls(one, turn=at) for at, one in enumerate(asked)]
    system = FaultySystem(words, is_deduplicating=is_idempotent)

    ask(ScriptedModel([*lines, says("好")]), system, writing(is_idempotent=is_idempotent))

    assert len(system.effects) <= 1
