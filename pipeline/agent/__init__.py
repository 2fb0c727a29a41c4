"""The agent loop over planning, guard, execution and observation, instrumented as the pages read it.

`await Agent(planner, executor).run(Task("task-1", "订单到哪了"))`. Owns the loop and the numbering of
steps; refuses to know models or systems: they come as planner and executor.
"""

from pipeline.agent.agent import CALL_LIMIT, LOOP, MODEL_DOWN, NO_PLAN, Agent
from pipeline.agent.observing import MERGED, Observer, Observing, Shown
from pipeline.agent.steps import Steps
from pipeline.agent.task import Task, TaskResult
from pipeline.agent.toolbox import Toolbox

__all__ = [
    "CALL_LIMIT",
    "LOOP",
    "MERGED",
    "MODEL_DOWN",
    "NO_PLAN",
    "Agent",
    "Observer",
    "Observing",
    "Shown",
    "Steps",
    "Task",
    "TaskResult",
    "Toolbox",
]
