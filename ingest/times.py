"""Times on the wire to nanoseconds since the epoch, and the two columns derived from them."""

import math
import re
from datetime import datetime, timedelta
from typing import Final

INT64_MAX: Final = 2**63 - 1
INT64_MIN: Final = -(2**63)
NS_PER_SECOND: Final = 1_000_000_000
NS_PER_HOUR: Final = 3_600 * NS_PER_SECOND

LATENCY_GAMMA: Final = 1.02
"""Width of a latency bucket: bucket b holds durations in [gamma^b, gamma^(b+1)) microseconds, so
its geometric middle is within 1 % of every duration in it."""
LATENCY_LOG_GAMMA: Final = 0.0198026
"""ln(1.02), as SQL spells it."""

_RFC3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d{2}:\d{2})?"
)


def time_ns(value: object) -> int | None:
    """A time in ns, from a decimal string or a number.

    Returns:
        None for 0 and for a missing time. Absurd times stay as they are.

    Raises:
        ValueError: No whole number, or one beyond 64 bits.
    """
    if type(value) is int and 0 <= value <= INT64_MAX:
        return value or None
    if value is None or value == "":
        return None
    number = whole_number(value)
    if not INT64_MIN <= number <= INT64_MAX:
        raise ValueError(f"{number} does not fit 64 bits")
    return number or None


def whole_number(value: object) -> int:
    """An int64 in any of its JSON spellings: number, decimal string, `{low, high}`.

    Raises:
        ValueError: None of these.
    """
    if type(value) is int:
        return value
    if isinstance(value, str):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        low, high = value.get("low"), value.get("high")
        if isinstance(low, int) and isinstance(high, int):
            return (high << 32) | (low & 0xFFFFFFFF)
    raise ValueError(f"a {type(value).__name__} is no whole number")


def rfc3339_ns(text: str) -> int:
    """A written time with its offset, in ns.

    Raises:
        ValueError: Not such a time, or without offset; the message says what to write.
    """
    match = _RFC3339.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text[:40]!r} is no time; write 2026-01-01T00:00:00Z")
    day, clock, fraction, offset = match.groups()
    if offset is None:
        raise ValueError("no offset; write 2026-01-01T00:00:00Z")
    moment = datetime.fromisoformat(f"{day}T{clock}{offset.upper().replace('Z', '+00:00')}")
    seconds = (moment - datetime.fromisoformat("1970-01-01T00:00:00+00:00")) // timedelta(seconds=1)
    nanoseconds = seconds * NS_PER_SECOND + int((fraction or "0").ljust(9, "0"))
    if not INT64_MIN <= nanoseconds <= INT64_MAX:
        raise ValueError(f"{text[:40]!r} lies outside the years 1678 to 2262")
    return nanoseconds


def duration_ns(start: int | None, end: int | None) -> int | None:
    """End minus start; None when unfinished, or when the end lies before the start."""
    if start is None or end is None or end < start:
        return None
    duration = end - start
    return duration if duration <= INT64_MAX else None


def hour(start: int | None) -> int | None:
    """Hours since the epoch."""
    return None if start is None else start // NS_PER_HOUR


def latency_bucket(duration: int | None) -> int | None:
    """The log bucket of a duration in ns: floor(ln(us) / ln(1.02)); 0 below one microsecond."""
    if duration is None:
        return None
    microseconds = duration / 1_000
    return math.floor(math.log(microseconds) / LATENCY_LOG_GAMMA) if microseconds >= 1 else 0
