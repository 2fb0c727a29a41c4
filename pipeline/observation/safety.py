"""Text of tools inside prompts: cleaned, bounded, and told apart from our own words.

What tools write is untrusted. Only mapped values (enums, numbers, dates) enter a prompt as they are;
free text is normalised (NFKC), loses control, bidirectional and zero-width characters, becomes one
line, and is capped. Concise prompts frame it by its line and label, so brackets that could forge a
label are replaced; verbose and debug ones put it between marks that carry a token of the snapshot,
and every occurrence of the token inside is broken up.
"""

import re
import unicodedata
from typing import Final

TEXT_CAP: Final = 300
_SPACE: Final = re.compile(r"\s+")
_MARKS: Final = str.maketrans("«»", "<>")
_BRACKETS: Final = str.maketrans("【】〔〕[]«»", "()()()<>")


def clean_text(text: str, *, is_marked: bool = False) -> str:
    """The text as one harmless line; may be empty.

    Args:
        text: What a tool wrote.
        is_marked: It will stand between marks and may keep its brackets, except those of the marks.
    """
    brackets = _MARKS if is_marked else _BRACKETS
    if text.isascii() and text.isprintable():
        return _SPACE.sub(" ", text).strip().translate(brackets)
    kept = (char if _is_kept(char) else " " for char in unicodedata.normalize("NFKC", text))
    visible = "".join(char for char in kept if unicodedata.category(char) != "Cf")
    return _SPACE.sub(" ", visible).strip().translate(brackets)


def capped(text: str, cap: int) -> str:
    """The text with at most `cap` characters; `…` says that more follows."""
    return text if len(text) <= cap else text[: cap - 1] + "…"


def marked(text: str, token: str) -> str:
    """The text between marks that nothing inside can close: `«3fa9c1d2 text 3fa9c1d2»`."""
    broken = text.replace(token, "-".join((token[:4], token[4:])))
    return f"«{token} {broken} {token}»"


def _is_kept(char: str) -> bool:
    """Whether a character may stand in a prompt; format characters are dropped, not spaced."""
    return unicodedata.category(char) not in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
