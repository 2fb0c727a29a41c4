"""Dialects that are nothing but their table: Genkit, Laminar, AG2, Flue, LiveKit."""

from typing import Final

from ingest.dialects.names import Dialect, Names, by_table, read_by_table
from ingest.dialects.view import SpanView
from pipeline.vocabulary import Role

GENKIT: Final = by_table(
    Names(
        "genkit",
        marks=("genkit:",),
        kind=("genkit:metadata:subtype", "genkit:type"),
        roles={
            "model": Role.MODEL,
            "tool": Role.TOOL,
            "tool.v2": Role.TOOL,
            "flow": Role.AGENT,
            "util": Role.CHAIN,
            "retriever": Role.RETRIEVER,
            "embedder": Role.OTHER,
            "evaluator": Role.OTHER,
        },
        fields={"session_id": ("genkit:sessionId",)},
        inputs=("genkit:input",),
        outputs=("genkit:output",),
        offers=("genkit:input",),
        tool_name=("genkit:name",),
        arguments=("genkit:input",),
        result=("genkit:output",),
    )
)
LAMINAR: Final = by_table(
    Names(
        "laminar",
        marks=("lmnr.",),
        kind=("lmnr.span.type",),
        roles={"llm": Role.MODEL, "tool": Role.TOOL, "evaluator": Role.OTHER},
        fields={
            "session_id": ("lmnr.association.properties.session_id",),
            "user_id": ("lmnr.association.properties.user_id",),
        },
        inputs=("lmnr.span.input",),
        outputs=("lmnr.span.output",),
        is_named_by_span=True,
        arguments=("lmnr.span.input",),
        result=("lmnr.span.output",),
    )
)
AG2: Final = by_table(
    # Its other types also carry the conventions, which tell them; this one repeats a call's tokens.
    Names("ag2", marks=("ag2.",), kind=("ag2.span.type",), roles={"usage": Role.OTHER})
)
FLUE: Final = by_table(
    Names(
        "flue",
        marks=("flue.",),
        tool_name=("flue.tool.name",),
        tool_call_id=("flue.tool.call_id",),
        arguments=("flue.tool.arguments",),
        result=("flue.tool.result",),
    )
)
_LIVEKIT: Final = Names(
    "livekit",
    scopes=("livekit-agents",),
    tool_name=("lk.function_tool.name",),
    tool_call_id=("lk.function_tool.id",),
    arguments=("lk.function_tool.arguments",),
    result=("lk.function_tool.output",),
    outputs=("lk.response.text",),
)


def _livekit_role(view: SpanView) -> Role | None:
    roles = {"function_tool": Role.TOOL, "llm_node": Role.CHAIN, "agent_session": Role.AGENT}
    return roles.get(view.span.name)


LIVEKIT: Final = Dialect(
    _LIVEKIT, _livekit_role, lambda view, role: read_by_table(view, role, _LIVEKIT)
)
