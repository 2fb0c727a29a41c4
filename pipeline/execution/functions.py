"""Plain Python functions as adapters."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from pipeline.execution.calls import Request


class FunctionAdapter:
    """Calls a function with the arguments as keywords.

    An ordinary function runs in a thread, which sees the trace of its caller; a coroutine function
    runs in the loop.

    Args:
        function: Raises `ToolError` for what the model is to know; any other exception is a bug
            of the tool, and fails this try alone.
        key_parameter: Name of the parameter that takes the idempotency key; None passes none.
    """

    def __init__(self, function: Callable[..., Any], *, key_parameter: str | None = None) -> None:
        self._function = function
        self._key_parameter = key_parameter
        self._is_async = inspect.iscoroutinefunction(function)

    async def __call__(self, request: Request) -> Any:
        """The function's answer; it raises what the function raises."""
        arguments = dict(request.arguments)
        if self._key_parameter is not None:
            arguments[self._key_parameter] = request.idempotency_key
        if self._is_async:
            return await self._function(**arguments)
        return await asyncio.to_thread(self._function, **arguments)
