"""Small edits of rule files, for people who tune dictionaries: text in, text out."""

from collections.abc import Mapping
from typing import Any

import yaml

from pipeline.observation.errors import RuleFileError
from pipeline.observation.rules.yaml_text import read_yaml


def map_value(file: str, text: str, field: str, raw: str, words: Mapping[str, str]) -> str:
    """The file with words for one raw value of one enum field.

    A raw value among the field's `values` gets its words in `mapping`; any other becomes an approved
    fallback (confidence 0.7). Comments of the file are lost: a published version is data.

    Args:
        file: Name of the file, for messages.
        text: Its YAML text.
        field: Name of the field in `output_schema`.
        raw: The raw value, as tools write it.
        words: Display text by language.

    Raises:
        RuleFileError: The file cannot be read, or has no such enum field.
    """
    data = read_yaml(file, text)
    rule = _enum_field(file, data, field)
    is_known = raw in [str(value) for value in rule.get("values", [])]
    key = "mapping" if is_known else "fallback_mapping"
    rule[key] = {**rule.get(key, {}), raw: dict(words)}
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False)


def _enum_field(file: str, data: Mapping[str, Any], field: str) -> dict[str, Any]:
    schema = data.get("output_schema")
    rules = [rule for rule in schema if isinstance(rule, dict)] if isinstance(schema, list) else []
    enums = {rule["name"]: rule for rule in rules if rule.get("type") == "enum" and "name" in rule}
    if field not in enums:
        problem = f"{field} is no enum field"
        raise RuleFileError(file, "output_schema", problem, [str(name) for name in enums])
    found: dict[str, Any] = enums[field]
    return found
