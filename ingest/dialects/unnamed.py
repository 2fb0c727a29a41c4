"""The role of a span whose dialects name none: by the attributes that only one kind carries."""

from collections.abc import Mapping
from typing import Final

from ingest.dialects import genai
from ingest.dialects.values import Keys
from ingest.dialects.view import SpanView
from pipeline.vocabulary import Role

_TOOL: Final[Keys] = ("tool.name", "ai.toolCall.name", "flue.tool.name", "haystack.tool.name")
_WRAPPERS: Final[Mapping[str, frozenset[str]]] = {
    "traceloop.span.kind": frozenset({"workflow", "task"}),
    "langfuse.observation.type": frozenset({"span"}),
    "mlflow.spanType": frozenset({"unknown", '"unknown"'}),
}
"""Kinds that say no more than that other spans are inside."""


def guess_role(view: SpanView) -> Role | None:
    """The role of a span by what it carries; None when nothing tells."""
    role = genai.guess_role(view)
    if role is not None:
        return role
    if view.first(_TOOL) is not None:
        return Role.TOOL
    for key, kinds in _WRAPPERS.items():
        if str(view.attributes.get(key, "")).lower() in kinds:
            return Role.CHAIN
    return None
