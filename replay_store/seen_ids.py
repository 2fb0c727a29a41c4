"""A set of ids that never forgets one and takes a few bytes for each: what is new is known as new.

It only ever says "surely not" or "perhaps"; whoever hears "perhaps" asks the table.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

__all__ = ["SeenIds"]

_IDS_A_WORD: Final = 2
_LEAST_WORDS: Final = 2**12
_MOST_WORDS: Final = 2**24
"""128 MiB, for 33 million ids; with more of them "perhaps" is said more often."""
_BIT_SHIFTS: Final = tuple(np.uint64(shift) for shift in (40, 46, 52, 58))
"""Where an id's four bits in a word come from; the digits below them say which word."""
_BIT: Final = np.uint64(63)
_ONE: Final = np.uint64(1)


class SeenIds:
    """A Bloom filter: of each id four bits in each of two words of 64 bits.

    Of ids that were never added, about one in thirty thousand is "perhaps" when it is full.

    Args:
        n_ids: How many it has room for.
    """

    def __init__(self, n_ids: int) -> None:
        wanted = max(n_ids // _IDS_A_WORD, _LEAST_WORDS)
        n_words = min(1 << (wanted - 1).bit_length(), _MOST_WORDS)
        self._words = np.zeros(n_words, np.uint64)
        self._mask = np.uint64(n_words - 1)
        self._n_added = 0

    @property
    def n_more(self) -> int:
        """How many more ids it has room for; none where it is as large as it may be."""
        return max(len(self._words) * _IDS_A_WORD - self._n_added, 0)

    @property
    def can_grow(self) -> bool:
        """Whether one made anew for more ids would be larger."""
        return len(self._words) < _MOST_WORDS

    def add(self, ids: np.ndarray) -> None:
        """Take ids in.

        Args:
            ids: Rows of two 64-bit numbers, each evenly spread.
        """
        for places, bits in self._marks(ids):
            np.bitwise_or.at(self._words, places, bits)
        self._n_added += len(ids)

    def may_hold(self, ids: np.ndarray) -> np.ndarray:
        """For each id, False where it was surely never added."""
        found = np.ones(len(ids), bool)
        for places, bits in self._marks(ids):
            found &= (self._words[places] & bits) == bits
        return found

    def _marks(self, ids: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each half of the ids, which words they are in and by which bits."""
        for half in ids.T:
            bits = np.zeros(len(ids), np.uint64)
            for shift in _BIT_SHIFTS:
                bits |= _ONE << ((half >> shift) & _BIT)
            yield (half & self._mask).astype(np.int64), bits
