"""CSA, first half: what was said, as a set. Union is the only operation.

Because a snapshot is a set, `align` is idempotent, commutative and associative, and
`align(A + B) = align(align(A) + align(B))` (S0 §4.3) holds exactly. Conflicts, ages and derived facts
are computed on reading, by `resolver.resolve`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from pipeline.observation.callers import Caller
from pipeline.observation.evidence import Evidence
from pipeline.observation.fragment import SemanticFragment, iso
from pipeline.observation.render import render
from pipeline.observation.resolver import resolve
from pipeline.observation.rules import RuleSet, package_rules


@dataclass(frozen=True, slots=True)
class SemanticSnapshot(Evidence):
    """The evidence of one observation. Build it with `align`."""

    def __or__(self, other: Evidence) -> "SemanticSnapshot":
        return align([*self.fragments, *other.fragments])

    def to_prompt(
        self,
        template: str = "concise",
        language: str = "zh",
        *,
        query_time: datetime | None = None,
        rules: RuleSet | None = None,
        caller: Caller = Caller.LOCAL,
    ) -> str:
        """The evidence in words, by one of the package's templates.

        `Observation.to_prompt` knows the question as well: its entity, its critical facts, the raw
        outputs and the owners' templates.

        Args:
            template: One of `TEMPLATES`.
            language: One of `LANGUAGES`.
            query_time: Ages count back from it; None shows none.
            rules: The dictionary; the package's version 0 when None.
            caller: Debug prompts are for local and privileged callers only.

        Raises:
            TemplateError: There is no such template or language, or it is not for this caller.

        Source: S0 §4.3, §5.2.
        """
        known = rules or package_rules()
        resolved = resolve(self, query_time, rules=known)
        return render(resolved, template, language, rules=known, caller=caller).text


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
