"""Plain Python functions as adapters."""

import asyncio
import inspect
import logging
from collections.abc import Callable
from typing import Any

from pipeline.execution.calls import Request
from pipeline.execution.errors import ToolError
from pipeline.vocabulary import ErrorClass

_log = logging.getLogger("pipeline.execution")


class FunctionAdapter:
    """Calls a function with the arguments as keywords.

    An ordinary function runs in a thread, which sees the trace of its caller; a coroutine function
    runs in the loop.

    Args:
        function: Raises `ToolError` for what the model is to know; any other exception is a bug
            of the tool and counts as UPSTREAM.
        key_parameter: Name of the parameter that takes the idempotency key; None passes none.
    """

    def __init__(self, function: Callable[..., Any], *, key_parameter: str | None = None) -> None:
        self._function = function
        self._key_parameter = key_parameter
        self._is_async = inspect.iscoroutinefunction(function)

    async def __call__(self, request: Request) -> Any:
        """The function's answer.

        Raises:
            ToolError: It failed.
        """
        arguments = dict(request.arguments)
        if self._key_parameter is not None:
            arguments[self._key_parameter] = request.idempotency_key
        try:
            if self._is_async:
                return await self._function(**arguments)
            return await asyncio.to_thread(self._function, **arguments)
        except (ToolError, TimeoutError):
            raise
        except Exception as error:  # a tool's bug must not end the task
            _log.warning("%s: %s", request.contract.name, type(error).__name__)
            raise ToolError(
                ErrorClass.UPSTREAM,
                type(error).__name__,
                error_type=type(error).__name__,
                may_have_happened=True,
            ) from error
