"""Some keys of one entry of a rule file put into its YAML text: how a field is read, what a fact is called."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeAlias

import yaml

from dashboard.views.dictionaries.yaml_places import (
    Splice,
    added,
    end_of,
    named,
    scalar,
    spliced,
    value_of,
)

__all__ = ["Block", "Keys", "Setting", "keys_text", "with_keys"]

Setting: TypeAlias = "str | float | bool | list[str] | dict[str, Setting] | None"
"""What a key says; None, and an empty list or mapping, say nothing."""


class Block(StrEnum):
    """Where an entry stands in a rule file."""

    FIELD = "output_schema"
    DERIVED = "derived"
    FACT_TYPE = "fact_types"


_NAMED_BY = {Block.FIELD: "name", Block.DERIVED: "fact_type"}
"""The key that tells the entries of a list from each other."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What some keys of an entry are to say; the others stay."""

    settings: Mapping[str, Setting]
    item: str | None = None
    """Of a field that is a list, the item that is meant; None means the field."""


def keys_text(text: str, block: Block, name: str, edit: Keys) -> str:
    """The text of one rule file with some keys of one entry set.

    Args:
        text: YAML that loads as a rule file.
        block: Where the entry stands.
        name: The entry's.
        edit: The keys; one that says nothing and is not there stays away.

    Returns:
        The text unchanged when there is no such entry. The caller reads the result and checks it.
    """
    for key, setting in edit.settings.items():
        text = _with_key(text, _entry_node(text, block, name, edit.item), key, setting)
    return text


def with_keys(
    data: Mapping[str, Any], block: Block, name: str, edit: Keys
) -> dict[str, Any] | None:
    """A rule file as plain values with some keys of one entry set; None when it has no such entry."""
    changed = copy.deepcopy(dict(data))
    entry = _item(_entry(changed.get(block.value), block, name), edit.item)
    if entry is None:
        return None
    for key, setting in edit.settings.items():
        if key in entry or not _is_nothing(setting):
            entry[key] = setting
    return changed


def _entry(found: Any, block: Block, name: str) -> dict[str, Any] | None:
    if block is Block.FACT_TYPE:
        entry = found.get(name) if isinstance(found, dict) else None
        return entry if isinstance(entry, dict) else None
    return next((item for item in found or () if item.get(_NAMED_BY[block]) == name), None)


def _item(entry: dict[str, Any] | None, item: str | None) -> dict[str, Any] | None:
    if entry is None or item is None:
        return entry
    return next((e for e in entry.get("item_schema") or () if e.get("name") == item), None)


def _entry_node(text: str, block: Block, name: str, item: str | None) -> yaml.Node | None:
    found = value_of(yaml.compose(text, Loader=yaml.SafeLoader), block.value)
    if block is Block.FACT_TYPE:
        return value_of(found, name)
    entry = named(found, _NAMED_BY[block], name)
    return entry if item is None else named(value_of(entry, "item_schema"), "name", item)


def _with_key(text: str, node: yaml.Node | None, key: str, setting: Setting) -> str:
    if not isinstance(node, yaml.MappingNode):
        return text
    for known, old in node.value:
        if known.value == key:
            at = Splice(known.end_mark.index, end_of(text, old), f": {_written(setting)}")
            return spliced(text, [at])
    if _is_nothing(setting):
        return text
    return spliced(text, [added(text, node, f"{scalar(key)}: {_written(setting)}")])


def _is_nothing(setting: Setting) -> bool:
    return setting is None or setting in ([], {})


def _written(setting: Setting) -> str:
    """The setting as YAML, on one line."""
    match setting:
        case None:
            return "null"
        case bool():
            return "true" if setting else "false"
        case int() | float():
            return str(int(setting)) if setting == int(setting) else f"{Decimal(repr(setting)):f}"
        case str():
            return scalar(setting)
        case dict():
            return f"{{{', '.join(f'{scalar(k)}: {_written(v)}' for k, v in setting.items())}}}"
        case _:
            return f"[{', '.join(map(scalar, setting))}]"
