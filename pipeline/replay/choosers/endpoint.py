"""Any OpenAI-compatible endpoint as chooser: one request a decision, temperature 0, no tool called.

The standard library sends it, so that a replay needs nothing installed. What comes back is read as
data: the first tool call of the first answer, or no call.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from pipeline.replay.case import Chosen, Offered, Passage
from pipeline.replay.choosers.situation import Situation
from pipeline.replay.errors import ChooserError
from pipeline.vocabulary import NO_CALL

_MAX_ANSWER_BYTES: Final = 4 * 1024**2


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Another address is not followed: the key is for this one alone."""

    def redirect_request(self, *_: Any) -> None:
        """Nothing: the answer stays the error it is."""


_OPENER: Final = urllib.request.build_opener(_NoRedirect)


@dataclass(frozen=True, slots=True)
class EndpointChooser:
    """Asks a model behind `/chat/completions`."""

    model: str
    url: str
    """Base, such as `http://127.0.0.1:8000/v1`."""
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 60.0

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in ("http", "https"):
            raise ChooserError(f"{self.url}: expected http:// or https://; correct the address")

    @property
    def name(self) -> str:
        """The model and the host that it was asked at."""
        return f"{self.model} at {urlsplit(self.url).netloc}"

    def choose(self, situation: Situation) -> Chosen:
        """What the model asks for.

        Raises:
            ChooserError: No answer in time, an error status, or an answer of another shape.
        """
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": 0,
            "messages": list(messages(situation.input)),
        }
        if situation.offered:
            body["tools"] = [_tool(tool) for tool in situation.offered]
        return self._read(self._send(body))

    def _send(self, body: Mapping[str, Any]) -> bytes:
        headers = {"content-type": "application/json"}
        if self.api_key:
            headers["authorization"] = f"Bearer {self.api_key}"
        request = urllib.request.Request(  # noqa: S310  the scheme was checked
            f"{self.url.rstrip('/')}/chat/completions",
            json.dumps(body, ensure_ascii=False).encode(),
            headers,
        )
        try:
            with _OPENER.open(request, timeout=self.timeout_seconds) as answer:
                data: bytes = answer.read(_MAX_ANSWER_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise ChooserError(
                    f"{self.name}: status {error.code}: expected 200; check model, key and address"
                ) from error
        except OSError as error:
            raise ChooserError(
                f"{self.name}: no answer ({error}): expected one within "
                f"{self.timeout_seconds:g} s; check the address"
            ) from error
        return data

    def _read(self, data: bytes) -> Chosen:
        try:
            message = json.loads(data)["choices"][0]["message"]
            calls = message.get("tool_calls") or []
            if not calls:
                return Chosen(NO_CALL)
            function = calls[0]["function"]
            return Chosen(str(function["name"]), _arguments(function.get("arguments")))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ChooserError(
                f"{self.name}: an answer of another shape ({type(error).__name__} {error}): "
                "expected choices[0].message as OpenAI writes it; check the address"
            ) from error


def messages(given: tuple[Passage, ...]) -> Iterator[dict[str, Any]]:
    """A situation as chat messages: a call and its answer keep together by an id of their place."""
    waiting: list[str] = []
    for at, passage in enumerate(given):
        match passage.kind:
            case "call":
                waiting.append(f"call_{at}")
                function = {"name": passage.name or "unknown", "arguments": passage.text or "{}"}
                call = {"id": waiting[-1], "type": "function", "function": function}
                yield {"role": "assistant", "content": None, "tool_calls": [call]}
            case "answer":
                call_id = waiting.pop(0) if waiting else f"call_{at}"
                yield {"role": "tool", "tool_call_id": call_id, "content": passage.text}
            case _:
                known = passage.role in ("system", "user", "assistant")
                yield {"role": passage.role if known else "user", "content": passage.text}


def _tool(tool: Offered) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description or "",
            "parameters": tool.input_schema or {"type": "object", "properties": {}},
        },
    }


def _arguments(value: Any) -> Mapping[str, Any] | None:
    found = json.loads(value) if isinstance(value, str) and value else value
    return found if isinstance(found, Mapping) else {}
