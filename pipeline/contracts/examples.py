"""What a parameter's schema says to somebody who has to fill it: the format, and one example."""

import re
from collections.abc import Mapping
from typing import Any, Final

_EXAMPLE: Final = re.compile(
    r"(?:格式示例|示例|例如|例|[Ee]xamples?|e\.g\.)\s*[:：]?\s*[`\"'“]?([^\s`\"'”，,。；;）)]+)"
)
_FORMATS: Final = {
    "date": ("日期 YYYY-MM-DD", "a date, YYYY-MM-DD"),
    "date-time": ("带时区的时间，如 ISO 8601", "a time with offset, as in ISO 8601"),
    "time": ("时间 HH:MM:SS", "a time, HH:MM:SS"),
}
_TYPES: Final = {
    "string": ("文本", "text"),
    "integer": ("整数", "an integer"),
    "number": ("数字", "a number"),
    "boolean": ("true 或 false", "true or false"),
    "array": ("列表", "a list"),
    "object": ("对象", "an object"),
    "null": ("null", "null"),
}
_BOUNDS: Final = (
    ("minimum", "≥ {}"),
    ("exclusiveMinimum", "> {}"),
    ("maximum", "≤ {}"),
    ("exclusiveMaximum", "< {}"),
)
_LENGTHS: Final = (
    ("minLength", ("至少 {} 个字符", "at least {} characters")),
    ("maxLength", ("至多 {} 个字符", "at most {} characters")),
    ("minItems", ("至少 {} 项", "at least {} items")),
    ("maxItems", ("至多 {} 项", "at most {} items")),
)
_MAX_VALUES: Final = 20


def example_of(schema: Mapping[str, Any]) -> Any | None:
    """A right value: declared, told in the description, or the first that is allowed; else None."""
    for key in ("examples", "enum"):
        found = schema.get(key)
        if isinstance(found, list) and found:
            return found[0]
    for key in ("example", "const", "default"):
        if schema.get(key) is not None:
            return schema[key]
    told = _EXAMPLE.search(str(schema.get("description") or ""))
    return None if told is None else told[1]


def format_of(schema: Mapping[str, Any], language: str = "zh") -> str:
    """What the value has to look like, in one short phrase; empty where the schema is silent.

    Args:
        schema: Of the parameter.
        language: `zh` or `en`.
    """
    at = 0 if language == "zh" else 1
    if isinstance(allowed := schema.get("enum"), list):
        values = ", ".join(map(str, allowed[:_MAX_VALUES]))
        return (f"只能是 {values}", f"one of {values}")[at]
    parts = [_kind(schema, at)]
    if isinstance(pattern := schema.get("pattern"), str):
        parts.append((f"形如 {pattern}", f"like {pattern}")[at])
    parts += [text.format(schema[key]) for key, text in _BOUNDS if key in schema]
    parts += [texts[at].format(schema[key]) for key, texts in _LENGTHS if key in schema]
    return ("，", ", ")[at].join(part for part in parts if part)


def _kind(schema: Mapping[str, Any], at: int) -> str:
    named = _FORMATS.get(str(schema.get("format")))
    if named is not None:
        return named[at]
    kinds = schema.get("type")
    names = kinds if isinstance(kinds, list) else [kinds]
    return (" 或 ", " or ")[at].join(_TYPES[name][at] for name in names if name in _TYPES)
