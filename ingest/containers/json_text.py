"""JSON bytes to Python values, as leniently as can be done without guessing."""

import json
from typing import Any

import orjson

from ingest.errors import Reason, RecordError
from ingest.values import plain_value

_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_LONGEST_ESCAPE = 6


def loads(data: bytes) -> Any:
    """The value; the quick parser first, the patient one for what it refuses.

    The patient one takes NaN, lone surrogates, NUL and bytes that are not UTF-8; these stay in the
    strings as surrogates until the record is made storable.

    Raises:
        RecordError: Not JSON, nested too deep, or a number of too many digits.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as quick:
        return _patient(data, quick)


def loads_plain(data: bytes) -> Any:
    """As `loads`, with what JSON cannot hold (NaN, integers beyond 64 bits) made text.

    Raises:
        RecordError: As `loads`.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as quick:
        return plain_value(_patient(data, quick))


def _patient(data: bytes, quick: orjson.JSONDecodeError) -> Any:
    try:
        return json.loads(data.decode("utf-8", "surrogateescape"), strict=False)
    except json.JSONDecodeError as error:
        raise _refused(error) from error
    except RecursionError as error:
        raise RecordError(
            Reason.DEPTH,
            "the JSON nests too deep: expected fewer than about 1000 levels; flatten the values",
        ) from error
    except ValueError as error:
        raise RecordError(
            Reason.JSON,
            f"{quick.msg}: expected numbers of at most 4300 digits; write longer ones as strings",
        ) from error


def _refused(error: json.JSONDecodeError) -> RecordError:
    place = len(error.doc[: error.pos].encode("utf-8", "surrogateescape"))
    if _ends_early(error):
        return RecordError(
            Reason.TRUNCATED,
            f"the JSON ends in the middle (what begins at byte {place} is not closed): expected a "
            "complete value; export it again, or copy the file once its writer has finished",
        )
    return RecordError(
        Reason.JSON,
        f"not JSON at byte {place} ({error.msg}): expected one JSON value; correct or remove it",
    )


def _ends_early(error: json.JSONDecodeError) -> bool:
    """Whether the text only lacks its end."""
    rest = error.doc[error.pos :].strip()
    if not rest or error.msg.startswith("Unterminated string"):
        return True
    is_cut_escape = error.msg.startswith("Invalid \\") and len(rest) <= _LONGEST_ESCAPE
    return is_cut_escape or any(word.startswith(rest) for word in _LITERALS)
