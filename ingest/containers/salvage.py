"""What is complete in an OTLP/JSON document that was cut off in the middle."""

import re
from typing import Final

# The closing quote is optional: in a string that was cut off, brackets are still text.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\]]', re.DOTALL)
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
