"""Values and comments as YAML text in which nothing of a tool can break out of its place."""

import json


def quoted(text: str) -> str:
    """The text in double quotes; every character that is not printable is escaped."""
    inner = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else _escape(char) for char in inner)


def comment(text: str) -> str:
    """The text as a comment on one line."""
    return "# " + "".join(char if char.isprintable() else " " for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
