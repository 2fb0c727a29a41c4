"""Model Context Protocol spans of clients and servers (OpenTelemetry MCP conventions)."""

from ingest.dialects.claim import Claim, ToolSign
from ingest.dialects.values import text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, Role

NAME = "mcp"


def read(view: SpanView) -> Claim | None:
    """The claim of MCP; None for spans without a method. Only `tools/call` is a call."""
    method = text(view.first(("mcp.method.name",)))
    if method is None:
        return None
    if method != "tools/call":
        return Claim(NAME, Role.OTHER)
    failed = view.first(("error.type",)) == "tool_error"
    sign = ToolSign(
        text(view.first(("gen_ai.tool.name", "mcp.tool.name"))),
        None,
        view.first(("gen_ai.tool.call.arguments", "mcp.request.argument")),
        view.first(("gen_ai.tool.call.result", "mcp.response.value")),
        CallStatus.ERROR if failed else None,
    )
    return Claim(NAME, Role.TOOL, tool=sign)
