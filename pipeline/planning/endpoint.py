"""A model behind an OpenAI-compatible `/chat/completions`. Needs the extra `agent`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from pipeline.contracts.tool_lists import openai_tools
from pipeline.execution.telemetry import compact_json, trace_headers
from pipeline.planning.conversation import Completion, Message, ToolRequest, Usage
from pipeline.planning.errors import ModelError
from pipeline.planning.model import ModelRequest

if TYPE_CHECKING:
    import httpx

TIMEOUT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class EndpointModel:
    """Asks over HTTP, at temperature 0."""

    name: str
    url: str
    """Base, such as `http://127.0.0.1:8000/v1`."""
    client: "httpx.AsyncClient" = field(repr=False)
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = TIMEOUT_SECONDS

    @property
    def provider(self) -> str:
        """The host that is asked."""
        return urlsplit(self.url).hostname or "unknown"

    async def complete(self, request: ModelRequest) -> Completion:
        """See `Model`.

        Raises:
            ModelError: No answer in time, an error status, or an answer of another shape.
        """
        import httpx

        body: dict[str, Any] = {
            "model": self.name,
            "temperature": 0,
            "messages": list(_chat_messages(request)),
        }
        if request.tools:
            body["tools"] = openai_tools(request.tools)
        headers = trace_headers()
        if self.api_key:
            headers["authorization"] = f"Bearer {self.api_key}"
        try:
            answer = await self.client.post(
                f"{self.url.rstrip('/')}/chat/completions",
                json=body,
                headers=headers,
                timeout=self.timeout_seconds,
                follow_redirects=False,
            )
        except httpx.HTTPError as error:
            kind = "timeout" if isinstance(error, httpx.TimeoutException) else "connection"
            raise ModelError(f"{self.name}: no answer ({kind}); check the address", kind) from error
        if answer.status_code != httpx.codes.OK:
            status = str(answer.status_code)
            raise ModelError(f"{self.name}: status {status}; check model and key", status)
        return self._read(answer.content)

    def _read(self, data: bytes) -> Completion:
        try:
            found = json.loads(data)
            choice = found["choices"][0]
            message = choice["message"]
            return Completion(
                text=message.get("content") or "",
                requests=tuple(map(_request, message.get("tool_calls") or ())),
                usage=_usage(found.get("usage") or {}),
                model=found.get("model"),
                response_id=found.get("id"),
                finish_reason=choice.get("finish_reason"),
            )
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ModelError(
                f"{self.name}: an answer of another shape; expected choices[0].message", "shape"
            ) from error


def _request(call: Mapping[str, Any]) -> ToolRequest:
    """A call; arguments that are no JSON stay text, so that their check can say so."""
    function, text = call["function"], call["function"].get("arguments") or "{}"
    try:
        arguments = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        arguments = text
    return ToolRequest(str(function["name"]), arguments, str(call.get("id") or ""))


def _usage(value: Mapping[str, Any]) -> Usage:
    details = value.get("prompt_tokens_details") or {}
    return Usage(
        value.get("prompt_tokens"), value.get("completion_tokens"), details.get("cached_tokens")
    )


def _chat_messages(request: ModelRequest) -> Iterator[Message]:
    """Message parts as OpenAI's messages."""
    yield {"role": "system", "content": request.instructions}
    for message in request.messages:
        parts: Sequence[Mapping[str, Any]] = message["parts"]
        if message["role"] == "tool":
            for part in parts:
                response = part["response"]
                text = response if isinstance(response, str) else compact_json(response)
                yield {"role": "tool", "tool_call_id": part["id"], "content": text}
            continue
        text = "".join(part["content"] for part in parts if part["type"] == "text")
        calls = [_tool_call(part) for part in parts if part["type"] == "tool_call"]
        told: Message = {"role": message["role"], "content": text or None}
        yield {**told, "tool_calls": calls} if calls else told


def _tool_call(part: Mapping[str, Any]) -> dict[str, Any]:
    arguments = part["arguments"]
    text = arguments if isinstance(arguments, str) else compact_json(arguments)
    function = {"name": part["name"], "arguments": text}
    return {"id": part["id"], "type": "function", "function": function}
