"""Values as text: durations, times, rates, sizes. Units are never dropped; no value is a dash."""

import json
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import orjson

from replay_store.records import JsonValue

NO_VALUE: Final = "–"
"""What stands where there is nothing to show; never a zero."""
_US: Final = 1_000
_MS: Final = 1_000_000
_S: Final = 1_000_000_000
_MINUTE: Final = 60 * _S
_HOUR: Final = 60 * _MINUTE
_KIB: Final = 1024


def duration_text(duration_ns: int | float | None) -> str:
    """A length of time with its unit: `412 ms`, `3.20 s`, `2 min 5 s`, `1 h 4 min`."""
    if duration_ns is None:
        return NO_VALUE
    if duration_ns < _MS:
        return f"{duration_ns / _US:.0f} µs"
    if duration_ns < _S:
        return f"{_three_digits(duration_ns / _MS)} ms"
    if duration_ns < _MINUTE:
        return f"{duration_ns / _S:.2f} s"
    if duration_ns < _HOUR:
        minutes, rest = divmod(round(duration_ns / _S), 60)
        return f"{minutes} min {rest} s"
    hours, rest = divmod(round(duration_ns / _MINUTE), 60)
    return f"{hours} h {rest} min"


def _three_digits(value: float) -> str:
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{decimals}f}"


def rate_text(rate: float | None) -> str:
    """A rate in [0, 1] as percent with one decimal."""
    return NO_VALUE if rate is None else f"{rate:.1%}"


def count_text(count: float | None) -> str:
    """A count with thousands separators; a weighted one with one decimal."""
    if count is None:
        return NO_VALUE
    return f"{count:,.0f}" if float(count).is_integer() else f"{count:,.1f}"


def number_text(value: float | None) -> str:
    """A mean with two decimals; what rounds to nothing has no sign."""
    return NO_VALUE if value is None else f"{value:z,.2f}"


def size_text(n_bytes: int) -> str:
    """A number of bytes in the unit that keeps it short."""
    if n_bytes < _KIB:
        return f"{n_bytes} B"
    if n_bytes < _KIB**2:
        return f"{n_bytes / _KIB:.1f} KiB"
    return f"{n_bytes / _KIB**2:.1f} MiB"


def moment(time_ns: int, zone: ZoneInfo) -> datetime:
    """A time point as an aware datetime; microseconds are what it can hold."""
    seconds, rest = divmod(time_ns, _S)
    return datetime.fromtimestamp(seconds, zone).replace(microsecond=rest // _US)


def time_text(time_ns: int | None, zone: ZoneInfo) -> str:
    """Date and time to the millisecond, without the zone (the page names it)."""
    if time_ns is None:
        return NO_VALUE
    return moment(time_ns, zone).isoformat(sep=" ", timespec="milliseconds")[:23]


def minute_text(time_ns: int, zone: ZoneInfo) -> str:
    """Date and time to the minute."""
    return moment(time_ns, zone).strftime("%Y-%m-%d %H:%M")


def zone_text(zone: ZoneInfo, time_ns: int | None = None) -> str:
    """The zone by name and its offset at that time, such as `Asia/Shanghai (UTC+08:00)`."""
    if time_ns is None or zone.key == "UTC":
        return zone.key
    offset = moment(time_ns, zone).strftime("%z")
    return f"{zone.key} (UTC{offset[:3]}:{offset[3:]})"


def json_text(value: JsonValue) -> str:
    """A value as people read it: text as it is, anything else as indented JSON.

    Text that is itself JSON is indented too, because arguments and results usually are.
    """
    if isinstance(value, str):
        return _indented(value)
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _indented(text: str) -> str:
    """JSON with line breaks; the text itself where that would change a number or lose a key."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = json.loads(text, parse_float=_exact_float, object_pairs_hook=_distinct_keys)
        return json.dumps(value, ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def _exact_float(digits: str) -> float:
    if repr(float(digits)) != digits:
        raise ValueError(digits)
    return float(digits)


def _distinct_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("repeated key")
    return dict(pairs)


def line_text(value: JsonValue) -> str:
    """A value on one line, for a table cell."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()
