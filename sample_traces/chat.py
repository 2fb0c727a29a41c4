"""The model's side of the conversation: messages, token counts and the `chat` span's attributes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from opentelemetry.util.types import AttributeValue

from sample_traces.contracts import compact_json
from sample_traces.executor import Ticket

PROVIDER = "lantern"
LARGE_MODEL = "lantern-large-2"
SMALL_MODEL = "lantern-small-1"
"""No real model: what is said of these two judges nobody's product."""
MEDIAN_MS = {LARGE_MODEL: 900.0, SMALL_MODEL: 480.0}
MS_PER_TOKEN = {LARGE_MODEL: 11.0, SMALL_MODEL: 6.0}
INSTRUCTIONS = (
    "你是网店的客服助手。只依据工具返回的事实回答；缺少信息就调用工具，不要猜测订单号；"
    "退款前必须得到用户确认。回答简短。"
)
CACHE_BLOCK_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, cached ones included in the input."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int


@dataclass(slots=True)
class Conversation:
    """The messages of one task so far, in the GenAI parts format."""

    definitions: str
    messages: list[dict[str, object]] = field(default_factory=list)
    _n_seen_tokens: int = 0

    def say(self, text: str) -> None:
        """Adds what the user says."""
        self.messages.append(_message("user", [_text(text)]))

    def ask(self, tickets: Sequence[Ticket]) -> dict[str, object]:
        """Adds the model's turn that asks for calls, and returns it as output message."""
        message = _message("assistant", [_request(ticket) for ticket in tickets])
        self.messages.append(message)
        return {**message, "finish_reason": "tool_call"}

    def show(self, results: Sequence[tuple[Ticket, object]]) -> None:
        """Adds what the tools showed."""
        parts = [
            {"type": "tool_call_response", "id": ticket.call_id, "response": shown}
            for ticket, shown in results
        ]
        self.messages.append(_message("tool", parts))

    def answer(self, text: str) -> dict[str, object]:
        """The model's closing turn as output message."""
        return {**_message("assistant", [_text(text)]), "finish_reason": "stop"}

    def usage(self, output: dict[str, object], input_text: str) -> Usage:
        """Counts one call; what an earlier call of the task sent is cached, in whole blocks."""
        n_input = n_tokens(INSTRUCTIONS + self.definitions + input_text)
        cached = self._n_seen_tokens // CACHE_BLOCK_TOKENS * CACHE_BLOCK_TOKENS
        self._n_seen_tokens = n_input
        return Usage(n_input, n_tokens(compact_json(output["parts"])), cached)


def n_tokens(text: str) -> int:
    """An estimate: one token for each Chinese character and a half, and for four letters."""
    n_wide = sum(char > "\u2e7f" for char in text)
    return n_wide * 2 // 3 + (len(text) - n_wide) // 4 + 1


def request_attributes(
    model: str, conversation_id: str, conversation: Conversation
) -> dict[str, AttributeValue]:
    """What is known of a `chat` span before the model answers."""
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDER,
        "gen_ai.request.model": model,
        "gen_ai.conversation.id": conversation_id,
        "gen_ai.system_instructions": compact_json([_text(INSTRUCTIONS)]),
        "gen_ai.tool.definitions": conversation.definitions,
        "gen_ai.input.messages": compact_json(conversation.messages),
    }


def response_attributes(
    model: str, response_id: str, output: dict[str, object], usage: Usage
) -> dict[str, AttributeValue]:
    """What an answered `chat` span carries besides."""
    is_call = output["finish_reason"] == "tool_call"
    return {
        "gen_ai.response.model": model,
        "gen_ai.response.id": response_id,
        "gen_ai.response.finish_reasons": ("tool_calls" if is_call else "stop",),
        "gen_ai.output.messages": compact_json([output]),
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
    }


def _message(role: str, parts: list[dict[str, object]]) -> dict[str, object]:
    return {"role": role, "parts": parts}


def _text(content: str) -> dict[str, object]:
    return {"type": "text", "content": content}


def _request(ticket: Ticket) -> dict[str, object]:
    call = ticket.choice.call
    return {
        "type": "tool_call",
        "id": ticket.call_id,
        "name": call.tool,
        "arguments": dict(call.arguments),
    }
