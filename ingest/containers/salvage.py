"""What is complete in a JSON document that was cut off in the middle."""

import re
from typing import Final

# The closing quote is optional: in a string that was cut off, brackets are still text.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\]]', re.DOTALL)
_TOKEN_OR_COMMA = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\],]', re.DOTALL)
_CLOSE: Final = bytes.maketrans(b"{[", b"}]")
_RECORD_LIST: Final = b"{[{[{["
"""Open brackets between two records: export, resources, resource, scopes, scope, records."""
_CLOSING: Final = b"]}]}]}"


def closed_after_last_record(data: bytes) -> bytes | None:
    """The document up to its last complete span or log record, with the brackets closed.

    Returns:
        None when no record is complete.
    """
    open_brackets = bytearray()
    end = 0
    for match in _TOKEN.finditer(data):
        token = match.group()
        if token in b"{[":
            open_brackets += token
        elif token in b"}]" and open_brackets:
            open_brackets.pop()
            if open_brackets == _RECORD_LIST and token == b"}":
                end = match.end()
    return data[:end] + _CLOSING if end else None


def closed_after_last_value(data: bytes) -> bytes | None:
    """Any document up to the last item that is complete, with the brackets closed.

    Items are those of a list at the top, or those of the lists in an object at the top.

    Returns:
        None when nothing in it is complete.
    """
    deepest = 1 if data.lstrip()[:1] == b"[" else 2
    open_brackets = bytearray()
    cut: tuple[int, bytes] | None = None
    for match in _TOKEN_OR_COMMA.finditer(data):
        token = match.group()
        if token in (b"{", b"["):
            open_brackets += token
        elif token in (b"}", b"]") and open_brackets:
            open_brackets.pop()
            if len(open_brackets) <= deepest:
                cut = match.end(), bytes(open_brackets)
        elif token == b"," and 0 < len(open_brackets) <= deepest:
            cut = match.start(), bytes(open_brackets)
    if cut is None:
        return None
    end, still_open = cut
    return data[:end] + still_open[::-1].translate(_CLOSE)
