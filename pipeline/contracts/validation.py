"""JSON Schema as contracts use it: draft 2020-12, patterns in linear time, nothing fetched.

Schemas come from files and traces. Patterns are matched by RE2; one that RE2 does not know (a
look-around) judges nothing.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from functools import cache, lru_cache
from typing import Any, Final

import re2  # type: ignore[import-untyped]

MAX_ERRORS: Final = 50


def is_pattern(text: str) -> bool:
    """Whether a text is a pattern that can be matched."""
    try:
        re2.compile(text)
    except re2.error:
        return False
    return True


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found in the text; `$` is its very end, not before a line end."""
    return re2.search(pattern, text) is not None


def schema_errors(value: object, schema: Mapping[str, Any]) -> list[Any]:
    """The errors of a value by a schema, at most 50; none for a schema that is none."""
    from referencing.exceptions import Unresolvable

    try:
        compiled = _compiled(json.dumps(schema))
        return [] if compiled is None else list(compiled.iter_errors(value))[:MAX_ERRORS]
    except (Unresolvable, RecursionError, TypeError):
        return []


@lru_cache(maxsize=1024)
def _compiled(schema: str) -> Any:
    """A validator, made once: checking a schema takes a thousand times as long as using it."""
    from jsonschema.exceptions import SchemaError  # type: ignore[import-untyped]
    from referencing import Registry

    validator, parsed = _validator(), json.loads(schema)
    try:
        validator.check_schema(parsed)
    except SchemaError:
        return None
    # An empty registry: a reference to another place is never fetched.
    return validator(parsed, registry=Registry(), format_checker=_formats())


def schema_problem(schema: object) -> str | None:
    """Why a schema is none; None when it is one."""
    from jsonschema.exceptions import SchemaError

    try:
        _validator().check_schema(schema)
    except SchemaError as error:
        place = ".".join(str(part) for part in error.absolute_path)
        return f"{place}: {error.message}" if place else str(error.message)
    return None


@cache
def _validator() -> Any:
    from jsonschema.validators import (  # type: ignore[import-untyped]
        Draft202012Validator,
        extend,
    )

    return extend(Draft202012Validator, {"pattern": _pattern})


def _pattern(_validator: Any, pattern: object, value: object, _schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if not isinstance(value, str) or not isinstance(pattern, str) or not is_pattern(pattern):
        return
    if not matches(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


@cache
def _formats() -> Any:
    """Dates and times as ISO 8601 has them; other formats say nothing."""
    from jsonschema import FormatChecker  # type: ignore[import-untyped]

    checker = FormatChecker(formats=())
    checker.checks("date", ValueError)(_reads(date.fromisoformat, length=10))
    checker.checks("date-time", ValueError)(_reads(datetime.fromisoformat, is_aware=True))
    checker.checks("time", ValueError)(_reads(time.fromisoformat))
    return checker


def _reads(read: Any, *, length: int | None = None, is_aware: bool = False) -> Any:
    def check(value: object) -> bool:
        if not isinstance(value, str):
            return True
        found = read(value)
        return (length is None or len(value) == length) and not (is_aware and found.tzinfo is None)

    return check
