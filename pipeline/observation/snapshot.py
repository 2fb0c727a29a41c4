"""CSA, first half: what was said, as a set. Union is the only operation.

Because a snapshot is a set, `align` is idempotent, commutative and associative, and
`align(A + B) = align(align(A) + align(B))` (S0 §4.3) holds exactly. Conflicts, ages and derived facts
are computed on reading, by `resolver.resolve`.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pipeline.observation.fragment import SemanticFragment, iso


@dataclass(frozen=True, slots=True)
class SemanticSnapshot:
    """An immutable set of evidence. Build it with `align`."""

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

    def __or__(self, other: "SemanticSnapshot") -> "SemanticSnapshot":
        return align([*self.fragments, *other.fragments])


def align(fragments: Iterable[SemanticFragment]) -> SemanticSnapshot:
    """The snapshot of some evidence, in whatever order and however often it comes.

    Source: S0 §4.3; no arbitration, no inference.
    """
    return SemanticSnapshot(tuple(sorted(set(fragments), key=_canonical_order)))


def _canonical_order(fragment: SemanticFragment) -> tuple[str, ...]:
    return (
        *fragment.entity,
        fragment.type,
        fragment.fact_id,
        iso(fragment.observed_at) or "",
        fragment.contract_version or "",
        fragment.rule_version or "",
        fragment.parser_version or "",
        fragment.tool,
    )
