"""Langfuse's SDKs: what an observation is, what went in and what came out."""

from typing import Final

from ingest.dialects.claim import Claim
from ingest.dialects.names import Dialect, Names, read_by_table, role_by_table
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, Role

NAMES: Final = Names(
    "langfuse",
    marks=("langfuse.observation.",),
    kind=("langfuse.observation.type",),
    roles={
        "agent": Role.AGENT,
        "generation": Role.MODEL,
        "tool": Role.TOOL,
        "chain": Role.CHAIN,
        "retriever": Role.RETRIEVER,
        "guardrail": Role.GUARD,
        "evaluator": Role.OTHER,
        "embedding": Role.OTHER,
        "event": Role.OTHER,
    },
    fields={
        "session_id": ("langfuse.session.id",),
        "user_id": ("langfuse.user.id",),
        "request_model": ("langfuse.observation.model.name",),
        "response_model": ("langfuse.observation.model.name",),
    },
    usage=("langfuse.observation.usage_details",),
    inputs=("langfuse.observation.input",),
    outputs=("langfuse.observation.output",),
    offers=("langfuse.observation.input",),
    is_named_by_span=True,
    arguments=("langfuse.observation.input",),
    result=("langfuse.observation.output",),
)
_MODEL: Final = ("langfuse.observation.model.name", "langfuse.observation.usage_details")


def role_of(view: SpanView) -> Role | None:
    """The type of the observation; old SDKs call generations spans, known by model or usage."""
    role = role_by_table(view, NAMES)
    return Role.MODEL if role is None and view.first(_MODEL) is not None else role


def read(view: SpanView, role: Role) -> Claim:
    """The claim of Langfuse; the level ERROR is a verdict of its own."""
    claim = read_by_table(view, role, NAMES)
    if claim.tool is not None and view.attributes.get("langfuse.observation.level") == "ERROR":
        claim.tool.flag = CallStatus.ERROR
    return claim


DIALECT: Final = Dialect(NAMES, role_of, read)
