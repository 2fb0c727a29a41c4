"""One entry put into the YAML text of a rule file, at the places that the YAML parser reports."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import yaml

_PLAIN: Final = re.compile(r"[A-Za-z_\u4e00-\u9fff][A-Za-z0-9_\u4e00-\u9fff]*", re.ASCII)
_RESERVED: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


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


class _Splice(NamedTuple):
    """Text that takes the place of what stands from `start` to `end`."""

    start: int
    end: int
    text: str


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
    node = _field_node(text, field)
    if node is None:
        return text
    if isinstance(edit, Synonym):
        splices = _entry(text, node, "synonyms", edit.raw, _scalar(edit.code))
    else:
        words = ", ".join(f"{_scalar(k)}: {_scalar(v)}" for k, v in edit.words.items())
        splices = _entry(text, node, "mapping", edit.raw, f"{{{words}}}")
        values = _value(node, "values")
        if isinstance(values, yaml.SequenceNode) and edit.raw not in _scalars(values):
            splices.append(_added(text, values, _scalar(edit.raw)))
    for splice in sorted(splices, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def _field_node(text: str, field: str) -> yaml.MappingNode | None:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    schema = _value(root, "output_schema")
    items = schema.value if isinstance(schema, yaml.SequenceNode) else []
    for item in items:
        name = _value(item, "name")
        if isinstance(name, yaml.ScalarNode) and name.value == field:
            found: yaml.MappingNode = item
            return found
    return None


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    """What stands under a key of a mapping; None when it is no mapping or has no such key."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for known, value in pairs if known.value == key), None)


def _scalars(node: yaml.SequenceNode) -> list[str]:
    return [item.value for item in node.value if isinstance(item, yaml.ScalarNode)]


def _entry(text: str, field: yaml.MappingNode, block: str, key: str, value: str) -> list[_Splice]:
    """Set one key of the mapping `block` of a field; both are made when they are not there."""
    node = _value(field, block)
    entry = f"{_scalar(key)}: {value}"
    if node is None:
        return [_added(text, field, f"{block}: {{{entry}}}")]
    if not isinstance(node, yaml.MappingNode):
        return []
    for known, old in node.value:
        if known.value == key:
            return [_Splice(known.end_mark.index, _end(text, old), f": {value}")]
    return [_added(text, node, entry)]


def _added(text: str, node: yaml.CollectionNode, item: str) -> _Splice:
    """One more item at the end of a mapping or sequence, in its own style."""
    if not node.value:
        at = node.end_mark.index - 1
        return _Splice(at, at, item)
    end = _end(text, node)
    if node.flow_style:
        at = _end(text, _last(node))
        return _Splice(at, at, f", {item}")
    newline = "\r\n" if "\r\n" in text else "\n"
    at = _line_end(text, end)
    dash = "- " if isinstance(node, yaml.SequenceNode) else ""
    return _Splice(at, at, f"{newline}{' ' * node.start_mark.column}{dash}{item}")


def _last(node: yaml.CollectionNode) -> yaml.Node:
    last: yaml.Node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return last


def _end(text: str, node: yaml.Node) -> int:
    """Where a node's own text ends; the parser's mark of a block lies behind blanks and comments."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        return _end(text, _last(node))
    end: int = node.end_mark.index
    is_block_text = isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
    return len(text[:end].rstrip()) if is_block_text else end


def _line_end(text: str, index: int) -> int:
    """Where the line ends that `index` is on, before its line break."""
    found = text.find("\n", index)
    end = len(text) if found < 0 else found
    return end - 1 if end > index and text[end - 1] == "\r" else end


def _scalar(value: str) -> str:
    """A text as YAML reads it back, on one line: plain where that is safe, else in quotes."""
    if _PLAIN.fullmatch(value) and value.casefold() not in _RESERVED:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
