"""Asks a tool of an MCP server through a session of the official client (`pip install mcp`)."""

from collections.abc import Awaitable, Mapping
from functools import partial
from typing import Any, Protocol

from pipeline.execution.calls import Request
from pipeline.execution.errors import ToolError
from pipeline.vocabulary import ErrorClass


class McpSession(Protocol):
    """What is needed of `mcp.ClientSession`."""

    def call_tool(self, name: str, arguments: dict[str, Any] | None = None) -> Awaitable[Any]:
        """The `tools/call` answer."""
        ...


class McpAdapter:
    """One tool of one server.

    Args:
        session: An initialised client session.
        name: The tool's name at the server; the contract's when None.
    """

    def __init__(self, session: McpSession, name: str | None = None) -> None:
        self._session = session
        self._name = name

    async def __call__(self, request: Request) -> Any:
        """`structuredContent` where the server gives it, else the text.

        Raises:
            ToolError: The server says that the tool failed. MCP has no classes: UPSTREAM, unless the
                contract's table knows the text.
        """
        name = self._name or request.contract.name
        answer = await self._session.call_tool(name, dict(request.arguments))
        text = "\n".join(filter(None, map(_text, _of(answer, "content") or ())))
        if _of(answer, "isError", "is_error"):
            raise _failure(request, text)
        structured = _of(answer, "structuredContent", "structured_content")
        return text if structured is None else structured


def _failure(request: Request, text: str) -> ToolError:
    for code, rule in request.contract.errors.items():
        if code in text:
            return ToolError(rule.error_class, code, error_type=code, advice=rule.advice)
    return ToolError(
        ErrorClass.UPSTREAM, "tool error", error_type="tool_error", may_have_happened=True
    )


def _of(value: Any, *names: str) -> Any:
    """The first that is there: the protocol's name, and the client's since its version 2."""
    read = value.get if isinstance(value, Mapping) else partial(getattr, value)
    return next((found for name in names if (found := read(name, None)) is not None), None)


def _text(part: Any) -> str | None:
    found = _of(part, "text")
    return found if isinstance(found, str) else None
