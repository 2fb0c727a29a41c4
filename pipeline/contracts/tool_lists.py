"""Contracts as the tool lists of model providers: name, description and schema, nothing else.

Source: S3 §5.2 (`describe_all`); the request formats of OpenAI chat completions and Anthropic
messages; MCP `tools/list`; `gen_ai.tool.definitions` of the GenAI conventions.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from pipeline.contracts.model import Contract, Danger

ToolList: TypeAlias = list[dict[str, Any]]


def describe_all(contracts: Iterable[Contract]) -> ToolList:
    """`name`, `description`, `input_schema`."""
    return [
        {"name": c.name, "description": c.shown_description, "input_schema": dict(c.input_schema)}
        for c in contracts
    ]


def openai_tools(contracts: Iterable[Contract]) -> ToolList:
    """The `tools` of a chat completion."""
    return [
        {
            "type": "function",
            "function": {
                "name": c.name,
                "description": c.shown_description,
                "parameters": dict(c.input_schema),
            },
        }
        for c in contracts
    ]


def genai_tools(contracts: Iterable[Contract]) -> ToolList:
    """`gen_ai.tool.definitions`."""
    return [
        {
            "type": "function",
            "name": c.name,
            "description": c.shown_description,
            "parameters": dict(c.input_schema),
        }
        for c in contracts
    ]


def mcp_tools(contracts: Iterable[Contract]) -> ToolList:
    """The `tools` of a `tools/list` answer, with what is declared as annotations."""
    return [
        {
            "name": c.name,
            "description": c.shown_description,
            "inputSchema": dict(c.input_schema),
            **({} if c.danger is None else {"annotations": _annotations(c)}),
        }
        for c in contracts
    ]


def _annotations(contract: Contract) -> dict[str, bool]:
    return {
        "readOnlyHint": contract.danger is Danger.READ,
        "destructiveHint": contract.danger in (Danger.DELETE, Danger.BULK, Danger.MONEY),
        "idempotentHint": contract.may_repeat,
    }


TOOL_LISTS: Final[Mapping[str, Callable[[Iterable[Contract]], ToolList]]] = MappingProxyType(
    {"openai": openai_tools, "anthropic": describe_all, "mcp": mcp_tools, "genai": genai_tools}
)
"""By provider."""
