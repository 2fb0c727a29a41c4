"""A JSON object that remembers how it is written."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

__all__ = ["JsonObject", "json_text"]

_EMPTY_LIST: Final = b"[]"


class JsonObject(dict[str, Any]):
    """A dictionary with its JSON beside it: hashed and stored from one writing.

    Args:
        value: Its content, which does not change any more.

    Raises:
        TypeError: Something in it that JSON cannot hold, such as a lone surrogate.
    """

    __slots__ = ("text",)

    def __init__(self, value: Mapping[str, Any]) -> None:
        super().__init__(value)
        # Copied to its length: orjson leaves room for every character to be escaped, eight times it.
        self.text = bytes(memoryview(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)))
        """Sorted by key, so that equal objects have equal texts."""

    def forget_values(self) -> None:
        """Keep the text alone: values take several times its room, and nobody reads them again."""
        self.clear()


def json_text(value: Any) -> bytes:
    """Any JSON value as UTF-8 text; an object that remembers its text is not written again."""
    if type(value) is JsonObject:
        return value.text
    return _EMPTY_LIST if value == [] else orjson.dumps(value)
