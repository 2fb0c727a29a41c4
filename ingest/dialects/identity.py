"""Whose a span is: session, user and task, under the names that frameworks give them."""

from typing import Final

from ingest.dialects.values import Keys, text
from ingest.dialects.view import SpanView

SESSION: Final[Keys] = (
    "langfuse.session.id",
    "session.id",
    "gen_ai.conversation.id",
    "ai.telemetry.metadata.sessionId",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.chat_id",
    "lmnr.association.properties.session_id",
    "langsmith.metadata.session_id",
    "langsmith.metadata.thread_id",
    "mastra.metadata.sessionId",
    "gcp.vertex.agent.session_id",
    "thread_id",
    "mcp.session.id",
)
"""In order of trust; the last names a transport, not a conversation."""
USER: Final[Keys] = (
    "langfuse.user.id",
    "user.id",
    "enduser.id",
    "ai.telemetry.metadata.userId",
    "traceloop.association.properties.user_id",
    "lmnr.association.properties.user_id",
)
TASK: Final[Keys] = ("gen_ai.task.id", "langfuse.experiment.item.id")


def session_of(view: SpanView) -> str | None:
    """The session of a span; None when it names none."""
    return text(view.first(SESSION))


def user_of(view: SpanView) -> str | None:
    """The user of a span; None when it names none."""
    return text(view.first(USER))


def task_of(view: SpanView) -> str | None:
    """The task of a span; None when it names none."""
    return text(view.first(TASK))
