"""YAML text to plain values: safe, bounded, without aliases and without repeated keys.

Scalars are read as YAML 1.2 does: `no` is a word, `12:30` and `2024-06-15` are text, and only `true`
and `false` are booleans. Codes of business systems look like all of these.
"""

import re
from copy import deepcopy
from functools import lru_cache
from typing import Any, Final

import yaml

from pipeline.observation.errors import RuleFileError

MAX_CHARACTERS: Final = 1_000_000
_MOST_KEPT: Final = 32
"""Texts whose values are kept: the files of a rule set in four versions. Copying is a tenth of reading."""


class _Reader(yaml.SafeLoader):
    """A safe loader that refuses what a rule file never needs."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(None, None, "aliases are not read", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.MarkedYAMLError(
                    None, None, f"the key {key.value!r} stands twice", key.start_mark
                )
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


_PLAIN: Final = {
    "bool": (r"true|false|True|False|TRUE|FALSE", "tTfF"),
    "int": (r"[-+]?(0|[1-9][0-9]*)", "-+0123456789"),
    "float": (r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", "-+.0123456789"),
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
}
_Reader.yaml_implicit_resolvers = {}
for _name, (_pattern, _first) in _PLAIN.items():
    _Reader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_name}", re.compile(f"^(?:{_pattern})$"), list(_first)
    )


def read_yaml(file: str, text: str) -> dict[str, Any]:
    """The mapping a rule file holds; the caller's own, however often the same text is read.

    Raises:
        RuleFileError: It is no YAML, no mapping, too long, uses aliases or repeats a key.
    """
    if len(text) > MAX_CHARACTERS:
        raise RuleFileError(file, "whole file", f"longer than {MAX_CHARACTERS} characters")
    try:
        data = deepcopy(_loaded(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "whole file"
        raise RuleFileError(file, place, error.problem or "is no YAML") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RuleFileError(file, "whole file", f"is no YAML ({type(error).__name__})") from error
    if not isinstance(data, dict):
        raise RuleFileError(file, "whole file", "holds no mapping", ["name: ...", "domain: ..."])
    return data


@lru_cache(maxsize=_MOST_KEPT)
def _loaded(text: str) -> Any:
    return yaml.load(text, Loader=_Reader)  # noqa: S506  # a SafeLoader
