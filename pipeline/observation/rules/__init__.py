"""What the tools' fields mean, written by domain owners as YAML and checked when read.

Owns the rule model, its file format and the package's own rule set (version 0). Reading needs
pydantic and PyYAML, using what was read needs neither: both are imported on the first load.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline.observation.rules.lint import RuleWarning, lint_rules
from pipeline.observation.rules.model import (
    DerivedRule,
    EntityRule,
    EnumRule,
    Envelope,
    FactType,
    FieldRule,
    ListRule,
    Relation,
    RuleSet,
    Strategy,
    ToolRules,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "DerivedRule",
    "EntityRule",
    "EnumRule",
    "Envelope",
    "FactType",
    "FieldRule",
    "ListRule",
    "Relation",
    "RuleSet",
    "RuleWarning",
    "Strategy",
    "ToolRules",
    "lint_rules",
    "load_folder",
    "load_rules",
    "map_value",
    "package_rule_texts",
    "package_rules",
]


def load_rules(texts: Mapping[str, str], version: str | None = None) -> RuleSet:
    """A rule set from YAML texts by file name; see `rules.load.load_rules`."""
    from pipeline.observation.rules import load

    return load.load_rules(texts, version)


def load_folder(folder: "Path", version: str | None = None) -> RuleSet:
    """A rule set from the `*.yaml` files of a folder; see `rules.load.load_folder`."""
    from pipeline.observation.rules import load

    return load.load_folder(folder, version)


def package_rule_texts() -> dict[str, str]:
    """The YAML text of each of the package's own rule files, by name."""
    from pipeline.observation.rules import load

    return load.package_rule_texts()


def package_rules() -> RuleSet:
    """The package's own rule set, version 0: the seeds' tools."""
    from pipeline.observation.rules import load

    return load.package_rules()


def map_value(file: str, text: str, field: str, raw: str, words: Mapping[str, str]) -> str:
    """A rule file's text with words for one raw value; see `rules.edit.map_value`."""
    from pipeline.observation.rules import edit

    return edit.map_value(file, text, field, raw, words)
