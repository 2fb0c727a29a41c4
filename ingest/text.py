r"""Text that no text column can hold, made visible: `\xff`, `\x00`, `\ud800`.

NUL bytes, lone surrogates and bytes that are not UTF-8 are replaced by backslash escapes, so that
nothing is dropped and nothing can break a query or a page.
"""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

MAX_RAW_BYTES: Final = 64 * 1024
"""How much of a refused record is kept."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def storable(text: str) -> str:
    r"""The text with NUL and lone surrogates as escapes.

    A surrogate in U+DC80..U+DCFF is how Python carries a byte that is not UTF-8; it reads `\xNN`.
    """
    return _UNSTORABLE.sub(_escape, text) if _UNSTORABLE.search(text) else text


def escaped(data: bytes) -> str:
    """The first 64 KiB of bytes as text in which every odd byte is visible."""
    text = data[:MAX_RAW_BYTES].decode("utf-8", "backslashreplace")
    return _CONTROL.sub(_escape, text)


def listed(words: Iterable[str], limit: int = 6) -> str:
    """Some words for a sentence: `a, b, c, ...`; `none` when there are none."""
    shown = list(islice(words, limit + 1))
    text = ", ".join(storable(word[:40]) for word in shown[:limit]) or "none"
    return text + (", ..." if len(shown) > limit else "")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"
