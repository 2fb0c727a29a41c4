"""Catalogues: the tools that a model could choose, in the shapes of providers and frameworks."""

from collections.abc import Iterator
from typing import Any, Final

from ingest.dialects.claim import Offer
from ingest.dialects.values import first, items, parsed, text

_SCHEMA: Final = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parameters_json_schema",
    "parametersJsonSchema",
)


def read_offers(definitions: list[Any]) -> Iterator[Offer]:
    """The tools of a catalogue: flat, nested under `function`, or grouped as declarations."""
    for definition in definitions:
        tool = parsed(definition)
        if not isinstance(tool, dict):
            continue
        group = first(tool, ("function_declarations", "functionDeclarations"))
        if isinstance(group, list):
            yield from read_offers(items(group))
        else:
            yield from _offer(tool)


def _offer(tool: dict[str, Any]) -> Iterator[Offer]:
    inner = first(tool, ("function", "toolSpec"))
    tool = inner if isinstance(inner, dict) else tool
    name = text(tool.get("name"))
    if name:
        schema = next((tool[key] for key in _SCHEMA if key in tool), None)
        yield Offer(name, text(tool.get("description")), text(schema))
