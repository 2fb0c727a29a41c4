"""A version of the rules that reads beside the one in force, on live traffic; no model is shown it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.observation.grouping import primary_entity, related_entities
from pipeline.observation.inputs import Context, ToolOutput
from pipeline.observation.parser import parse
from pipeline.observation.resolved import Health, ResolvedSnapshot
from pipeline.observation.resolver import resolve
from pipeline.observation.rules.model import RuleSet
from pipeline.observation.snapshot import align

__all__ = ["ShadowReading", "shadow_reading"]


@dataclass(frozen=True, slots=True)
class ShadowReading:
    """How another version would have read one observation."""

    version: str
    sha256: str
    n_facts_changed: int
    """Statements, derived ones too, that only one version makes, or that both make otherwise; one
    that is made otherwise counts once."""
    changed: tuple[str, ...]
    """Their fact types, sorted."""
    before: Health
    """Counts by the version in force."""
    after: Health
    """Counts by this one."""

    @property
    def is_same(self) -> bool:
        """Whether both versions read the same."""
        return self.n_facts_changed == 0


def shadow_reading(
    outputs: Iterable[ToolOutput], context: Context, shown: ResolvedSnapshot, rules: RuleSet
) -> ShadowReading:
    """Read some outputs by another version, and count what differs.

    Args:
        outputs: What the tools answered.
        context: Of the observation.
        shown: What the version in force made of them, without noise.
        rules: The version in the shadow.
    """
    fragments = [fragment for output in outputs for fragment in parse(output, rules, context)]
    resolved = resolve(
        align(fragments),
        context.query_time,
        primary_entity(rules, context),
        rules=rules,
        related=related_entities(rules, context),
    )
    old, new = _statements(shown), _statements(resolved)
    gone, come = _by_type(old - new), _by_type(new - old)
    counts = {name: max(gone[name], come[name]) for name in gone.keys() | come.keys()}
    return ShadowReading(
        version=rules.version,
        sha256=rules.sha256,
        n_facts_changed=sum(counts.values()),
        changed=tuple(sorted(counts)),
        before=shown.health,
        after=resolved.health,
    )


def _statements(resolved: ResolvedSnapshot) -> Counter[tuple[str, str]]:
    """Fact type and id of every statement."""
    return Counter((cell.type, fact_id) for cell in resolved.cells for fact_id in cell.fact_ids)


def _by_type(statements: Counter[tuple[str, str]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (fact_type, _), n in statements.items():
        found[fact_type] += n
    return found
