"""A long list of JSON objects as places in its text: each is read when it is asked for, and let go.

Of a long answer few records are read. Making all of them costs thousands of objects that live at the
same time, and so many start garbage collections over everything that the process holds, which take
longer than the answer.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, overload

_LONG: Final = 64 * 1024
"""Characters of a text from which on it is worth while."""
_PROBED: Final = 32
_LARGE: Final = 256
"""Characters of an item, of the first `_PROBED` on average; smaller ones are read faster at once."""
_DECODER: Final = json.JSONDecoder()
_OPENING: Final = re.compile(r"\[[ \t\n\r]*")
_MARK: Final = re.compile(r"[ \t\n\r]*([,\]])[ \t\n\r]*")
"""What follows an item."""


class LongList(Sequence[Mapping[object, object]]):
    """The objects of a list, read anew at every look; its text has been checked to the end."""

    __slots__ = ("_places", "_text")

    def __init__(self, text: str, places: Sequence[int]) -> None:
        self._text = text
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int, /) -> Mapping[object, object]: ...
    @overload
    def __getitem__(self, index: slice, /) -> "LongList": ...

    def __getitem__(self, index: int | slice, /) -> "Mapping[object, object] | LongList":
        if isinstance(index, slice):
            return LongList(self._text, self._places[index])
        found: Mapping[object, object] = _DECODER.raw_decode(self._text, self._places[index])[0]
        return found


def long_list(text: str) -> LongList | None:
    """The list that a JSON text is; None for any other text, which the usual reader may read.

    Every item is read once, by Python's own reader, to know that the text is JSON and where the items
    begin.
    """
    if len(text) < _LONG:
        return None
    try:
        places = _places(text)
    except (ValueError, RecursionError):
        return None
    return None if places is None else LongList(text, places)


def _places(text: str) -> list[int] | None:
    """Where the objects of a list begin; None when it is no list of large objects.

    Raises:
        ValueError: It is no JSON.
        RecursionError: An item nests too deep.
    """
    places: list[int] = []
    opening = _OPENING.match(text)
    at = opening.end() if opening else len(text)
    while text.startswith("{", at):
        places.append(at)
        mark = _MARK.match(text, _DECODER.raw_decode(text, at)[1])
        at = mark.end() if mark else len(text)
        if mark and mark[1] == "]":
            return places if at == len(text) else None
        if len(places) == _PROBED and at < _PROBED * _LARGE:
            return None
    return None
