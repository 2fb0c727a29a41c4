"""What is left of an answer before anybody reads it: the fields that the contract names (S3 §6.2)."""

from collections.abc import Mapping
from typing import Any, Final

MAX_ITEMS: Final = 50
"""Rows of a list that are shown; more make the result too large (S3 §3.3)."""


def prune(value: Any, returns: Mapping[str, Any] | None) -> Any:
    """Only what the schema of the answer has properties for; everything where it names none."""
    if returns is None:
        return value
    properties = returns.get("properties")
    if isinstance(value, Mapping) and isinstance(properties, Mapping):
        return {name: prune(value[name], properties[name]) for name in properties if name in value}
    items = returns.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return [prune(inner, items) for inner in value]
    return value


def bounded(value: Any, max_items: int = MAX_ITEMS) -> tuple[Any, bool]:
    """The value with its lists cut to a length, and whether one was."""
    if isinstance(value, Mapping):
        parts = {name: bounded(inner, max_items) for name, inner in value.items()}
        return {name: part[0] for name, part in parts.items()}, any(p[1] for p in parts.values())
    if isinstance(value, list):
        kept = [bounded(inner, max_items) for inner in value[:max_items]]
        is_cut = len(value) > max_items or any(part[1] for part in kept)
        return [part[0] for part in kept], is_cut
    return value, False
