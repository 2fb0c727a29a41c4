"""What people say of the items of an audit batch.

A label is never changed: another label of the same annotator for the same item supersedes it, so
giving the same answer twice stores it once, and an answer is taken back by giving a better one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

import orjson

from pipeline.vocabulary import NO_CALL, AnnotatorKind, SelectionLabel
from replay_store.audit import MAX_NAME_CHARS, Clock, items
from replay_store.database import Database
from replay_store.errors import AuditError
from replay_store.reader import record_of
from replay_store.record_hash import record_hash
from replay_store.records import AuditItem, Label
from replay_store.statements import statement

AUDIT_SOURCE: Final = "audit"
MAX_NOTE_CHARS: Final = 2_000
_OF_NO_CALL: Final = frozenset(
    {
        SelectionLabel.CORRECT_NO_CALL,
        SelectionLabel.SHOULD_HAVE_CALLED,
        SelectionLabel.CANT_TELL,
    }
)
_OF_CALL: Final = frozenset(SelectionLabel) - {
    SelectionLabel.CORRECT_NO_CALL,
    SelectionLabel.SHOULD_HAVE_CALLED,
}
NEEDS_EXPECTED: Final = frozenset({SelectionLabel.WRONG_TOOL, SelectionLabel.SHOULD_HAVE_CALLED})
"""Labels that say another tool was needed; which one is asked for, and may stay unknown."""


@dataclass(frozen=True, slots=True)
class LabelDraft:
    """One judgement as the annotator gives it."""

    position: int
    label: SelectionLabel
    expected_tool: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one annotator is with a batch."""

    n_items: int
    labels: Mapping[int, Label]
    """The label that holds, by position."""

    @property
    def n_labelled(self) -> int:
        """Items that have a label."""
        return len(self.labels)

    @property
    def first_open(self) -> int | None:
        """The first item without a label; None when all have one."""
        return next((at for at in range(self.n_items) if at not in self.labels), None)

    def count(self, label: SelectionLabel) -> int:
        """Items whose label is this one."""
        return sum(1 for given in self.labels.values() if given.label == label)


@dataclass(frozen=True, slots=True)
class JudgedDecision:
    """One label that holds, beside the tool that was chosen."""

    label: Label
    chosen_tool: str
    """NO_CALL for a turn that asked for none."""

    @property
    def expected_tool(self) -> str | None:
        """The tool that was needed; NO_CALL when none was; None when nobody said."""
        match self.label.label:
            case SelectionLabel.CANT_TELL:
                return None
            case SelectionLabel.SHOULD_NOT_HAVE_CALLED:
                return NO_CALL
            case SelectionLabel.WRONG_TOOL | SelectionLabel.SHOULD_HAVE_CALLED:
                return self.label.expected_tool
            case _:
                return self.chosen_tool


def batch_labels(database: Database, batch_id: UUID, annotator: str | None = None) -> list[Label]:
    """The labels of a batch that hold, by position; superseded ones are left out."""
    parameters = {"batch_id": str(batch_id), "annotator": annotator}
    return [_label(row) for row in database.rows(statement("sql/audit_labels"), parameters)]


def judged_decisions(
    database: Database, *, start_time_ns: int, end_time_ns: int, tool_name: str | None = None
) -> list[JudgedDecision]:
    """The audit labels that hold for decisions of a period, from any batch or file, by time."""
    rows = database.rows(
        statement("sql/audit_range_labels"),
        {"start_time_ns": start_time_ns, "end_time_ns": end_time_ns, "tool_name": tool_name},
    )
    return [JudgedDecision(_label(row), row["chosen_tool"]) for row in rows]


def progress(database: Database, batch_id: UUID, annotator: str) -> Progress:
    """How far an annotator is, read from the labels in the store."""
    held = {item.position: _decision(item) for item in items(database, batch_id)}
    given = {_decision(label): label for label in batch_labels(database, batch_id, annotator)}
    labels = {at: given[decision] for at, decision in held.items() if decision in given}
    return Progress(len(held), labels)


