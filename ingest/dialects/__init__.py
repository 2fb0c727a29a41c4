"""Dialects: how frameworks write down what their agents do.

A dialect is one module with a table of attribute names and a `DIALECT`; it sees one span and says
what it claims. Several may claim one span (double instrumentation is common): the first that names
a role gives it, then all read the span in that role and their claims are merged, the earlier one in
`DIALECTS` heard first. Nothing here looks at a second span.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ingest.dialects import (
    claude_code,
    codex,
    genai,
    haystack,
    langfuse,
    langsmith,
    logfire,
    mcp,
    mlflow,
    openinference,
    platforms,
    pydantic_ai,
    toolsight,
    traceloop,
    vercel_ai,
)
from ingest.dialects.claim import Claim, merge
from ingest.dialects.genai import read_log
from ingest.dialects.names import Dialect
from ingest.dialects.unnamed import guess_role
from ingest.dialects.view import SpanView
from pipeline.vocabulary import Role

DIALECTS: Final[Sequence[Dialect]] = (
    toolsight.DIALECT,
    pydantic_ai.DIALECT,
    claude_code.DIALECT,
    codex.DIALECT,
    platforms.AG2,
    langfuse.DIALECT,
    openinference.DIALECT,
    genai.DIALECT,
    logfire.DIALECT,
    traceloop.DIALECT,
    platforms.GENKIT,
    vercel_ai.DIALECT,
    mlflow.DIALECT,
    langsmith.DIALECT,
    platforms.LAMINAR,
    haystack.DIALECT,
    platforms.FLUE,
    platforms.LIVEKIT,
    mcp.DIALECT,
)
"""In order of precedence for the role of a span; the fields are united."""

_PREFIXES: Final = tuple(
    prefix for dialect in DIALECTS if (prefix := dialect.names.span_prefix) is not None
)


def read_span(view: SpanView) -> tuple[Claim, list[str]]:
    """What all dialects together claim of a span, and which of them spoke."""
    name = view.span.name
    prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), None)
    spoken = _spoken(view.span.scope_name, prefix, view.keys)
    if not spoken:
        return Claim(), []
    role = next((role for item in spoken if (role := item.role(view)) is not None), None)
    role = role or guess_role(view) or Role.OTHER
    merged = merge([dialect.read(view, role) for dialect in spoken])
    merged.role = role
    return merged, [dialect.names.dialect for dialect in spoken]


@lru_cache(maxsize=1024)
def _spoken(scope: str | None, prefix: str | None, keys: str) -> tuple[Dialect, ...]:
    """The dialects of a span; one instrumentation writes the same names on span after span."""
    return tuple(dialect for dialect in DIALECTS if dialect.is_spoken(scope, prefix, keys))


__all__ = ["DIALECTS", "Claim", "SpanView", "read_log", "read_span"]
