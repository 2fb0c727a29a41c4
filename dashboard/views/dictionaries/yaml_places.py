"""Places in the YAML text of a rule file, as its parser reports them, and text put there."""

import json
import re
from typing import Final, NamedTuple

import yaml

__all__ = ["Splice", "added", "end_of", "named", "scalar", "scalars", "spliced", "value_of"]

_PLAIN: Final = re.compile(r"[A-Za-z_\u4e00-\u9fff][A-Za-z0-9_\u4e00-\u9fff]*", re.ASCII)
_RESERVED: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class Splice(NamedTuple):
    """Text that takes the place of what stands from `start` to `end`."""

    start: int
    end: int
    text: str


def spliced(text: str, splices: list[Splice]) -> str:
    """The text with every splice made."""
    for splice in sorted(splices, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def named(node: yaml.Node | None, key: str, name: str) -> yaml.Node | None:
    """The item of a sequence whose `key` says `name`; None without one."""
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    for item in items:
        found = value_of(item, key)
        if isinstance(found, yaml.ScalarNode) and found.value == name:
            return item  # type: ignore[no-any-return]  # nodes are untyped inside nodes
    return None


def value_of(node: yaml.Node | None, key: str) -> yaml.Node | None:
    """What stands under a key of a mapping; None when it is no mapping or has no such key."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for known, value in pairs if known.value == key), None)


def scalars(node: yaml.SequenceNode) -> list[str]:
    """The texts of a sequence's scalars."""
    return [item.value for item in node.value if isinstance(item, yaml.ScalarNode)]


def added(text: str, node: yaml.CollectionNode, item: str) -> Splice:
    """One more item at the end of a mapping or sequence, in its own style."""
    if not node.value:
        at = node.end_mark.index - 1
        return Splice(at, at, item)
    end = end_of(text, node)
    if node.flow_style:
        at = end_of(text, _last(node))
        return Splice(at, at, f", {item}")
    newline = "\r\n" if "\r\n" in text else "\n"
    at = _line_end(text, end)
    dash = "- " if isinstance(node, yaml.SequenceNode) else ""
    return Splice(at, at, f"{newline}{' ' * node.start_mark.column}{dash}{item}")


def _last(node: yaml.CollectionNode) -> yaml.Node:
    last: yaml.Node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return last


def end_of(text: str, node: yaml.Node) -> int:
    """Where a node's own text ends; the parser's mark of a block lies behind blanks and comments."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        return end_of(text, _last(node))
    end: int = node.end_mark.index
    is_block_text = isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
    return len(text[:end].rstrip()) if is_block_text else end


def _line_end(text: str, index: int) -> int:
    """Where the line ends that `index` is on, before its line break."""
    found = text.find("\n", index)
    end = len(text) if found < 0 else found
    return end - 1 if end > index and text[end - 1] == "\r" else end


def scalar(value: str) -> str:
    """A text as YAML reads it back, on one line: plain where that is safe, else in quotes."""
    if _PLAIN.fullmatch(value) and value.casefold() not in _RESERVED:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
