"""What of a span is not for everybody: the raw outputs and debug prompts of an observation. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pipeline.observation import Caller
from pipeline.observation import attributes as names
from pipeline.observation.callers import DEBUG
from pipeline.observation.preview import MASK
from replay_store.records import Span
from replay_store.records.received import JsonValue, SpanEvent

_TEXTS: Final = {names.EVENT_RAW_OUTPUT: names.RAW, names.EVENT_PROMPT: names.TEXT}
"""By event: the attribute whose value is withheld."""


def readable(span: Span, caller: Caller) -> Span:
    """The span as a caller may see it: the same for local and privileged ones.

    Others find `***` in the place of raw outputs and debug prompts.
    """
    if caller.sees_raw or not any(event["name"] in _TEXTS for event in span.events):
        return span
    return replace(span, events=tuple(_readable(event) for event in span.events))


def _readable(event: SpanEvent) -> SpanEvent:
    attribute = _TEXTS.get(event["name"])
    attributes = event["attributes"]
    if attribute is None or attribute not in attributes or _is_open(event["name"], attributes):
        return event
    return {**event, "attributes": {**attributes, attribute: MASK}}


def _is_open(name: str, attributes: Mapping[str, JsonValue]) -> bool:
    return name == names.EVENT_PROMPT and attributes.get(names.TEMPLATE) != DEBUG
