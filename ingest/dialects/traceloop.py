"""OpenLLMetry (Traceloop): entities with input and output, index-flattened prompts of old releases."""

from typing import Any, Final

from ingest.dialects.claim import Claim
from ingest.dialects.messages import Message, read_message
from ingest.dialects.names import Dialect, Names, read_by_table, role_by_table, tell
from ingest.dialects.offers import read_offers
from ingest.dialects.values import numbered, text, unflatten
from ingest.dialects.view import SpanView
from pipeline.vocabulary import Role

NAMES: Final = Names(
    "traceloop",
    marks=("traceloop.", "gen_ai.prompt.", "gen_ai.completion.", "llm.request."),
    kind=("traceloop.span.kind",),
    roles={"agent": Role.AGENT, "tool": Role.TOOL},
    fields={
        "session_id": (
            "traceloop.association.properties.session_id",
            "traceloop.association.properties.chat_id",
        ),
        "user_id": ("traceloop.association.properties.user_id",),
    },
    inputs=("traceloop.entity.input",),
    outputs=("traceloop.entity.output",),
    tool_name=("tool.name", "traceloop.entity.name"),
    arguments=("tool.arguments", "traceloop.entity.input"),
    result=("traceloop.entity.output",),
)
_REQUEST_TYPES: Final = frozenset({"chat", "completion"})


def role_of(view: SpanView) -> Role | None:
    """The kind of the entity; a task may be a tool's, and old model spans name a request type."""
    if view.first(("tool.name",)) is not None:
        return Role.TOOL
    if view.first(("llm.request.type",)) in _REQUEST_TYPES:
        return Role.MODEL
    return role_by_table(view, NAMES)


def read(view: SpanView, role: Role) -> Claim:
    """The claim of OpenLLMetry; a workflow or agent span is named after the agent."""
    claim = read_by_table(view, role, NAMES)
    if role is Role.AGENT:
        claim.agent_name = text(view.first(("traceloop.entity.name",)))
    elif role is Role.MODEL and view.has("gen_ai.completion."):
        prompts = _messages(view, "gen_ai.prompt")
        tell(claim, prompts, _messages(view, "gen_ai.completion"))
    if role is Role.MODEL and view.has("llm.request.functions."):
        claim.offers = tuple(read_offers(unflatten(view.attributes, "llm.request.functions")))
    return claim


def _messages(view: SpanView, prefix: str) -> list[Message]:
    return [read_message(_openai(item)) for item in unflatten(view.attributes, prefix)]


def _openai(item: dict[str, Any]) -> dict[str, Any]:
    """A flattened message as an OpenAI one."""
    calls = numbered(item.get("tool_calls"))
    return {**item, "tool_calls": calls} if calls else item


DIALECT: Final = Dialect(NAMES, role_of, read)
