"""Values that are wrong in a way a record survives: dropped, and noted on the record."""

from collections.abc import Mapping
from typing import Any, Final

from ingest import ids
from ingest.text import storable
from ingest.times import time_ns, whole_number

_UINT32_MAX: Final = 2**32 - 1


class Mender:
    """Reads the fields of one record; remembers whether one of them had to be given up."""

    def __init__(self, *, is_repaired: bool = False) -> None:
        self.is_repaired = is_repaired

    def time(self, value: object) -> int | None:
        """A time in ns; None, and a repair, for what is no time or does not fit 64 bits."""
        try:
            return time_ns(value)
        except ValueError:
            self.is_repaired = True
            return None

    def trace_id(self, value: object) -> str | None:
        """An optional trace id: None when absent; None, and a repair, when unreadable."""
        found = ids.trace_id(value)
        self.is_repaired |= found is None and not ids.is_absent(value)
        return found

    def span_id(self, value: object) -> str | None:
        """An optional span id; as `trace_id`."""
        found = ids.span_id(value)
        self.is_repaired |= found is None and not ids.is_absent(value)
        return found

    def unsigned(self, value: object) -> int:
        """A 32-bit count or bit field; 0 when absent; 0, and a repair, when it is none."""
        if value is None or value == "":
            return 0
        try:
            number = whole_number(value)
        except ValueError:
            number = -1
        if 0 <= number <= _UINT32_MAX:
            return number
        self.is_repaired = True
        return 0

    def enum(self, value: object, names: Mapping[str, int], last: int) -> int:
        """An enum as its number, given as number or name; 0 when absent or unknown."""
        if isinstance(value, str) and (named := names.get(value.upper())) is not None:
            return named
        number = self.unsigned(value)
        return number if number <= last else 0

    def text(self, value: Any) -> str | None:
        """A text; None when absent or empty; the written value, and a repair, when it is none."""
        if value is None or value == "":
            return None
        if isinstance(value, str):
            return value
        self.is_repaired = True
        return storable(str(value))
