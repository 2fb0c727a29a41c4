"""Dialects: how frameworks write down what their agents do.

A dialect is one module with a `NAME` and a `read(view) -> Claim | None`; it sees one span and says
what it claims. Several may claim one span (double instrumentation is common): their claims are
merged, the earlier one in `DIALECTS` heard first. Nothing here looks at a second span.
"""

from collections.abc import Callable, Sequence
from typing import Final

from ingest.dialects import genai, mcp, openinference, pydantic_ai, toolsight
from ingest.dialects.claim import Claim, merge
from ingest.dialects.view import SpanView

DIALECTS: Final[Sequence[tuple[str, Callable[[SpanView], Claim | None]]]] = (
    (toolsight.NAME, toolsight.read),
    (pydantic_ai.NAME, pydantic_ai.read),
    (openinference.NAME, openinference.read),
    (genai.NAME, genai.read),
    (mcp.NAME, mcp.read),
)
"""In order of precedence for the role of a span; the fields are united."""


def read_span(view: SpanView) -> tuple[Claim, list[str]]:
    """What all dialects together claim of a span, and which of them spoke."""
    claims = [claim for _, read in DIALECTS if (claim := read(view)) is not None]
    return merge(claims), [claim.dialect for claim in claims]


__all__ = ["DIALECTS", "Claim", "SpanView", "read_span"]
