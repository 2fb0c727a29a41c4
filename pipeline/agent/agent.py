"""The agent loop: plan, guard, execute, observe, answer; one trace a task (S3 §2.1, S4 §2.2)."""

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pipeline import attributes as names
from pipeline.agent.observing import Observer, Observing
from pipeline.agent.run import Run
from pipeline.agent.task import Task, TaskResult
from pipeline.execution import BudgetError, Call, CallResult, Executor, TaskBudget
from pipeline.execution.budget import MAX_CALLS, TASK_SECONDS
from pipeline.planning import (
    Conversation,
    LoopGuard,
    ModelError,
    PlanError,
    Planner,
    Turn,
)

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

CALL_LIMIT: Final = "CallLimitExceeded"
LOOP: Final = "LoopDetected"
MODEL_DOWN: Final = "ModelUnavailable"
NO_PLAN: Final = "PlanInvalid"
_STOPPED: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        CALL_LIMIT: (
            "本任务的调用次数或时间已达上限，已中止并上报。",
            "This task has used up its calls or its time; it was stopped and reported.",
        ),
        LOOP: (
            "检测到潜在循环调用，请确认需求。",
            "The same calls came round again and again; please say what you need.",
        ),
        MODEL_DOWN: (
            "模型暂不可用，请稍后再试。",
            "The model does not answer; please try again later.",
        ),
        NO_PLAN: (
            "未能理解该需求，请换一种说法。",
            "The request could not be planned; please put it another way.",
        ),
    }
)


class Agent:
    """Runs tasks; one for a whole process.

    Args:
        planner: Decides what to do next.
        executor: Does it; its registry says what is on offer.
        observing: What the model is shown of results.
        name: As spans carry it.
        tracer: Where the root of each trace goes; the global provider's when None.
        language: Of what a stopped run answers, `zh` or `en`.
        max_calls: Of one task.
        task_seconds: Of one task, the model's time included.
        max_rounds: Equal rounds of calls after which a run is stopped; see `LoopGuard`.
    """

    def __init__(
        self,
        planner: Planner,
        executor: Executor,
        observing: Observer | None = None,
        *,
        name: str = "agent",
        tracer: "Tracer | None" = None,
        language: str = "zh",
        max_calls: int = MAX_CALLS,
        task_seconds: float = TASK_SECONDS,
        max_rounds: int = 3,
    ) -> None:
        self._planner = planner
        self._executor = executor
        self._observing = observing or Observing(language=language)
        self._name = name
        self._tracer = tracer or _default_tracer()
        self._language = language
        self._limits = {"max_calls": max_calls, "seconds": task_seconds}
        self._max_rounds = max_rounds

    async def run(self, task: Task) -> TaskResult:
        """Runs a task to its end, whatever that is."""
        from opentelemetry.trace import Status, StatusCode

        with self._tracer.start_as_current_span(
            f"invoke_agent {self._name}",
            attributes=self._root_attributes(task),
            record_exception=False,
            set_status_on_exception=False,
        ) as root:
            run = self._new_run(task)
            try:
                answer, error_type = await self._turns(run)
            except BaseException as error:
                root.set_status(Status(StatusCode.ERROR, type(error).__name__))
                root.set_attribute("error.type", type(error).__name__)
                raise
            if error_type is not None:
                root.set_status(Status(StatusCode.ERROR, error_type))
                root.set_attribute("error.type", error_type)
            return TaskResult(task, answer, tuple(run.results), error_type, _trace_id(root))

    async def _turns(self, run: Run) -> tuple[str, str | None]:
        """Turn after turn: the answer, or what a stopped run tells, and why it stopped."""
        try:
            while not run.budget.is_spent:
                turn = await self._planned(run)
                run.conversation.add(turn.completion)
                if not turn.requests:
                    return turn.completion.text, None
                calls = [run.call(request) for request in turn.requests]
                if run.is_circling(calls):
                    return self._stopped(LOOP)
                await self._take(run, calls, is_parallel=turn.is_parallel)
        except BudgetError:
            return self._stopped(CALL_LIMIT)
        except ModelError:
            return self._stopped(MODEL_DOWN)
        except PlanError:
            return self._stopped(NO_PLAN)
        return self._stopped(CALL_LIMIT)

    async def _planned(self, run: Run) -> Turn:
        """What to do next, within the task's time.

        Raises:
            BudgetError: The planner was not done when the time was up.
        """
        left = run.budget.remaining_seconds(asyncio.get_running_loop().time())
        limit = asyncio.timeout(left)
        try:
            async with limit:
                return await self._planner.plan(run.situation(self._executor))
        except TimeoutError as error:
            if not limit.expired():  # the planner's own
                raise
            raise BudgetError("time: the task's budget is used up; report it") from error

    async def _take(self, run: Run, calls: Sequence[Call], *, is_parallel: bool) -> None:
        """Makes the calls of one turn, and shows the model what came of them.

        Calls that may depend on each other go one after the other, and the first that fails ends the
        turn: the model decides anew with what it knows then. Where the budget ends in the midst of
        them, what was done is kept.
        """
        results: list[CallResult] = []
        try:
            if is_parallel:
                results = await self._executor.run_all(calls, run.budget)
            else:
                for call in calls:
                    results.append(await self._executor.run(call, run.budget))
                    if not results[-1].is_ok:
                        break
        except BudgetError as error:
            results += error.results
            raise
        finally:
            run.settle(results)
        shown = self._observing.show(results, run.task.context)
        missing = [_not_run(self._language) for _ in calls[len(results) :]]
        ids = [call.call_id for call in calls]
        run.conversation.show(zip(ids, [*shown.responses, *missing], strict=True))

    def _new_run(self, task: Task) -> Run:
        start = asyncio.get_running_loop().time()
        budget = TaskBudget(
            start, max_calls=int(self._limits["max_calls"]), seconds=self._limits["seconds"]
        )
        conversation = Conversation(task.conversation_id)
        conversation.say(task.text)
        return Run(task, budget, conversation, LoopGuard(self._max_rounds))

    def _stopped(self, error_type: str) -> tuple[str, str]:
        zh, en = _STOPPED[error_type]
        return (zh if self._language == "zh" else en), error_type

    def _root_attributes(self, task: Task) -> dict[str, str]:
        values = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self._name,
            "gen_ai.conversation.id": task.conversation_id,
            "user.id": task.user_id,
            names.TASK_ID: task.task_id,
            names.CALLER: task.caller or None,
        }
        return {name: value for name, value in values.items() if value is not None}


def _not_run(language: str) -> str:
    return "未执行：前一步失败。" if language == "zh" else "Not run: the step before it failed."


def _trace_id(root: "Span") -> str | None:
    context = root.get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else None


def _default_tracer() -> "Tracer":
    from opentelemetry import trace

    return trace.get_tracer("pipeline.agent")
