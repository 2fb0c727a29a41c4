"""CSA, second half, the shape: one cell for each (entity, type), grouped by entity."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from pipeline.observation.fragment import EntityRef, SemanticFragment, Value, ValueType, Words

CellKey: TypeAlias = tuple[EntityRef, str]
"""What a cell is about: an entity and a fact type."""


class CellKind(StrEnum):
    """What is known about one type of one entity."""

    FACT = "FACT"
    CONFLICT = "CONFLICT"
    """Several sources, distinct values; nobody arbitrates."""
    DERIVED = "DERIVED"
    DEGRADED = "DEGRADED"
    UNKNOWN = "UNKNOWN"
    UNPARSED = "UNPARSED"
    EMPTY = "EMPTY"
    FAILED = "FAILED"


class SignalName(StrEnum):
    """Hard signs that an observation is not what was asked for."""

    ENTITY_MISMATCH = "ENTITY_MISMATCH"
    """A tool answered about another entity than the question's."""
    INSTRUCTION_TEXT = "INSTRUCTION_TEXT"
    """Free text of a tool reads like an instruction to the model. It is shown all the same."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One such sign."""

    name: SignalName
    tool: str
    expected: EntityRef
    """The question's entity; of INSTRUCTION_TEXT the one that the text is about."""
    found: tuple[EntityRef, ...]
    """The entities that the tool named instead; empty for INSTRUCTION_TEXT."""
    fact_type: str | None = None
    """Of INSTRUCTION_TEXT: the fact whose text it is."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of the distinct values of a cell."""

    value: Value
    words: Words
    confidence: float
    """The highest among its sources."""
    sources: tuple[str, ...]
    """Who says so; more than one corroborate each other."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What is known about one type of one entity: a fact or a conflict, never both."""

    entity: EntityRef
    type: str
    kind: CellKind
    value: Value
    """None for conflicts and for kinds without a value."""
    words: Words
    value_type: ValueType
    confidence: float
    """Of a conflict: the mean over its distinct values, one vote each (S0 §3.2); shown, never used
    to leave the conflict out."""
    age_seconds: int | None
    """How old the information is at the query; None when either time is unknown, negative when
    the source's clock is ahead."""
    observed_at: datetime | None
    valid_at: datetime | None
    reason: str | None
    alternatives: tuple[Alternative, ...]
    """The distinct values, most confident first; empty for kinds without a value."""
    evidence: tuple[SemanticFragment, ...]
    """What stands behind the cell: of one source only its newest answer."""

    @property
    def fact_ids(self) -> tuple[str, ...]:
        """Ids of the evidence, without repeats."""
        return tuple(dict.fromkeys(fragment.fact_id for fragment in self.evidence))

    @property
    def sources(self) -> tuple[str, ...]:
        """Who contributed, sorted, without repeats."""
        return tuple(sorted({fragment.source for fragment in self.evidence}))

    @property
    def key(self) -> str:
        """`order:12345/STATUS`: names the cell in coverage reports."""
        return f"{self.entity}/{self.type}"


class StepKind(StrEnum):
    """What alignment did."""

    MERGED = "MERGED"
    """One source said the same again: one statement."""
    SUPERSEDED = "SUPERSEDED"
    """A newer answer of one source took the place of an older one."""
    SET_ASIDE = "SET_ASIDE"
    """An answer without a value, or of a fallback, where another source has an ordinary one."""
    CORROBORATED = "CORROBORATED"
    """Several sources say the same."""
    CONFLICT = "CONFLICT"
    """Sources differ; every value is kept."""


@dataclass(frozen=True, slots=True)
class AlignmentStep:
    """One step in the making of one cell."""

    kind: StepKind
    entity: EntityRef
    type: str
    evidence: tuple[SemanticFragment, ...] = ()
    """Of MERGED the equal statements, of SUPERSEDED and SET_ASIDE the one that gave way."""
    stands: tuple[SemanticFragment, ...] = ()
    """Of SUPERSEDED: what the source says now."""
    alternatives: tuple[Alternative, ...] = ()
    """Of CORROBORATED the one value, of CONFLICT all of them, each with its sources."""


@dataclass(frozen=True, slots=True)
class Group:
    """Cells shown together: an entity and what belongs to it."""

    entity: EntityRef
    is_primary: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Health:
    """Counts by which an observation's health is judged."""

    n_cells: int
    """Without facts about answers as a whole."""
    n_multi_source_cells: int
    """Cells with values from two sources or more: the denominator of the conflict share."""
    n_conflicts: int
    n_unknown: int
    n_unparsed: int
    n_failed: int
    n_empty: int
    n_degraded: int
    mean_confidence: float | None
    """Over all cells that are counted; None without any."""


@dataclass(frozen=True, slots=True)
class ResolvedSnapshot:
    """A snapshot as it reads at one moment."""

    snapshot_hash: str
    query_time: datetime | None
    primary: EntityRef | None
    groups: tuple[Group, ...]
    """The primary entity's first, then the others in order of their names, tools last."""
    signals: tuple[Signal, ...]
    health: Health
    steps: tuple[AlignmentStep, ...] = ()
    """What became of cells that more than one statement is about, by entity and type."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, in the order in which prompts show them."""
        return tuple(cell for group in self.groups for cell in group.cells)

    def view(self, entity: EntityRef | None = None) -> dict[str, Cell]:
        """The seed's `{TYPE: ...}` shape of one group (S0 §3.2); the primary one by default.

        Empty when the entity has no group.
        """
        wanted = entity or self.primary
        found = [group for group in self.groups if group.entity == wanted]
        return {cell.type: cell for group in found for cell in group.cells}
