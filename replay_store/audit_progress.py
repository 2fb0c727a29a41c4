"""How far one annotator is with a batch, what they passed over, and what others have done."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from uuid import UUID

from pipeline.vocabulary import SelectionLabel
from replay_store.audit import MAX_NAME_CHARS, Clock, items
from replay_store.audit_labels import batch_labels, decision_of, plain_text
from replay_store.database import Database
from replay_store.errors import AuditError
from replay_store.records import Label
from replay_store.statements import statement


class SkipReason(StrEnum):
    """Why a rater passes over a decision. It stays open for others."""

    NEEDS_EXPERT = "needs_expert"
    """It takes knowledge of a domain that the rater lacks."""
    INVOLVED = "involved"
    """The rater had a part in the case."""
    TOO_LONG = "too_long"
    """Reading it takes more time than there is."""


@dataclass(frozen=True, slots=True)
class SkipDraft:
    """One item passed over, as the annotator does it."""

    position: int
    reason: SkipReason


_NOTHING: Final[Mapping[int, SkipReason]] = {}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one annotator is with a batch."""

    n_items: int
    labels: Mapping[int, Label]
    """The label that holds, by position."""
    skipped: Mapping[int, SkipReason] = field(default_factory=lambda: _NOTHING)
    """What was passed over and not labelled since, by position."""
    settled: frozenset[int] = frozenset()
    """Items that enough others have labelled."""

    @property
    def n_labelled(self) -> int:
        """Items that have a label of this annotator."""
        return len(self.labels)

    @property
    def n_by_others(self) -> int:
        """Items that this annotator need not label any more."""
        return len(self.settled - self.labels.keys())

    def is_open(self, position: int) -> bool:
        """Whether an item still waits for this annotator."""
        done = (self.labels, self.skipped, self.settled)
        return not any(position in part for part in done)

    def first_open(self, start: int = 0) -> int | None:
        """The first item that waits, from `start` and round the end; None when none does."""
        order = (*range(start, self.n_items), *range(min(start, self.n_items)))
        return next((at for at in order if self.is_open(at)), None)

    def count(self, label: SelectionLabel) -> int:
        """Items whose label is this one."""
        return sum(1 for given in self.labels.values() if given.label == label)


def progress(database: Database, batch_id: UUID, annotator: str) -> Progress:
    """How far an annotator is, read from what the store holds."""
    held = {item.position: decision_of(item) for item in items(database, batch_id)}
    given = {decision_of(label): label for label in batch_labels(database, batch_id, annotator)}
    labels = {at: given[decision] for at, decision in held.items() if decision in given}
    settled = database.rows(
        statement("sql/audit_settled"), {"batch_id": str(batch_id), "annotator": annotator}
    )
    skipped = {
        at: reason
        for at, reason in _skips(database, batch_id, annotator).items()
        if at not in labels
    }
    return Progress(len(held), labels, skipped, frozenset(row["position"] for row in settled))


def record_skips(
    database: Database, batch_id: UUID, drafts: Iterable[SkipDraft], annotator: str, clock: Clock
) -> int:
    """Append what was passed over; what is known already is not stored again.

    Returns:
        How many were stored.

    Raises:
        AuditError: No annotator, or no such item; then none is stored.
    """
    name = plain_text(annotator.strip())
    if not 0 < len(name) <= MAX_NAME_CHARS:
        raise AuditError("audit: annotator: expected a name; write yours")
    wanted = list(drafts)
    if not wanted:
        return 0
    with database.transaction() as cursor:
        n_items = len(items(database, batch_id))
        known = _skips(database, batch_id, name)
        fresh = [draft for draft in wanted if known.get(draft.position) != draft.reason]
        for draft in fresh:
            if not 0 <= draft.position < n_items:
                raise AuditError(
                    f"audit: batch {batch_id}: no item {draft.position}: "
                    f"expected 0 to {n_items - 1}"
                )
            row = {"batch_id": batch_id, "position": draft.position, "annotator": name}
            cursor.execute(
                statement("sql/audit_insert_skip"),
                row | {"reason": str(draft.reason), "time_ns": clock()},
            )
        if fresh:
            cursor.execute(statement("sql/bump_version"))
    return len(fresh)


def skip_counts(database: Database, batch_id: UUID) -> Mapping[SkipReason, int]:
    """How many items of a batch somebody passed over and nobody labelled, by reason."""
    rows = database.rows(statement("sql/audit_skip_counts"), {"batch_id": batch_id})
    return {SkipReason(row["reason"]): row["n"] for row in rows}


def _skips(database: Database, batch_id: UUID, annotator: str) -> dict[int, SkipReason]:
    rows = database.rows(
        statement("sql/audit_skips"), {"batch_id": batch_id, "annotator": annotator}
    )
    return {row["position"]: SkipReason(row["reason"]) for row in rows}
