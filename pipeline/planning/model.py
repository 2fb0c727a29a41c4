"""A model behind a planner, and the span around each question to it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from pipeline.contracts import Contract
from pipeline.contracts.tool_lists import genai_tools
from pipeline.execution.telemetry import compact_json
from pipeline.planning.conversation import Completion, Message, text_part
from pipeline.planning.errors import ModelError
from pipeline.planning.masking import masked

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

SCOPE: Final = "pipeline.planning"
_INPUT: Final = "gen_ai.input.messages"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model."""

    instructions: str
    messages: Sequence[Message]
    tools: Sequence[Contract] = ()
    """On offer as native tools; empty when the prompt tells of them."""
    conversation_id: str | None = None
    definitions: str = field(default="", repr=False)
    """`tools` as the JSON text that spans carry."""


class Model(Protocol):
    """Whatever completes a conversation."""

    @property
    def name(self) -> str:
        """As `gen_ai.request.model`."""
        ...

    @property
    def provider(self) -> str:
        """As `gen_ai.provider.name`."""
        ...

    def complete(self, request: ModelRequest) -> Awaitable[Completion]:
        """One turn.

        Raises:
            ModelError: No answer.
        """
        ...


async def ask(
    model: Model,
    request: ModelRequest,
    tracer: "Tracer",
    read: Callable[[Completion], Completion] | None = None,
    contracts: Sequence[Contract] = (),
) -> Completion:
    """One question, told as a `chat` span.

    Args:
        model: Answers.
        request: The question.
        tracer: Where the span goes.
        read: Finds the calls in what the model wrote, so that the span tells them too.
        contracts: Of the tools it may call: what they call sensitive is masked in the span.

    Raises:
        ModelError: No answer; the span says so.
        PlanError: What `read` raises; the span tells what the model wrote.
    """
    from opentelemetry.trace import SpanKind, Status, StatusCode

    messages = list(request.messages)
    told = masked(messages, contracts)
    with tracer.start_as_current_span(
        f"chat {model.name}",
        kind=SpanKind.CLIENT,
        attributes=_request_attributes(model, request, told),
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            completion = await model.complete(request)
        except ModelError as error:
            span.set_status(Status(StatusCode.ERROR, str(error)))
            span.set_attribute("error.type", error.error_type)
            raise
        except asyncio.CancelledError:
            span.set_status(Status(StatusCode.ERROR, "cancelled"))
            span.set_attribute("error.type", "cancelled")
            raise
        try:
            completion = completion if read is None else read(completion)
        finally:
            *said, answer = masked([*messages, completion.message], contracts)
            if said != told:
                span.set_attribute(_INPUT, compact_json(said))
            span.set_attributes(_response_attributes(model, completion, answer))
    return completion


def definitions_of(contracts: Sequence[Contract]) -> str:
    """The tools on offer as the JSON text of `gen_ai.tool.definitions`."""
    return compact_json(genai_tools(contracts))


def default_tracer() -> "Tracer":
    """The tracer of the global provider; a no-op one when none is configured."""
    from opentelemetry import trace

    return trace.get_tracer(SCOPE)


def _request_attributes(
    model: Model, request: ModelRequest, messages: Sequence[Message]
) -> dict[str, str]:
    values = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": model.provider,
        "gen_ai.request.model": model.name,
        "gen_ai.conversation.id": request.conversation_id,
        "gen_ai.system_instructions": compact_json([text_part(request.instructions)]),
        "gen_ai.tool.definitions": request.definitions or None,
        _INPUT: compact_json(messages),
    }
    return {name: value for name, value in values.items() if value is not None}


def _response_attributes(model: Model, completion: Completion, answer: Message) -> dict[str, Any]:
    reason = completion.finish_reason or ("tool_call" if completion.requests else "stop")
    message = {**answer, "finish_reason": reason}
    usage = completion.usage
    values = {
        "gen_ai.response.model": completion.model or model.name,
        "gen_ai.response.id": completion.response_id,
        "gen_ai.response.finish_reasons": ("tool_calls" if completion.requests else reason,),
        "gen_ai.output.messages": compact_json([message]),
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
    }
    return {name: value for name, value in values.items() if value is not None}
