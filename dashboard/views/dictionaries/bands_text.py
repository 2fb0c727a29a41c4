"""One threshold put into the YAML text of a rule file: both intervals that meet there are changed."""

from dataclasses import dataclass
from typing import Final

import yaml

_UPPER: Final = ("below", "up_to")
_LOWER: Final = ("from", "above")


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where two intervals meet is moved; which of them holds the point itself stays."""

    index: int
    """Of the lower interval, from 0 in the order of the file."""
    value: str
    """The number as it is to be written."""


def threshold_text(text: str, field: str, edit: Threshold, *, is_derived: bool) -> str:
    """The text of one rule file with one threshold moved.

    Args:
        text: YAML that loads as a rule file.
        field: Name of the field, or of the derived fact type.
        edit: Which threshold, and where it is to lie.
        is_derived: Whether it belongs to a formula.

    Returns:
        The text unchanged when there is no such threshold. The caller loads the result and checks it.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    block, key = ("derived", "fact_type") if is_derived else ("output_schema", "name")
    rule = next((item for item in _items(_value(root, block)) if _scalar(item, key) == field), None)
    bands = _items(_value(rule, "bands"))
    if edit.index + 1 >= len(bands):
        return text
    nodes = [_first(bands[edit.index], _UPPER), _first(bands[edit.index + 1], _LOWER)]
    for node in sorted(
        (found for found in nodes if found is not None),
        key=lambda found: int(found.start_mark.index),
        reverse=True,
    ):
        text = text[: node.start_mark.index] + edit.value + text[node.end_mark.index :]
    return text


def _items(node: yaml.Node | None) -> list[yaml.Node]:
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for known, value in pairs if known.value == key), None)


def _scalar(node: yaml.Node, key: str) -> str | None:
    found = _value(node, key)
    return str(found.value) if isinstance(found, yaml.ScalarNode) else None


def _first(node: yaml.Node, keys: tuple[str, ...]) -> yaml.Node | None:
    return next((found for key in keys if (found := _value(node, key)) is not None), None)
