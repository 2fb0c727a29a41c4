"""A recorded observation read again: its raw outputs by some rule set, its evidence at its own time.

Pure: what was recorded, and the rules, are arguments. Nothing here is stored.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from pipeline.observation import (
    Context,
    CriticalityChecker,
    EntityRef,
    Health,
    ObservationError,
    ResolvedSnapshot,
    RuleSet,
    SemanticFragment,
    SemanticSnapshot,
    ToolOutput,
    align,
    decode_context,
    decode_snapshot,
    parse,
    primary_entity,
    related_entities,
    resolve,
)
from pipeline.observation.payload import decode
from replay_store.records import Observation
from replay_store.saw import RawRecord, RecordedObservation

CLEAN: Final = "clean"
CUT: Final = "…"
"""How a raw output ends of which only the beginning was recorded."""


class Statement(NamedTuple):
    """What one field of one tool says about one entity: the unit in which change is counted."""

    entity: EntityRef
    fact_type: str
    source: str


@dataclass(frozen=True, slots=True)
class Rereading:
    """What a recorded observation amounts to under some rule set."""

    rule_version: str
    context: Context
    outputs: tuple[ToolOutput, ...]
    """The raw outputs that were read, in order."""
    fragments: tuple[SemanticFragment, ...]
    snapshot: SemanticSnapshot
    resolved: ResolvedSnapshot
    critical: frozenset[str]
    """Types that a prompt must show, by these rules and the recorded intent."""
    n_unreadable: int
    """Outputs that were given to the observation and cannot be read again: recorded only in part,
    or not at all. Their facts are neither in this reading nor counted as changed."""
    changed: frozenset[Statement]
    """Statements whose fact ids differ from the recorded clean ones: other, new or gone."""

    @property
    def health(self) -> Health:
        """Counts of cells, conflicts and unknown values."""
        return self.resolved.health

    @property
    def snapshot_hash(self) -> str:
        """Equal to the recorded one exactly when every statement is."""
        return self.snapshot.content_hash

    @property
    def n_facts_changed(self) -> int:
        """How many statements read differently; one that reads differently counts once."""
        return len(self.changed)

    @property
    def is_complete(self) -> bool:
        """Whether every output could be read again."""
        return self.n_unreadable == 0


def reread(recorded: RecordedObservation, rules: RuleSet) -> Rereading:
    """Read the raw outputs of a recorded observation again, by any rules, in its own context.

    Query time, intent, primary entity and the times of the answers are the recorded ones, so that
    the rules which read them first give the recorded fact ids and snapshot hash again. Noise is not
    made again.

    Args:
        recorded: From `get_observation`.
        rules: Any rule set: an older one, a newer one, or one that nobody has published.

    Returns:
        Never fails: what cannot be read becomes a fact that says so, as in `parse`; outputs that
        were not recorded whole are left out and counted in `n_unreadable`.
    """
    context = recorded_context(recorded)
    readable = [raw for raw in recorded.raw if not _is_cut(raw)]
    outputs = tuple(_tool_output(raw) for raw in readable)
    fragments = tuple(f for output in outputs for f in parse(output, rules, context))
    snapshot = align(fragments)
    unread = {raw.output.tool_name for raw in recorded.raw if _is_cut(raw)}
    return Rereading(
        rule_version=rules.version,
        context=context,
        outputs=outputs,
        fragments=fragments,
        snapshot=snapshot,
        resolved=_resolved(snapshot, context, rules),
        critical=CriticalityChecker(rules).check(context),
        n_unreadable=max(recorded.observation.n_outputs, len(recorded.raw)) - len(outputs),
        changed=_changed(recorded, fragments, unread),
    )


def resolved_again(reading: Rereading, rules: RuleSet) -> Rereading:
    """The same evidence as other rules bring it together, for rules that read every field alike."""
    return replace(
        reading,
        rule_version=rules.version,
        resolved=_resolved(reading.snapshot, reading.context, rules),
        critical=CriticalityChecker(rules).check(reading.context),
    )


def resolve_recorded(
    recorded: RecordedObservation, variant: str, rules: RuleSet
) -> ResolvedSnapshot | None:
    """The recorded evidence of one variant as it read at its own time; nothing is parsed anew.

    Args:
        recorded: From `get_observation`.
        variant: `clean` or `noisy`.
        rules: Give derived facts, relations and the order of types.

    Returns:
        None when the variant was not recorded, or its text is no snapshot.
    """
    text = next((s.facts for s in recorded.snapshots if s.variant == variant), None)
    if text is None:
        return None
    try:
        snapshot = decode_snapshot(text)
    except ObservationError:
        return None
    return _resolved(snapshot, recorded_context(recorded), rules)


def recorded_context(recorded: RecordedObservation) -> Context:
    """The context that was recorded; what of it the columns hold when its text is missing."""
    if recorded.context is not None:
        try:
            return decode_context(recorded.context)
        except ObservationError:
            pass  # written by another hand: the columns below hold its essentials
    seen = recorded.observation
    return Context(_query_time(seen), seen.intent, _primary(seen.primary_entity))


def recorded_outputs(recorded: RecordedObservation) -> tuple[ToolOutput, ...]:
    """The raw outputs as the pipeline takes them, in order; cut ones as far as they were kept."""
    return tuple(_tool_output(raw) for raw in recorded.raw)


def _resolved(snapshot: SemanticSnapshot, context: Context, rules: RuleSet) -> ResolvedSnapshot:
    return resolve(
        snapshot,
        context.query_time,
        primary_entity(rules, context),
        rules=rules,
        related=related_entities(rules, context),
    )


def _is_cut(raw: RawRecord) -> bool:
    return raw.output.body.endswith(CUT)


def _tool_output(raw: RawRecord) -> ToolOutput:
    return ToolOutput(
        tool=raw.output.tool_name,
        version=raw.output.contract_version,
        received_at=_moment(raw.occurrence.received_time_text),
        body=_body(raw.output.body),
        error=raw.occurrence.error_class,
        degradation=raw.occurrence.degradation,
    )


def _body(text: str) -> object:
    """The body behind its recorded text: an answer that was no JSON was recorded as a JSON string."""
    value, problem = decode(text)
    if problem is None and isinstance(value, str) and decode(value)[1] is not None:
        return value
    return text


def _changed(
    recorded: RecordedObservation, fragments: Sequence[SemanticFragment], unread: set[str]
) -> frozenset[Statement]:
    before = _ids(
        (Statement(EntityRef(f.entity_type, f.entity_id), f.fact_type, f.source), f.fact_id)
        for f in recorded.facts
        if f.variant == CLEAN and f.tool_name not in unread
    )
    after = _ids(
        (Statement(f.entity, f.type, f.source), f.fact_id)
        for f in fragments
        if f.tool not in unread
    )
    return frozenset(
        key for key in before.keys() | after.keys() if before.get(key) != after.get(key)
    )


def _ids(facts: Iterable[tuple[Statement, str]]) -> Mapping[Statement, set[str]]:
    found: dict[Statement, set[str]] = defaultdict(set)
    for statement, fact_id in facts:
        found[statement].add(fact_id)
    return dict(found)


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _query_time(seen: Observation) -> datetime | None:
    if seen.query_time_ns is None:
        return None
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return epoch + timedelta(microseconds=seen.query_time_ns // 1_000)


def _primary(text: str | None) -> EntityRef | None:
    if text is None or ":" not in text:
        return None
    return EntityRef(*text.split(":", 1))
