"""What is wrong with the arguments of a call: by the tool's JSON Schema, and by a case's rules.

Schemas and patterns come from traces and files; `pipeline.contracts.validation` reads them.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

import re2  # type: ignore[import-untyped]

from pipeline.contracts.validation import schema_errors
from pipeline.replay.case import ArgumentRule, Arguments

MAX_PROBLEMS: Final = 20


class Sub(StrEnum):
    """A finer reason beside a label."""

    GOLD_NOT_OFFERED = "GOLD_NOT_OFFERED"
    """No right tool was on offer: the catalogue is to blame, not the chooser."""
    NOT_OFFERED = "NOT_OFFERED"
    FORBIDDEN = "FORBIDDEN"
    SCHEMA = "SCHEMA"
    UNKNOWN_PARAM = "UNKNOWN_PARAM"
    VALUE = "VALUE"


def schema_problems(given: Arguments, schema: Arguments) -> Iterator[tuple[Sub, str]]:
    """What the schema says against the arguments; nothing for a schema that is none.

    A parameter that the schema does not name is a problem even where JSON Schema lets it through:
    the tool does not know it.
    """
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name in given:
            if name not in properties:
                yield Sub.UNKNOWN_PARAM, f"{name}: no such parameter"
    for problem in _validation_problems(given, schema):
        yield Sub.SCHEMA, problem


def rule_problems(given: Arguments, rules: Mapping[str, ArgumentRule]) -> Iterator[tuple[Sub, str]]:
    """What the rules of a case say against the arguments; parameters without a rule are free."""
    for name, rule in rules.items():
        if name not in given:
            if not rule.is_optional:
                yield Sub.VALUE, f"{name}: missing"
        elif not _holds(rule, given[name]):
            yield Sub.VALUE, f"{name}: {given[name]!r}: expected {_wanted(rule)}"


def is_equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: 1 is 1.0 and not true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(is_equal, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(is_equal(one[key], other[key]) for key in one)
    return bool(one == other)


def _validation_problems(given: Arguments, schema: Arguments) -> Iterator[str]:
    for error in schema_errors(dict(given), schema)[:MAX_PROBLEMS]:
        place = ".".join(str(part) for part in error.absolute_path)
        yield f"{place}: {error.message}" if place else str(error.message)


def _holds(rule: ArgumentRule, value: Any) -> bool:
    if rule.is_ignored:
        return True
    is_text = rule.pattern is not None and isinstance(value, str)
    if is_text and re2.fullmatch(rule.pattern, value) is not None:
        return True
    return any(is_equal(value, right) for right in rule.values)


def _wanted(rule: ArgumentRule) -> str:
    texts = [repr(value) for value in rule.values]
    if rule.pattern is not None:
        texts.append(f"text like {rule.pattern}")
    return " or ".join(texts) or "nothing"