def record_labels(
    database: Database,
    batch_id: UUID,
    labels: Iterable[LabelDraft],
    annotator: str,
    clock: Clock,
) -> int:
    """Append the labels that say something new; what holds already is not stored again.

    Returns:
        How many were stored.

    Raises:
        AuditError: No annotator, no such item, or a label that cannot apply to its decision; then
            none is stored.
    """
    name = _plain(annotator.strip())
    if not 0 < len(name) <= MAX_NAME_CHARS:
        raise AuditError("audit: annotator: expected a name; write yours")
    with database.transaction() as cursor:
        held = {item.position: item for item in items(database, batch_id)}
        latest = {
            _decision(label): label for label in batch_labels(database, batch_id, annotator=name)
        }
        fresh = list(_fresh(batch_id, labels, name, clock(), held, latest))
        for label in fresh:
            cursor.execute(statement("sql/audit_insert_label"), _columns(label))
        if fresh:
            cursor.execute(statement("sql/bump_version"))
    return len(fresh)


def _fresh(
    batch_id: UUID,
    drafts: Iterable[LabelDraft],
    annotator: str,
    now_ns: int,
    held: Mapping[int, AuditItem],
    latest: dict[tuple[str, int, int | None], Label],
) -> Iterator[Label]:
    for draft in drafts:
        item = held.get(draft.position)
        if item is None:
            raise AuditError(
                f"audit: batch {batch_id}: no item {draft.position}: expected 0 to {len(held) - 1}"
            )
        _check_applies(draft, item)
        before = latest.get(_decision(item))
        if before is not None and _says(before) == _draft_says(draft):
            continue
        # Later than the one it supersedes even if the clock stands still.
        time_ns = now_ns if before is None else max(now_ns, (before.time_ns or 0) + 1)
        label = _new_label(batch_id, draft, item, annotator, time_ns)
        latest[_decision(item)] = label
        yield label


def _check_applies(draft: LabelDraft, item: AuditItem) -> None:
    if not applies(draft.label, is_call=item.call_index is not None):
        made = "no call" if item.call_index is None else "a call"
        raise AuditError(
            f"audit: item {draft.position}: {draft.label}: the model made {made}; "
            "give a label for that"
        )


def applies(label: SelectionLabel, *, is_call: bool) -> bool:
    """Whether a label can be given to a call, or to a turn that asked for none."""
    return label in (_OF_CALL if is_call else _OF_NO_CALL)


def _says(label: Label) -> tuple[str, str | None, str | None]:
    return (str(label.label), label.expected_tool, label.note)


def _draft_says(draft: LabelDraft) -> tuple[str, str | None, str | None]:
    expected = _plain(draft.expected_tool or "") if draft.label in NEEDS_EXPECTED else ""
    note = _plain((draft.note or "").strip())[:MAX_NOTE_CHARS]
    return (str(draft.label), expected or None, note or None)


def _new_label(
    batch_id: UUID, draft: LabelDraft, item: AuditItem, annotator: str, time_ns: int
) -> Label:
    label, expected_tool, note = _draft_says(draft)
    fields: dict[str, Any] = {
        "trace_id": item.trace_id,
        "turn_index": item.turn_index,
        "call_index": item.call_index,
        "label": label,
        "sub": None,
        "expected_tool": expected_tool,
        "annotator": annotator,
        "annotator_kind": AnnotatorKind.HUMAN.value,
        "source": AUDIT_SOURCE,
        "batch_id": str(batch_id),
        "inclusion_probability": item.inclusion_probability,
        "note": note,
        "time_ns": time_ns,
    }
    # As an import of this label makes it: an export read back is known.
    made = record_hash(orjson.dumps(fields, option=orjson.OPT_SORT_KEYS))
    return Label(
        **fields | {"label": SelectionLabel(label), "annotator_kind": AnnotatorKind.HUMAN},
        label_id=f"{made:016x}",
        record_hash=made,
        file_id=batch_id,
        record_index=item.position,
        received_time_ns=time_ns,
    )


def _plain(text: str) -> str:
    """Text that a column can hold: no lone surrogates, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "�")


def _columns(label: Label) -> dict[str, object]:
    return asdict(label) | {
        "label": str(label.label),
        "annotator_kind": str(label.annotator_kind),
    }


def _decision(of: AuditItem | Label) -> tuple[str, int, int | None]:
    return (of.trace_id, of.turn_index, of.call_index)


def _label(row: Mapping[str, object]) -> Label:
    values = dict(row) | {
        "label": SelectionLabel(str(row["label"])),
        "annotator_kind": AnnotatorKind(str(row["annotator_kind"])),
    }
    return record_of(Label, values)
