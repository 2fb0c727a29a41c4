"""Decisions of a batch on which raters disagree, and who settles them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from pipeline.vocabulary import AnnotatorKind, SelectionLabel
from replay_store.audit import items
from replay_store.audit_labels import ADJUDICATION_SOURCE, batch_labels, decision_of
from replay_store.audit_progress import Progress
from replay_store.database import Database
from replay_store.records import Label

_WELL_CALLED: Final = frozenset(
    {
        SelectionLabel.RIGHT,
        SelectionLabel.ACCEPTABLE_ALTERNATIVE,
        SelectionLabel.CORRECT_NO_CALL,
    }
)


def contested(database: Database, batch_id: UUID) -> Mapping[int, tuple[Label, ...]]:
    """The items that people judged differently, by position, with the label of each of them.

    Different is what changes a figure: right and wrong selections, right and wrong calls. Who cannot
    tell disagrees with nobody.
    """
    by_decision: dict[tuple[str, int, int | None], list[Label]] = defaultdict(list)
    for label in batch_labels(database, batch_id):
        if label.annotator_kind is AnnotatorKind.HUMAN:
            by_decision[decision_of(label)].append(label)
    return {
        item.position: tuple(given)
        for item in items(database, batch_id)
        if (given := by_decision.get(decision_of(item))) and _differ(given)
    }


def _differ(labels: Iterable[Label]) -> bool:
    return len({_verdict(label.label) for label in labels} - {None}) > 1


def _verdict(label: SelectionLabel) -> str | None:
    if label is SelectionLabel.CANT_TELL:
        return None
    if label in _WELL_CALLED:
        return "call"
    return "selection" if label is SelectionLabel.RIGHT_TOOL_WRONG_ARGS else "none"


def adjudication_progress(
    database: Database,
    batch_id: UUID,
    annotator: str,
    disputed: Mapping[int, Sequence[Label]],
) -> Progress:
    """How far the disputes of a batch are settled; everything undisputed needs nobody.

    Args:
        database: The store.
        batch_id: The batch.
        annotator: Who settles them.
        disputed: From `contested`.
    """
    held = items(database, batch_id)
    by_decision: dict[tuple[str, int, int | None], list[Label]] = defaultdict(list)
    for label in batch_labels(database, batch_id, source=ADJUDICATION_SOURCE):
        by_decision[decision_of(label)].append(label)
    own: dict[int, Label] = {}
    settled = {item.position for item in held} - disputed.keys()
    for item in held:
        for label in by_decision[decision_of(item)]:
            if label.annotator == annotator:
                own[item.position] = label
            else:
                settled.add(item.position)
    return Progress(len(held), own, settled=frozenset(settled))
