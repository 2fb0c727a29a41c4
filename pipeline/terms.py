"""Text into terms that can be compared: words, shapes of numbers, pairs of Chinese characters."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

_PIECE: Final = re.compile(
    r"[A-Za-z0-9]+(?:[._'/-][A-Za-z0-9]+)*|[\u3400-\u9fff\uf900-\ufaff]+|[^\W\d_]+", re.ASCII
)
_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_CAMEL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_RUN: Final = re.compile(r"[a-z]+|[0-9]+|[^a-z0-9]")
_SUFFIXES: Final = ("ing", "ies", "ed", "es", "s")
_MIN_STEM: Final = 3
_STOP: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "could",
        "do",
        "for",
        "from",
        "get",
        "have",
        "how",
        "i",
        "in",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "please",
        "show",
        "that",
        "the",
        "this",
        "to",
        "was",
        "what",
        "when",
        "where",
        "which",
        "will",
        "with",
        "would",
        "you",
        "your",
        "need",
        "want",
        "的",
        "了",
        "吗",
        "呢",
        "我",
        "你",
        "他",
        "她",
        "它",
        "是",
        "在",
        "有",
        "和",
        "与",
        "或",
        "也",
        "就",
        "都",
        "请",
        "把",
        "被",
        "这",
        "那",
        "个",
        "下",
        "一下",
        "帮",
        "帮我",
        "帮我看",
        "我的",
        "什么",
        "怎么",
        "多少",
    ]
)


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeats included; empty for a text without any.

    Latin words in lower case without common endings, split where snake_case or camelCase joins
    them; a piece with a digit as its shape (`202611200815` is `d12`, `T2026` is `a1d4`), so that an
    example in a contract meets a value of its kind; Chinese as pairs of characters.
    """
    return [term for term in _terms(unicodedata.normalize("NFKC", text)) if term not in _STOP]


def _terms(text: str) -> Iterator[str]:
    for piece in _PIECE.findall(text.replace("_", " ")):
        if _HAN.match(piece):
            yield from _pairs(piece)
        elif any(character.isdigit() for character in piece):
            yield _shape(piece.lower())
        else:
            yield from (_stem(word.lower()) for word in _CAMEL.findall(piece) or [piece])


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for one, other in pairwise(run):
        yield one + other


def _shape(piece: str) -> str:
    return "".join(
        f"{'d' if run[0].isdigit() else 'a'}{len(run)}" if run[0].isalnum() else run
        for run in _RUN.findall(piece)
    )


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM:
            return word[: -len(suffix)] + ("y" if suffix == "ies" else "")
    return word
