"""Model Context Protocol spans of clients and servers (OpenTelemetry MCP conventions)."""

import re
from typing import Final

from ingest.dialects.claim import Claim, ToolSign
from ingest.dialects.names import Dialect, Names
from ingest.dialects.results import read_result
from ingest.dialects.values import text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, Role

NAME = "mcp"
_METHOD: Final = ("mcp.method.name",)
_SPAN_NAME: Final = re.compile(r"\btools/call (?P<tool>\S+)$")
"""The conventions name the span after method and tool; some clients name the tool only there."""


def role_of(view: SpanView) -> Role | None:
    """A tool for `tools/call`; every other method is no call."""
    return Role.TOOL if view.first(_METHOD) == "tools/call" else Role.OTHER


def read(view: SpanView, role: Role) -> Claim:
    """The claim of MCP; only `tools/call` is a call."""
    if role is not Role.TOOL or view.first(_METHOD) != "tools/call":
        return Claim(NAME)
    named = _SPAN_NAME.search(view.span.name)
    returned = read_result(view.first(("gen_ai.tool.call.result", "mcp.response.value")))
    failed = view.first(("error.type",)) == "tool_error" or returned.flag is CallStatus.ERROR
    sign = ToolSign(
        text(view.first(("gen_ai.tool.name", "mcp.tool.name"))) or (named and named["tool"]),
        None,
        view.first(("gen_ai.tool.call.arguments", "mcp.request.argument")),
        returned.result,
        CallStatus.ERROR if failed else None,
    )
    return Claim(NAME, tool=sign)


DIALECT: Final = Dialect(Names(NAME, marks=("mcp.method.name",)), role_of, read)
