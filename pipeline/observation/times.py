"""Dates and times by declared format and zone. Nothing is guessed.

ISO 8601 is always understood; further formats are `strptime` patterns of a closed set of
directives, read with English month names whatever the machine's locale. A time without an offset
needs a declared zone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

EPOCH_FORMATS: Final = {"epoch_s": 1, "epoch_ms": 1_000}
_MAX_EPOCH_S: Final = 253_402_300_799
_ISO_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_ISO_DATETIME: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?",
    re.ASCII,
)
_DIRECTIVES: Final = {
    "Y": r"(?P<Y>[0-9]{4})",
    "m": r"(?P<m>[0-9]{1,2})",
    "d": r"(?P<d>[0-9]{1,2})",
    "H": r"(?P<H>[0-9]{1,2})",
    "M": r"(?P<M>[0-9]{2})",
    "S": r"(?P<S>[0-9]{2})",
    "b": r"(?P<b>[A-Za-z]{3})",
    "B": r"(?P<b>[A-Za-z]{3,9})",
    "z": r"(?P<z>Z|[+-][0-9]{2}:?[0-9]{2})",
    "%": "%",
}
ALLOWED_FORMATS: Final = ("iso", *EPOCH_FORMATS, *(f"%{name}" for name in _DIRECTIVES))
_MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """One declared format, checked and compiled."""

    text: str
    pattern: re.Pattern[str] | None
    """None for the epoch formats."""


def compile_format(text: str) -> TimeFormat:
    """Check a declared format.

    Raises:
        ValueError: It uses an unknown directive, one of them twice, or names no day.
    """
    if text in EPOCH_FORMATS:
        return TimeFormat(text, None)
    parts, position = [], 0
    for found in re.finditer(r"%(.?)", text):
        if found[1] not in _DIRECTIVES:
            raise ValueError(f"{found[0]!r} is no directive")
        parts += [re.escape(text[position : found.start()]), _DIRECTIVES[found[1]]]
        position = found.end()
    try:
        pattern = re.compile("".join([*parts, re.escape(text[position:])]))
    except re.error as error:
        raise ValueError(f"{text!r} names a part twice") from error
    if not {"Y", "d"} <= set(pattern.groupindex) or not {"m", "b"} & set(pattern.groupindex):
        raise ValueError(f"{text!r} names no whole day")
    return TimeFormat(text, pattern)


def read_date(text: object, formats: Sequence[TimeFormat]) -> date | None:
    """The day a raw value names; None when it fits neither ISO nor a declared format."""
    if not isinstance(text, str) or len(text) > 100:
        return None
    trimmed = text.strip()
    try:
        if _ISO_DATE.fullmatch(trimmed):
            return date.fromisoformat(trimmed)
        moment = _by_formats(trimmed, formats)
    except ValueError:
        return None
    return None if moment is None else moment.date()


def read_datetime(
    raw: object, formats: Sequence[TimeFormat], zone: tzinfo | None
) -> datetime | None:
    """The moment a raw value names, in UTC; None when it fits no format or names no offset."""
    try:
        if isinstance(raw, str):
            moment = _from_text(raw.strip(), formats) if len(raw) <= 100 else None
        else:
            moment = _from_epoch(raw, formats)
        return None if moment is None else _in_utc(moment, zone)
    except (ValueError, OverflowError):
        return None


def day_start(day: date, zone: tzinfo | None) -> datetime | None:
    """Midnight of a day in a zone (UTC when none is declared), in UTC; None past the calendar."""
    try:
        return datetime(day.year, day.month, day.day, tzinfo=zone or UTC).astimezone(UTC)
    except OverflowError:
        return None


def _from_text(text: str, formats: Sequence[TimeFormat]) -> datetime | None:
    if _ISO_DATETIME.fullmatch(text):
        return datetime.fromisoformat(text)
    return _by_formats(text, formats)


def _from_epoch(raw: object, formats: Sequence[TimeFormat]) -> datetime | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    for declared in formats:
        scale = EPOCH_FORMATS.get(declared.text)
        if scale is not None and abs(raw) <= _MAX_EPOCH_S * scale:
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=raw / scale)
    return None


def _in_utc(moment: datetime, zone: tzinfo | None) -> datetime | None:
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        if zone is None:
            return None
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(UTC)


def _by_formats(text: str, formats: Sequence[TimeFormat]) -> datetime | None:
    for declared in formats:
        found = declared.pattern.fullmatch(text) if declared.pattern else None
        if found is not None:
            return _build(found.groupdict())
    return None


def _build(parts: dict[str, str | None]) -> datetime:
    month = _month(parts["b"]) if parts.get("b") else int(parts.get("m") or 0)
    hour, minute, second = (int(parts.get(name) or 0) for name in "HMS")
    moment = datetime(int(parts["Y"] or 0), month, int(parts["d"] or 0), hour, minute, second)  # noqa: DTZ001
    offset = parts.get("z")
    return moment if offset is None else moment.replace(tzinfo=_offset(offset))


def _month(name: str | None) -> int:
    folded = (name or "").lower()
    for number, month in enumerate(_MONTHS, start=1):
        if folded in (month, month[:3]):
            return number
    raise ValueError(f"{name!r} is no month")


def _offset(text: str) -> tzinfo | None:
    return datetime.strptime(text, "%z").tzinfo
