"""Texts with numbers in them: one trace, two traces."""

from string import Formatter
from typing import Any, Final

__all__ = ["filled"]


class _Plurals(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        one, bar, other = format_spec.partition("|")
        if not bar:
            return str(super().format_field(value, format_spec))
        return one if str(value) == "1" else other


_PLURALS: Final = _Plurals()


def filled(text: str, /, **values: object) -> str:
    """The text with its fields filled.

    `{n} {n:trace|traces}` is `1 trace` and `2 traces`; any number but exactly 1 takes the second
    word, 0 and 1.0 too.

    Raises:
        KeyError: A field was not given.
    """
    return _PLURALS.vformat(text, (), values)
