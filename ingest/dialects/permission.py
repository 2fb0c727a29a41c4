"""What a person or a policy answered when a coding agent asked whether a tool may run."""

from collections.abc import Mapping

from ingest.dialects.claim import GuardSign
from ingest.dialects.names import Names
from ingest.dialects.values import Keys, text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import GuardDecision

_DECISION = "decision"


def permission(
    view: SpanView, names: Names, decisions: Mapping[str, GuardDecision], rule: Keys
) -> list[GuardSign]:
    """The answer as a guard's evaluation; empty for a span that holds none.

    Args:
        view: The span.
        names: The dialect's table: how it calls the tool and the call.
        decisions: The dialect's words, lower case; any other is UNKNOWN.
        rule: Attributes that say who or what decided.
    """
    written = text(view.attributes.get(_DECISION))
    if written is None:
        return []
    sign = GuardSign(
        decisions.get(written.lower(), GuardDecision.UNKNOWN),
        _DECISION,
        rule=text(view.first(rule)),
        phase="permission",
        tool_name=text(view.first(names.tool_name)),
        tool_call_id=text(view.first(names.tool_call_id)),
    )
    return [sign]
