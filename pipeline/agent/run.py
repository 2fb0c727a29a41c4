"""One task under way: what was asked for, what came of it, and whether it goes in circles."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline.agent.steps import Steps
from pipeline.agent.task import Task
from pipeline.execution import Call, CallResult, Executor, TaskBudget
from pipeline.planning import Conversation, LoopGuard, PastStep, Situation, ToolRequest


@dataclass(slots=True)
class Run:
    """One task under way."""

    task: Task
    budget: TaskBudget
    conversation: Conversation
    loops: LoopGuard
    steps: Steps = field(default_factory=Steps)
    results: list[CallResult] = field(default_factory=list)

    def situation(self, executor: Executor) -> Situation:
        """What its planner is given."""
        past = [
            PastStep(result.call.tool, result.call.step_index, result.status.value)
            for result in self.results
        ]
        return Situation(self.conversation, executor.registry.offered(self.task.tools), past)

    def is_circling(self, calls: Sequence[Call]) -> bool:
        """Whether these calls come round again, or one is a step that has worked already."""
        for call in calls:
            self.loops.asks(call.tool, call.arguments)
        is_done = any(self.loops.has_done(call.step_index) for call in calls)
        return is_done or self.loops.period is not None

    def call(self, request: ToolRequest) -> Call:
        """A call that was asked for, numbered as a step."""
        return Call(
            self.task.task_id,
            self.steps.number(request.tool, request.arguments),
            request.tool,
            request.arguments,
            request.call_id,
            self.task.caller,
        )

    def settle(self, results: Sequence[CallResult]) -> None:
        """Keep what became of calls."""
        for result in results:
            self.steps.settle(result.call.step_index, result.status)
            if result.is_ok:
                self.loops.done(result.call.step_index)
        self.results += results
