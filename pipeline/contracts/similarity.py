"""How alike the descriptions of two tools are: cosine of their terms, weighted by rarity.

Source: Salton and Buckley 1988 (tf-idf). Terms: `pipeline.terms`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeAlias

from pipeline.contracts.model import Contract
from pipeline.terms import terms

NEAR_DUPLICATE: Final = 0.75
"""From here on two descriptions count as near duplicates: about three quarters of what they say."""

Vector: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class AlikePair:
    """Two tools, and how alike what a model reads of them is."""

    one: str
    other: str
    similarity: float
    """In [0, 1]."""


def alike_pairs(
    contracts: Iterable[Contract], threshold: float = NEAR_DUPLICATE
) -> tuple[AlikePair, ...]:
    """The pairs at or above a threshold, most alike first; sentences on when not to use are left out."""
    known = list(contracts)
    vectors = vectors_of([f"{c.name} {c.description} {' '.join(c.when)}" for c in known])
    pairs = [
        AlikePair(one.name, other.name, cosine(first, second))
        for (one, first), (other, second) in combinations(zip(known, vectors, strict=True), 2)
    ]
    found = (pair for pair in pairs if pair.similarity >= threshold)
    return tuple(sorted(found, key=lambda pair: (-pair.similarity, pair.one, pair.other)))


def vectors_of(texts: Sequence[str]) -> list[Vector]:
    """A unit vector for each text, weighted by how rare its terms are among them; empty for none."""
    counts = [Counter(terms(text)) for text in texts]
    return [unit_vector(count, rarity(counts)) for count in counts]


def rarity(counts: Sequence[Counter[str]]) -> dict[str, float]:
    """The weight of each term: `1 + ln((1 + n) / (1 + n_with))`."""
    n_with = Counter(term for count in counts for term in count)
    return {term: 1 + math.log((1 + len(counts)) / (1 + n)) for term, n in n_with.items()}


def unit_vector(count: Counter[str], weights: Mapping[str, float]) -> Vector:
    """Terms with their weights, of length 1; terms without a weight are left out."""
    raw = {term: n * weights[term] for term, n in count.items() if term in weights}
    length = math.sqrt(sum(value * value for value in raw.values()))
    return {term: value / length for term, value in raw.items()} if length else {}


def cosine(one: Vector, other: Vector) -> float:
    """In [0, 1]; 0 when one of them is empty."""
    return min(1.0, sum(_shared(one, other)))


def _shared(one: Vector, other: Vector) -> Iterator[float]:
    small, large = sorted((one, other), key=len)
    for term, value in small.items():
        if term in large:
            yield value * large[term]
