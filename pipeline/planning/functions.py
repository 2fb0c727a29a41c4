"""Planners that are no model: a rule engine where compliance wants one, a script (S4 §2.2)."""

import inspect
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from pipeline.planning.conversation import Completion
from pipeline.planning.plan import Plan
from pipeline.planning.planners import Situation, Turn, requests_of

Planned: TypeAlias = Plan | str
"""The steps to take, or the answer."""


class FunctionPlanner:
    """Any function as planner. No model is asked, so there is no `chat` span.

    Args:
        function: Given what the task has seen so far; may be a coroutine function.
        is_parallel: Whether the steps of one plan do not depend on each other.
    """

    def __init__(
        self,
        function: Callable[[Situation], Planned | Awaitable[Planned]],
        *,
        is_parallel: bool = False,
    ) -> None:
        self._function = function
        self._is_parallel = is_parallel

    async def plan(self, situation: Situation) -> Turn:
        """See `Planner`; it raises what the function raises."""
        found = self._function(situation)
        planned = await found if inspect.isawaitable(found) else found
        if isinstance(planned, str):
            return Turn(Completion(planned), is_parallel=False)
        requests = requests_of(situation, planned.steps)
        return Turn(Completion(planned.unavailable or "", requests), self._is_parallel)
