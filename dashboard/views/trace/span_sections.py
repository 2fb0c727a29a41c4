"""Which attributes of a span a person wants to read first, and under which heading.

A dialect writes the same thing under its own name; whatever is not listed here stays in the table
of attributes. Nothing is dropped.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from dashboard.formats import json_text
from replay_store.records import JsonValue, Span, SpanEvent

_ARGUMENTS: Final = (
    "gen_ai.tool.call.arguments",
    "tool.parameters",
    "tool_arguments",
    "ai.toolCall.args",
    "traceloop.entity.input",
)
_RESULT: Final = (
    "gen_ai.tool.call.result",
    "tool_response",
    "ai.toolCall.result",
    "traceloop.entity.output",
)
_INPUT: Final = ("input.value", "mlflow.spanInputs", "lmnr.span.input")
_OUTPUT: Final = ("output.value", "mlflow.spanOutputs", "lmnr.span.output")
_MESSAGES: Final = (
    "gen_ai.system_instructions",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.prompt",
    "gen_ai.completion",
    "all_messages_events",
    "events",
)
_INDEXED_MESSAGE: Final = re.compile(
    r"(?:llm\.(?:input|output)_messages|gen_ai\.(?:prompt|completion))\.\d+\..+"
)
_MESSAGE_EVENT: Final = re.compile(r"gen_ai\.(?:\w+\.message|choice|content\.\w+)|gen_ai\.client.*")
_EXCEPTION: Final = "exception"

LONG_CHARS: Final = 240
"""Texts longer than this are shown as blocks rather than in a table cell."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of a span under the name it came with."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Sections:
    """A span's texts by what they are; a passage is in exactly one of them."""

    arguments: tuple[Passage, ...]
    result: tuple[Passage, ...]
    messages: tuple[Passage, ...]
    errors: tuple[Passage, ...]
    long: tuple[Passage, ...]
    """Long values of other attributes."""
    attributes: Mapping[str, JsonValue]
    """The rest, short enough for a table."""


def sections(span: Span) -> Sections:
    """Sort the attributes and events of a span."""
    attributes = span.attributes
    known = {*_ARGUMENTS, *_RESULT, *_INPUT, *_OUTPUT, *_MESSAGES}
    messages = [*_named(attributes, _MESSAGES), *_indexed_messages(attributes)]
    rest = {k: v for k, v in attributes.items() if k not in known and not _is_message(k)}
    long = {key: text for key, value in rest.items() if _is_long(text := json_text(value))}
    return Sections(
        arguments=_named(attributes, (*_ARGUMENTS, *_INPUT)),
        result=_named(attributes, (*_RESULT, *_OUTPUT)),
        messages=(*messages, *_events(span, _MESSAGE_EVENT)),
        errors=tuple(_errors(span)),
        long=tuple(Passage(name, text) for name, text in long.items()),
        attributes={name: value for name, value in rest.items() if name not in long},
    )


def _named(attributes: Mapping[str, JsonValue], names: tuple[str, ...]) -> tuple[Passage, ...]:
    return tuple(Passage(name, json_text(attributes[name])) for name in names if name in attributes)


def _is_message(name: str) -> bool:
    return _INDEXED_MESSAGE.fullmatch(name) is not None


def _is_long(text: str) -> bool:
    return len(text) > LONG_CHARS or "\n" in text


def _indexed_messages(attributes: Mapping[str, JsonValue]) -> Iterator[Passage]:
    """Messages that came as one attribute a part: `llm.input_messages.0.message.content`."""
    for name in sorted(filter(_is_message, attributes), key=_natural):
        yield Passage(name, json_text(attributes[name]))


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in name.split(".")]


def _events(span: Span, name: re.Pattern[str]) -> Iterator[Passage]:
    for event in span.events:
        if name.fullmatch(event["name"]):
            yield Passage(event["name"], json_text(event["attributes"]))


def _errors(span: Span) -> Iterator[Passage]:
    if span.status_message:
        yield Passage("status", span.status_message)
    for event in span.events:
        if event["name"] == _EXCEPTION:
            yield Passage(event["name"], _exception_text(event))


def _exception_text(event: SpanEvent) -> str:
    attributes = event["attributes"]
    head = ": ".join(
        str(attributes[key])
        for key in ("exception.type", "exception.message")
        if attributes.get(key)
    )
    stack = attributes.get("exception.stacktrace")
    parts = [part for part in (head, str(stack) if stack else "") if part]
    return "\n\n".join(parts) or json_text(attributes)
