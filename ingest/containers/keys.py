"""OTLP/JSON key spellings: camelCase as specified, snake_case as some exporters write it."""

from collections.abc import Mapping
from typing import Any


def camel(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object with snake_case keys in camelCase; the object itself when it has none."""
    for key in fields:
        if "_" in key:
            return {_camel(name): value for name, value in fields.items()}
    return fields


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in tail)
