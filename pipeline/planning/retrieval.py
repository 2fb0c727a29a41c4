"""Which tools a request is about: the top few of a catalogue by their words (S4 §3.1).

Vectors are made offline from three things: description, schema, and sentences in which users ask
for the tool. Another embedding can be plugged in.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Protocol

from pipeline.contracts import Contract, Registry
from pipeline.contracts.similarity import Vector, cosine, rarity, unit_vector
from pipeline.terms import terms

TOP: Final = 3


class Embedding(Protocol):
    """Texts to vectors that can be compared by cosine."""

    def fit(self, documents: Sequence[str]) -> Sequence[Vector]:
        """The vectors of a catalogue; what follows is compared with these."""
        ...

    def query(self, text: str) -> Vector:
        """The vector of a request."""
        ...


class TermEmbedding:
    """Terms weighted by rarity: offline, the same each time."""

    def __init__(self) -> None:
        self._weights: Mapping[str, float] = {}

    def fit(self, documents: Sequence[str]) -> list[Vector]:
        """See `Embedding`."""
        counts = [Counter(terms(document)) for document in documents]
        self._weights = rarity(counts)
        return [unit_vector(count, self._weights) for count in counts]

    def query(self, text: str) -> Vector:
        """See `Embedding`; terms that the catalogue does not have are left out."""
        return unit_vector(Counter(terms(text)), self._weights)


class Retriever:
    """Looks tools up in a registry, as it is at that moment.

    Args:
        registry: The contracts in force; a change is noticed at the next look.
        embedding: Makes the vectors.
    """

    def __init__(self, registry: Registry, embedding: Embedding | None = None) -> None:
        self._registry = registry
        self._embedding = embedding or TermEmbedding()
        self._generation = -1
        self._known: list[tuple[Contract, Vector]] = []

    def top(
        self, request: str, n: int = TOP, among: Collection[str] | None = None
    ) -> tuple[Contract, ...]:
        """The tools closest to a request, closest first; fewer when nothing is alike.

        A request that is like none gets the first tools of the catalogue, so that a planner always
        has something to say no to.

        Args:
            request: What the user said.
            n: How many at most.
            among: Names of the tools that may be found; all when None.
        """
        self._follow()
        wanted = self._embedding.query(request)
        scored = [
            (cosine(wanted, vector), contract)
            for contract, vector in self._known
            if among is None or contract.name in among
        ]
        near = [pair for pair in scored if pair[0] > 0] or [(0.0, pair[1]) for pair in scored]
        ranked = sorted(near, key=lambda pair: -pair[0])
        return tuple(contract for _, contract in ranked[:n])

    def _follow(self) -> None:
        if self._generation == self._registry.generation:
            return
        self._generation = self._registry.generation
        offered = self._registry.offered()
        vectors = self._embedding.fit([document_of(contract) for contract in offered])
        self._known = list(zip(offered, vectors, strict=True))


def document_of(contract: Contract) -> str:
    """The text by which a tool is found: name, description, schema, sentences of users."""
    parts = [contract.name, contract.description, *contract.when]
    return "\n".join([*parts, *_schema_texts(contract.input_schema)])


def _schema_texts(schema: Mapping[str, Any]) -> list[str]:
    properties = schema.get("properties")
    found = []
    for name, value in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(value, Mapping):
            allowed = value.get("enum")
            words = " ".join(map(str, allowed)) if isinstance(allowed, list) else ""
            found.append(f"{name} {value.get('description') or ''} {words}")
    return found
