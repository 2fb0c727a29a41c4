"""Plain-text tables. Text from files is hostile: nothing in it may steer the terminal."""

import unicodedata
from collections.abc import Iterable, Sequence

__all__ = ["plain", "table", "wrapped"]

_WIDE = frozenset("WF")
_GAP = "  "


def plain(text: str) -> str:
    r"""The text on one line, with every control character written out, such as `\x1b`."""
    return "".join(_shown(character) for character in text)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns side by side under their headers; numbers to the right, None as `-`.

    Args:
        headers: One a column.
        rows: Cells in the order of the headers.

    Returns:
        Lines without a newline at the end; the headers alone when there are no rows.
    """
    body = [[_cell(value) for value in row] for row in rows]
    to_right = [all(_is_number(row[i]) for row in body) for i in range(len(headers))]
    widths = [max(_width(row[i]) for row in [list(headers), *body]) for i in range(len(headers))]
    lines = [
        _GAP.join(
            _padded(text, width, is_right and bool(body))
            for text, width, is_right in zip(row, widths, to_right, strict=True)
        ).rstrip()
        for row in [list(headers), *body]
    ]
    lines.insert(1, _GAP.join("-" * width for width in widths))
    return "\n".join(lines)


def wrapped(names: Sequence[str], indent: str = "  ") -> str:
    """One name a line, indented, each made safe to print."""
    return "\n".join(f"{indent}{plain(name)}" for name in names)


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return plain(str(value))


def _is_number(text: str) -> bool:
    return text == "-" or text.replace(",", "").replace(".", "", 1).lstrip("-").isdigit()


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in _WIDE else 1 for character in text)


def _padded(text: str, width: int, is_right: bool) -> str:
    fill = " " * (width - _width(text))
    return fill + text if is_right else text + fill
