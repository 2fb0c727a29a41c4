"""Evidence as a set: what CSA collects, before anybody asks what it says."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.observation.fragment import SemanticFragment


@dataclass(frozen=True, slots=True)
class Evidence:
    """An immutable set of fragments."""

    fragments: tuple[SemanticFragment, ...] = ()
    """Distinct, in canonical order."""
    content_hash: str = field(init=False, default="")
    """64 hex digits over the distinct statements: the same whatever the order, the time of
    observation or the versions that read them."""

    def __post_init__(self) -> None:
        digest = hashlib.sha256()
        for fact_id in sorted({fragment.fact_id for fragment in self.fragments}):
            digest.update(fact_id.encode("ascii"))
        object.__setattr__(self, "content_hash", digest.hexdigest())

    def __iter__(self) -> Iterator[SemanticFragment]:
        return iter(self.fragments)

    def __len__(self) -> int:
        return len(self.fragments)
