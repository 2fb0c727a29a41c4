"""Which words of one text another one lacks. Pure; nothing is lost: the parts make up the text."""

import re
from collections.abc import Iterable, Sequence
from difflib import Match, SequenceMatcher
from typing import Final, NamedTuple

_WORD: Final = re.compile(r"\s+|[A-Za-z0-9_]+(?:[.:\-+][A-Za-z0-9_]+)*|.", re.DOTALL)
"""A run of blanks, a name, number, date or path, or one character of any other script."""
MOST_WORDS: Final = 1_500
"""Longer texts are compared line by line: comparing words takes their number squared."""


class Part(NamedTuple):
    """A stretch of text, and what it is to the other text."""

    text: str
    mark: str
    """`same`; `extra` when the other text lacks it; `gone` when only the other text has it."""


SAME: Final = "same"
EXTRA: Final = "extra"
GONE: Final = "gone"


def words(text: str) -> list[str]:
    """The text cut into words, blanks and single characters; joined they are the text."""
    return _WORD.findall(text)


def marked(text: str, others: Sequence[str]) -> list[Part]:
    """The text with every word marked that one of the other texts lacks.

    Order counts: a word that stands elsewhere in the other text is lacking here. Without other
    texts nothing is marked.
    """
    pieces = _pieces(text, others)
    lacking = [False] * len(pieces)
    for other in others:
        for index in _lacking(pieces, _pieces(other, (text,))):
            lacking[index] = True
    return _joined(
        (piece, EXTRA if lacks else SAME) for piece, lacks in zip(pieces, lacking, strict=True)
    )


def changes(before: str, after: str, alike: Sequence[str] = ()) -> list[Part]:
    """What became of a text: `same` and `gone` parts are the old one, `same` and `extra` the new.

    Args:
        before: The old text.
        after: The new text.
        alike: Words that count as equal to each other; the new one is shown.
    """
    old, new = _pieces(before, (after,)), _pieces(after, (before,))
    matcher = SequenceMatcher(None, _keys(old, alike), _keys(new, alike), autojunk=False)
    found: list[tuple[str, str]] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            found += [(piece, SAME) for piece in new[j1:j2]]
        else:
            found += [(piece, GONE) for piece in old[i1:i2]]
            found += [(piece, EXTRA) for piece in new[j1:j2]]
    return _joined(found)


def _pieces(text: str, others: Sequence[str]) -> list[str]:
    """Words; lines where any of the texts is long."""
    cut = words(text)
    if len(cut) <= MOST_WORDS and all(len(words(other)) <= MOST_WORDS for other in others):
        return cut
    return text.splitlines(keepends=True)


def _lacking(pieces: list[str], other: list[str]) -> list[int]:
    """Indexes of the pieces that the other text lacks; lone marks between them count as lacking."""
    matcher = SequenceMatcher(None, other, pieces, autojunk=False)
    kept = [False] * len(pieces)
    for block in matcher.get_matching_blocks():
        run = pieces[block.b : block.b + block.size]
        if any(piece.isalnum() or len(piece) > 1 for piece in run) or _is_edge(block, pieces):
            kept[block.b : block.b + block.size] = [True] * block.size
    return [index for index, is_kept in enumerate(kept) if not is_kept]


def _is_edge(block: Match, pieces: list[str]) -> bool:
    return block.b == 0 or block.b + block.size == len(pieces)


def _keys(pieces: list[str], alike: Sequence[str]) -> list[str]:
    return [alike[0] if piece in alike else piece for piece in pieces]


def _joined(pairs: Iterable[tuple[str, str]]) -> list[Part]:
    """Neighbours with one mark become one part."""
    parts: list[Part] = []
    for text, mark in pairs:
        if parts and parts[-1].mark == mark:
            parts[-1] = Part(parts[-1].text + text, mark)
        else:
            parts.append(Part(text, mark))
    return parts
