"""Vercel's AI SDK: an outer span for the whole run, an inner one for each model call."""

from typing import Any, Final

from ingest.dialects.claim import Claim
from ingest.dialects.messages import Message, read_blocks, read_conversation
from ingest.dialects.names import Dialect, Names, read_by_table, tell
from ingest.dialects.values import parsed, text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import Role

NAMES: Final = Names(
    "vercel_ai",
    marks=("ai.",),
    kind=("ai.operationId", "operation.name"),
    fields={
        "agent_name": ("ai.telemetry.functionId", "resource.name"),
        "session_id": ("ai.telemetry.metadata.sessionId",),
        "user_id": ("ai.telemetry.metadata.userId",),
        "provider": ("ai.model.provider",),
        "request_model": ("ai.model.id",),
        "response_model": ("ai.response.model",),
        "response_id": ("ai.response.id",),
        "finish_reason": ("ai.response.finishReason", "ai.result.finishReason", "ai.finishReason"),
        "input_tokens": ("ai.usage.inputTokens", "ai.usage.promptTokens"),
        "output_tokens": ("ai.usage.outputTokens", "ai.usage.completionTokens"),
        "cached_input_tokens": (
            "ai.usage.cachedInputTokens",
            "ai.usage.inputTokenDetails.cacheReadTokens",
        ),
    },
    inputs=("ai.prompt.messages", "ai.prompt"),
    offers=("ai.prompt.tools",),
    tool_name=("ai.toolCall.name",),
    tool_call_id=("ai.toolCall.id",),
    arguments=("ai.toolCall.args", "ai.toolCall.input"),
    result=("ai.toolCall.result", "ai.toolCall.output"),
)
_TEXT: Final = ("ai.response.text", "ai.response.object", "ai.result.text", "ai.result.object")
_CALLS: Final = ("ai.response.toolCalls", "ai.result.toolCalls")
_INNER: Final = (".doGenerate", ".doStream")
_OUTER: Final = ("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject")


def role_of(view: SpanView) -> Role | None:
    """The role of an operation; embeddings and whatever else there is are other."""
    operation = (text(view.first(NAMES.kind)) or "").partition(" ")[0]
    if operation == "ai.toolCall":
        return Role.TOOL
    if operation in _OUTER:
        return Role.AGENT
    if operation.startswith(_OUTER) and operation.endswith(_INNER):
        return Role.MODEL
    return Role.OTHER if operation.startswith("ai.") else None


def read(view: SpanView, role: Role) -> Claim:
    """The claim of the AI SDK: text and calls of an answer stand in attributes of their own."""
    claim = read_by_table(view, role, NAMES)
    if role is Role.MODEL:
        tell(claim, read_conversation(view.first(NAMES.inputs)), _outputs(view))
    return claim


def _outputs(view: SpanView) -> list[Message]:
    shown = [key for key in (*_TEXT, *_CALLS) if key in view.attributes]
    if not shown:
        return []
    message = Message("assistant")
    message.texts += [value for key in _TEXT if isinstance(value := view.attributes.get(key), str)]
    read_blocks([_block(call) for call in parsed(view.first(_CALLS)) or ()], message)
    return [message]


def _block(call: Any) -> dict[str, Any]:
    """A call of any version of the SDK as a content block."""
    inner = parsed(call)
    return {**inner, "type": "tool-call"} if isinstance(inner, dict) else {}


DIALECT: Final = Dialect(NAMES, role_of, read)
