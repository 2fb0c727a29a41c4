"""Made-up data by a schema: what a tool could answer, before it exists (S4 §4.3).

The same seed gives the same data. Patterns are filled in the simple forms that contracts use;
what cannot be made is said.
"""

import re
from collections.abc import Mapping
from random import Random
from typing import Any, Final

from pipeline.contracts.errors import ContractError
from pipeline.contracts.examples import example_of
from pipeline.contracts.model import Contract
from pipeline.contracts.validation import matches, schema_errors

_FORMATS: Final = {
    "date": "2026-11-20",
    "date-time": "2026-11-20T09:30:00+08:00",
    "time": "09:30:00",
    "email": "someone@shop.example",
    "uri": "https://shop.example/1",
    "uuid": "9f2c1b60-4c3a-4f0e-9a53-0f3f4c9f7a10",
}
_CLASS: Final = re.compile(r"\[([^\]]+)\]|\\d|\\w|([A-Za-z0-9_-])")
_COUNT: Final = re.compile(r"\{(\d+)(?:,\d*)?\}|\+|\*|\?")
_MAX_DEPTH: Final = 8


def mock_answer(contract: Contract, seed: int = 0) -> Any:
    """An answer that the contract's `returns` allows.

    Raises:
        ContractError: It has no `returns`, or asks for what cannot be made.
    """
    if contract.returns is None:
        raise ContractError(
            ["returns: missing: expected a JSON Schema to make data by; add it"], contract.name
        )
    return _checked(
        mock_value(contract.returns, seed), contract.returns, f"{contract.name}: returns"
    )


def mock_arguments(contract: Contract, seed: int = 0) -> Any:
    """Arguments that the contract's `input_schema` allows.

    Raises:
        ContractError: It asks for what cannot be made.
    """
    made = mock_value(contract.input_schema, seed)
    return _checked(made, contract.input_schema, f"{contract.name}: input_schema")


def mock_value(schema: Mapping[str, Any], seed: int = 0) -> Any:
    """A value by a schema; examples, enums and defaults come first."""
    return _value(schema, Random(f"mock|{seed}"), 0)  # noqa: S311  repeatable on purpose


def _value(schema: Mapping[str, Any], draws: Random, depth: int) -> Any:
    if "enum" in schema:
        return draws.choice(list(schema["enum"]))
    for key in ("oneOf", "anyOf"):
        if schema.get(key):
            return _value(schema[key][0], draws, depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        properties = schema.get("properties", {}) if depth < _MAX_DEPTH else {}
        return {name: _value(inner, draws, depth + 1) for name, inner in properties.items()}
    if kind == "array":
        return _items(schema, draws, depth)
    return _scalar(schema, kind, draws)


def _items(schema: Mapping[str, Any], draws: Random, depth: int) -> list[Any]:
    n_least = int(schema.get("minItems", 1))
    n_most = int(schema.get("maxItems", max(n_least, 3)))
    n = draws.randint(n_least, max(n_least, min(n_most, n_least + 2)))
    return [_value(schema.get("items", {}), draws, depth + 1) for _ in range(n)]


def _scalar(schema: Mapping[str, Any], kind: object, draws: Random) -> Any:
    example = example_of(schema)
    if example is not None and not schema_errors(example, schema):
        return example
    if kind in ("integer", "number"):
        return _number(schema, draws, is_whole=kind == "integer")
    if kind == "boolean":
        return draws.random() < 0.5
    if kind == "null":
        return None
    return _text(schema, draws)


def _number(schema: Mapping[str, Any], draws: Random, *, is_whole: bool) -> float:
    low = float(schema.get("minimum", schema.get("exclusiveMinimum", 0)))
    high = float(schema.get("maximum", schema.get("exclusiveMaximum", low + 1000)))
    value = low + (high - low) * draws.uniform(0.05, 0.95)
    return round(value) if is_whole else round(value, 2)


def _text(schema: Mapping[str, Any], draws: Random) -> str:
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    if isinstance(pattern := schema.get("pattern"), str):
        return _of_pattern(pattern, draws)
    text = f"text {draws.randrange(1000)}"
    return text.ljust(int(schema.get("minLength", 0)), "x")[: int(schema.get("maxLength", 200))]


def _of_pattern(pattern: str, draws: Random) -> str:
    """A text for a row of characters and classes with counts; whether it fits is checked after."""
    rest, made = pattern.removeprefix("^").removesuffix("$"), ""
    while (found := _CLASS.match(rest)) is not None:
        rest = rest[found.end() :]
        count = _COUNT.match(rest)
        rest = rest[count.end() :] if count else rest
        n = int(count[1]) if count and count[1] else 1
        made += "".join(_character(found, draws) for _ in range(n))
    return made if matches(pattern, made) else ""


def _character(found: re.Match[str], draws: Random) -> str:
    if found[2] is not None:
        return found[2]
    if found[1] is None:
        return str(draws.randrange(10))
    ranges = re.findall(r"(.)-(.)|(.)", found[1])
    start, end, single = draws.choice(ranges)
    return single or chr(draws.randint(ord(start), ord(end)))


def _checked(value: Any, schema: Mapping[str, Any], where: str) -> Any:
    if errors := schema_errors(value, schema):
        error = errors[0]
        place = ".".join(str(part) for part in error.absolute_path) or "value"
        problem = f"{place}: {error.message}: no such value can be made up; give it an example"
        raise ContractError([problem], where)
    return value
