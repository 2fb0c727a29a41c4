"""One entry put into the YAML text of a rule file, at the places that the YAML parser reports."""

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from dashboard.views.dictionaries.yaml_places import (
    Splice,
    added,
    end_of,
    named,
    scalar,
    scalars,
    spliced,
    value_of,
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A raw value gets words of its own: a new code, or other words for a known one."""

    raw: str
    words: Mapping[str, str]
    """Display text by language."""


@dataclass(frozen=True, slots=True)
class Synonym:
    """A raw value means the same as a code that is there already."""

    raw: str
    code: str


def edited_text(text: str, field: str, edit: Meaning | Synonym) -> str:
    """The text of one rule file with one entry of one enum field added or changed.

    Args:
        text: YAML that loads as a rule file.
        field: Name of the field in `output_schema`.
        edit: The entry.

    Returns:
        The text unchanged when it has no such field. The caller loads the result and checks it:
        rare layouts (explicit keys, anchors) are not understood.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    node = named(value_of(root, "output_schema"), "name", field)
    if not isinstance(node, yaml.MappingNode):
        return text
    if isinstance(edit, Synonym):
        return spliced(text, _entry(text, node, "synonyms", edit.raw, scalar(edit.code)))
    words = ", ".join(f"{scalar(k)}: {scalar(v)}" for k, v in edit.words.items())
    splices = _entry(text, node, "mapping", edit.raw, f"{{{words}}}")
    values = value_of(node, "values")
    if isinstance(values, yaml.SequenceNode) and edit.raw not in scalars(values):
        splices.append(added(text, values, scalar(edit.raw)))
    return spliced(text, splices)


def _entry(text: str, field: yaml.MappingNode, block: str, key: str, value: str) -> list[Splice]:
    """Set one key of the mapping `block` of a field; both are made when they are not there."""
    node = value_of(field, block)
    entry = f"{scalar(key)}: {value}"
    if node is None:
        return [added(text, field, f"{block}: {{{entry}}}")]
    if not isinstance(node, yaml.MappingNode):
        return []
    for known, old in node.value:
        if known.value == key:
            return [Splice(known.end_mark.index, end_of(text, old), f": {value}")]
    return [added(text, node, entry)]
