"""One threshold put into the YAML text of a rule file: both intervals that meet there are changed."""

from dataclasses import dataclass
from typing import Final

import yaml

from dashboard.views.dictionaries.yaml_places import Splice, named, spliced, value_of

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
    found = value_of(named(value_of(root, block), key, field), "bands")
    bands = list(found.value) if isinstance(found, yaml.SequenceNode) else []
    if edit.index + 1 >= len(bands):
        return text
    nodes = [_first(bands[edit.index], _UPPER), _first(bands[edit.index + 1], _LOWER)]
    marks = [(node.start_mark.index, node.end_mark.index) for node in nodes if node is not None]
    return spliced(text, [Splice(start, end, edit.value) for start, end in marks])


def _first(node: yaml.Node, keys: tuple[str, ...]) -> yaml.Node | None:
    return next((found for key in keys if (found := value_of(node, key)) is not None), None)
