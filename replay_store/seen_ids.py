"""Sets of ids that never forget one and take a few bytes for each: what is new is known as new.

They only ever say "surely not" or "perhaps"; whoever hears "perhaps" asks the table.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

__all__ = ["Held", "SeenIds", "SeenParts", "spread"]

_IDS_A_WORD: Final = 2
_LEAST_WORDS: Final = 2**12
_PART: Final = 2**18
"""Ids of a part of `SeenParts`, which take 1 MiB."""
_BIT_SHIFTS: Final = tuple(np.uint64(shift) for shift in (40, 46, 52, 58))
"""Where an id's four bits in a word come from; the digits below them say which word."""
_BIT: Final = np.uint64(63)
_ONE: Final = np.uint64(1)
_HALF: Final = np.uint64(32)
_SPREAD: Final = np.uint64(0xD6E8FEB86659FD93)
"""An odd number without a pattern: times it, numbers are evenly spread anew."""

_Marks = Sequence[tuple[np.ndarray, np.ndarray]]
"""In which words ids are, and by which bits, of each of the three numbers of an id."""


class SeenIds:
    """A Bloom filter: of each id four bits in each of three words of 64 bits.

    Of ids that were never added, about one in two hundred thousand is "perhaps" when it is full.

    Args:
        n_ids: How many it has room for, at least; with more of them "perhaps" is said more often.
    """

    def __init__(self, n_ids: int) -> None:
        wanted = max(n_ids // _IDS_A_WORD, _LEAST_WORDS)
        n_words = 1 << (wanted - 1).bit_length()
        self._words = np.zeros(n_words, np.uint64)
        self._mask = np.uint64(n_words - 1)
        self._n_added = 0

    @property
    def n_more(self) -> int:
        """How many more ids it has room for."""
        return max(len(self._words) * _IDS_A_WORD - self._n_added, 0)

    def add(self, ids: np.ndarray) -> None:
        """Take ids in.

        Args:
            ids: Rows of two 64-bit numbers, each evenly spread.
        """
        for places, bits in self.marks(ids):
            np.bitwise_or.at(self._words, places, bits)
        self._n_added += len(ids)

    def may_hold(self, ids: np.ndarray) -> np.ndarray:
        """For each id, False where it was surely never added."""
        found = np.zeros(len(ids), bool)
        found[self.perhaps(self.marks(ids))] = True
        return found

    def marks(self, ids: np.ndarray) -> _Marks:
        """What to look for, here and in every other filter with room for as many."""
        return list(self._marks(ids))

    def perhaps(self, marks: _Marks) -> np.ndarray:
        """The places of the ids that may have been added, in order."""
        (places, bits), *others = marks
        left = np.flatnonzero((self._words[places] & bits) == bits)
        for places, bits in others:
            if not len(left):
                break
            wanted = bits[left]
            left = left[(self._words[places[left]] & wanted) == wanted]
        return left

    def _marks(self, ids: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        first, second = ids.T
        third = (first ^ ((second >> _HALF) | (second << _HALF))) * _SPREAD
        for numbers in (first, second, third):
            bits = np.zeros(len(ids), np.uint64)
            for shift in _BIT_SHIFTS:
                bits |= _ONE << ((numbers >> shift) & _BIT)
            yield (numbers & self._mask).astype(np.int64), bits


class Held(NamedTuple):
    """What one part may hold of the ids that were asked for."""

    part: int
    places: np.ndarray
    """Of those ids, in order; at least one."""


class SeenParts:
    """Filters of one size, one after the other as ids come: room for any number, never made anew."""

    def __init__(self) -> None:
        self._parts = [SeenIds(_PART)]

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, ids: np.ndarray) -> bool:
        """Take ids in, all into the newest part.

        Args:
            ids: As of `SeenIds`, fewer than a part has room for.

        Returns:
            Whether they begin a new part, because the one before had no room for them.
        """
        is_full = self._parts[-1].n_more < len(ids)
        if is_full:
            self._parts.append(SeenIds(_PART))
        self._parts[-1].add(ids)
        return is_full

    def perhaps(self, ids: np.ndarray) -> list[Held]:
        """The parts that may hold some of the ids, in order."""
        marks = self._parts[0].marks(ids)
        found = ((number, part.perhaps(marks)) for number, part in enumerate(self._parts))
        return [Held(number, places) for number, places in found if len(places)]


def spread(ids: np.ndarray) -> np.ndarray:
    """The same ids as rows of evenly spread numbers: ids made of times or counters are not."""
    first, second = ids.T
    mixed = _mixed(second)
    return np.column_stack([_mixed(first ^ mixed), _mixed(mixed + first * _SPREAD)])


def _mixed(numbers: np.ndarray) -> np.ndarray:
    for _ in range(2):
        numbers = (numbers ^ (numbers >> _HALF)) * _SPREAD
    mixed: np.ndarray = numbers ^ (numbers >> _HALF)
    return mixed
