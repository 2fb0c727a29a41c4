"""Reading values of unknown shape: what is not of the wanted type is simply not there.

Exports of platforms are written by many versions of many programs; a reader that insisted on one
type would lose a file over one field.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from ingest.times import INT64_MAX, INT64_MIN, NS_PER_SECOND, rfc3339_ns

NS_PER_MS: Final = 1_000_000
NS_PER_US: Final = 1_000
_ISO_DURATION: Final = re.compile(
    r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.IGNORECASE
)
_OFFSET: Final = re.compile(r"(?:[Zz]|[+-]\d{2}:?\d{2})$")
_MAX_ENCODINGS: Final = 3
_MAX_DIGITS: Final = 20


def obj(value: Any) -> Mapping[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def arr(value: Any) -> Sequence[Any]:
    """The value when it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a list; everything else in it is passed over."""
    return (item for item in arr(value) if isinstance(item, dict))


def txt(value: Any) -> str | None:
    """The value as a name: text as it is, a number in digits; None for empty and other values."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return str(value)


def real(value: Any) -> float | None:
    """The value when it is a finite number or the digits of one; None otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def whole(value: Any) -> int | None:
    """The value when it is a whole number or the digits of one; None otherwise, or beyond 64 bits."""
    number = value if type(value) is int else _integer(value)
    return number if number is not None and INT64_MIN <= number <= INT64_MAX else None


def _integer(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < _MAX_DIGITS:
        return int(value)
    number = real(value)
    return int(number) if number is not None and number.is_integer() else None


def first(fields: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that is there and neither None nor empty text."""
    for name in names:
        value = fields.get(name)
        if value is not None and value != "":
            return value
    return None


def decoded(value: Any) -> Any:
    """JSON text as its value, up to three encodings deep; anything else as it is."""
    for _ in range(_MAX_ENCODINGS):
        if not isinstance(value, str) or value[:1] not in ("{", "[", '"'):
            return value
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def iso_ns(value: Any) -> int | None:
    """A written time in ns since the epoch; one without offset is UTC. None when it is no time."""
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        return rfc3339_ns(text if _OFFSET.search(text) else f"{text}Z") or None
    except ValueError:
        return _lenient_ns(text)


def _lenient_ns(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return round(moment.timestamp() * 1_000_000) * NS_PER_US or None
    except (ValueError, OverflowError):
        return None


def scaled_ns(value: Any, ns_per_unit: int) -> int | None:
    """A number of some unit in ns; None when it is none, zero, or beyond 64 bits."""
    if type(value) is int:
        scaled = value * ns_per_unit
    else:
        number = real(value)
        if number is None:
            return None
        scaled = round(number * ns_per_unit) if abs(number) < INT64_MAX else 0
    return scaled if 0 < scaled <= INT64_MAX else None


def length_ns(value: Any, ns_per_unit: int = NS_PER_SECOND) -> int | None:
    """A length of time in some unit, in ns; zero is one. None when it is none or beyond 64 bits."""
    number = real(value)
    if number is None or abs(number) >= INT64_MAX / ns_per_unit:
        return None
    return round(number * ns_per_unit)


def moment_ns(value: Any, ns_per_unit: int = NS_PER_SECOND) -> int | None:
    """A time that is either written out or a number of some unit since the epoch."""
    found = iso_ns(value)
    return scaled_ns(value, ns_per_unit) if found is None else found


def after_ns(start: int | None, length: int | None) -> int | None:
    """The end of something, from its start and its length; None when either is unknown."""
    if start is None or length is None:
        return None
    end = start + length
    return end if end <= INT64_MAX else None


def iso_duration_ns(value: Any) -> int | None:
    """An ISO 8601 duration (`PT40M33.9S`) in ns; None when it is none."""
    match = _ISO_DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    days, hours, minutes, seconds = match.groups()
    whole_seconds = int(days or 0) * 86_400 + int(hours or 0) * 3_600 + int(minutes or 0) * 60
    whole_part, _, fraction = (seconds or "0").partition(".")
    nanoseconds = int(fraction[:9].ljust(9, "0")) if fraction else 0
    total = (whole_seconds + int(whole_part)) * NS_PER_SECOND + nanoseconds
    return total if total <= INT64_MAX else None


def kept(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None and value != ""}
