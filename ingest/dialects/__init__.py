"""Dialects: how frameworks write down what their agents do.

A dialect is one module with a table of attribute names and a `DIALECT`; it sees one span and says
what it claims. Several may claim one span (double instrumentation is common): the first that names
a role gives it, then all read the span in that role and their claims are merged, the earlier one in
`DIALECTS` heard first. Nothing here looks at a second span.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

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


class Reading(NamedTuple):
    """What all dialects together claim of a span, and which of them spoke."""

    claim: Claim
    dialects: Sequence[str]


def read_spans(views: Sequence[SpanView]) -> list[Reading]:
    """The reading of each span, in their order.

    One step after the other over all of them: each finds its code in the processor's caches.
    """
    spoken = [_spoken(view.span.scope_name, _prefix(view.span.name), view.keys) for view in views]
    roles = list(map(_role, views, spoken))
    return list(map(_read, views, spoken, roles))


class _Spoken(NamedTuple):
    dialects: Sequence[Dialect]
    names: Sequence[str]


def _prefix(name: str) -> str | None:
    """With which of `_PREFIXES` the name of a span begins; with none for nearly all."""
    if not name.startswith(_PREFIXES):
        return None
    return next(prefix for prefix in _PREFIXES if name.startswith(prefix))


@lru_cache(maxsize=1024)
def _spoken(scope: str | None, prefix: str | None, keys: str) -> _Spoken:
    """The dialects of a span; one instrumentation writes the same names on span after span."""
    dialects = [dialect for dialect in DIALECTS if dialect.is_spoken(scope, prefix, keys)]
    return _Spoken(dialects, [dialect.names.dialect for dialect in dialects])


def _role(view: SpanView, spoken: _Spoken) -> Role | None:
    """The role of a span; None where no dialect speaks."""
    for dialect in spoken.dialects:
        if (role := dialect.role(view)) is not None:
            return role
    return (guess_role(view) or Role.OTHER) if spoken.dialects else None


def _read(view: SpanView, spoken: _Spoken, role: Role | None) -> Reading:
    if role is None:
        return Reading(Claim(), ())
    claim = merge([dialect.read(view, role) for dialect in spoken.dialects])
    claim.role = role
    return Reading(claim, spoken.names)


__all__ = ["DIALECTS", "Claim", "Reading", "SpanView", "read_log", "read_spans"]
