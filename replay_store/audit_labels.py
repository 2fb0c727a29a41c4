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
ADJUDICATION_SOURCE: Final = "adjudication"
"""Where raters disagreed one of them, or another, says what holds."""
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


def batch_labels(
    database: Database,
    batch_id: UUID,
    annotator: str | None = None,
    source: str = AUDIT_SOURCE,
) -> list[Label]:
    """The labels of a batch that hold, by position; superseded ones are left out."""
    parameters = {"batch_id": str(batch_id), "annotator": annotator, "source": source}
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


def record_labels(
    database: Database,
    batch_id: UUID,
    labels: Iterable[LabelDraft],
    annotator: str,
    clock: Clock,
    source: str = AUDIT_SOURCE,
) -> int:
    """Append the labels that say something new; what holds already is not stored again.

    Returns:
        How many were stored.

    Raises:
        AuditError: No annotator, no such item, or a label that cannot apply to its decision; then
            none is stored.
    """
    name = plain_text(annotator.strip())
    if not 0 < len(name) <= MAX_NAME_CHARS:
        raise AuditError("audit: annotator: expected a name; write yours")
    with database.transaction() as cursor:
        held = {item.position: item for item in items(database, batch_id)}
        latest = {
            decision_of(label): label for label in batch_labels(database, batch_id, name, source)
        }
        fresh = list(_fresh(_Origin(batch_id, name, source, clock()), labels, held, latest))
        for label in fresh:
            cursor.execute(statement("sql/audit_insert_label"), _columns(label))
        if fresh:
            cursor.execute(statement("sql/bump_version"))
    return len(fresh)


@dataclass(frozen=True, slots=True)
class _Origin:
    batch_id: UUID
    annotator: str
    source: str
    now_ns: int


def _fresh(
    origin: _Origin,
    drafts: Iterable[LabelDraft],
    held: Mapping[int, AuditItem],
    latest: dict[tuple[str, int, int | None], Label],
) -> Iterator[Label]:
    for draft in drafts:
        item = held.get(draft.position)
        if item is None:
            raise AuditError(
                f"audit: batch {origin.batch_id}: no item {draft.position}: expected 0 to {len(held) - 1}"
            )
        _check_applies(draft, item)
        before = latest.get(decision_of(item))
        if before is not None and _says(before) == _draft_says(draft):
            continue
        # Later than the one it supersedes even if the clock stands still.
        time_ns = max(origin.now_ns, 0 if before is None else (before.time_ns or 0) + 1)
        label = _new_label(origin, draft, item, time_ns)
        latest[decision_of(item)] = label
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
    expected = plain_text(draft.expected_tool or "") if draft.label in NEEDS_EXPECTED else ""
    note = plain_text((draft.note or "").strip())[:MAX_NOTE_CHARS]
    return (str(draft.label), expected or None, note or None)


def _new_label(origin: _Origin, draft: LabelDraft, item: AuditItem, time_ns: int) -> Label:
    label, expected_tool, note = _draft_says(draft)
    fields: dict[str, Any] = {
        "trace_id": item.trace_id,
        "turn_index": item.turn_index,
        "call_index": item.call_index,
        "label": label,
        "sub": None,
        "expected_tool": expected_tool,
        "annotator": origin.annotator,
        "annotator_kind": AnnotatorKind.HUMAN.value,
        "source": origin.source,
        "batch_id": str(origin.batch_id),
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
        file_id=origin.batch_id,
        record_index=item.position,
        received_time_ns=time_ns,
    )


def plain_text(text: str) -> str:
    """Text that a column can hold: no lone surrogates, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "�")


def _columns(label: Label) -> dict[str, object]:
    return asdict(label) | {
        "label": str(label.label),
        "annotator_kind": str(label.annotator_kind),
    }


def decision_of(of: AuditItem | Label) -> tuple[str, int, int | None]:
    """Which decision it is about: trace, turn, call."""
    return (of.trace_id, of.turn_index, of.call_index)


def _label(row: Mapping[str, object]) -> Label:
    values = dict(row) | {
        "label": SelectionLabel(str(row["label"])),
        "annotator_kind": AnnotatorKind(str(row["annotator_kind"])),
    }
    return record_of(Label, values)
