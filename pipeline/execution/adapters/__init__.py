"""Adapters: how the system behind a tool is asked, and its answer shaped (S3 §2.1).

Owns adapter files (HTTP), and MCP sessions. Plain functions: `pipeline.execution.FunctionAdapter`.
"""

from pipeline.execution.adapters.http import HttpAdapter
from pipeline.execution.adapters.mcp import McpAdapter, McpSession
from pipeline.execution.adapters.spec import (
    AdapterSpec,
    Paging,
    Parameter,
    parse_adapter,
    read_adapters,
)

__all__ = [
    "AdapterSpec",
    "HttpAdapter",
    "McpAdapter",
    "McpSession",
    "Paging",
    "Parameter",
    "parse_adapter",
    "read_adapters",
]
