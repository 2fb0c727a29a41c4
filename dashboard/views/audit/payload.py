"""What the audit queue in the browser is given, and what it may send back.

Contexts go out without outcomes; what comes back is checked as the word of a stranger.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from dashboard.formats import duration_text, json_text
from dashboard.i18n import t
from dashboard.views.audit.words import label_buttons, label_name, queue_words, skip_buttons
from pipeline.vocabulary import SelectionLabel
from replay_store.audit_context import Choice, ItemContext, ItemOutcome
from replay_store.audit_labels import LabelDraft
from replay_store.audit_messages import Passage
from replay_store.audit_progress import Progress, SkipDraft, SkipReason
from replay_store.records import Label, OfferedTool

BLOCK: Final = 25
"""The window moves in steps of this many items, so that it stays the same for as many labels."""
AHEAD: Final = 3 * BLOCK
"""Items loaded from the block before the current one; at least 50 lie ahead."""
_MAX_TEXT_CHARS: Final = 20_000
_MAX_NAME_CHARS: Final = 200

_SIDES: Final = frozenset({"system", "user"})


class Mode(StrEnum):
    """What a queue is for."""

    LABEL = "label"
    ADJUDICATE = "adjudicate"
    """Settling what raters disagree on."""


class Desk(NamedTuple):
    """Whose queue over which batch: what both sides of the wire agree to be talking about."""

    batch_id: str
    annotator: str
    mode: Mode = Mode.LABEL


@dataclass(frozen=True, slots=True)
class Window:
    """Which items of a batch the browser holds: from `first` to before `end`."""

    first: int
    end: int


def window(at: int, n_items: int) -> Window:
    """The items around a position: a block behind it, at least 50 ahead; all of a small batch."""
    first = max(0, (at // BLOCK - 1) * BLOCK)
    return Window(first, min(n_items, (at // BLOCK) * BLOCK + AHEAD))


@dataclass(frozen=True, slots=True)
class Work:
    """What the browser sent: labels not yet acknowledged, where the rater is, what they ask for."""

    client: str
    at: int
    last_seq: int
    """The highest sequence number among the drafts; 0 without any."""
    drafts: tuple[LabelDraft, ...]
    skips: tuple[SkipDraft, ...]
    reveal: int | None
    taken_back: tuple[int, ...] = ()
    """Items of which nothing holds any more that was said since the queue was opened."""


def read_work(value: object, desk: Desk, n_items: int) -> Work | None:
    """The work in what a browser sent; None when it is not about this queue. Odd parts drop out."""
    if not isinstance(value, Mapping):
        return None
    if Desk(value.get("batch"), value.get("annotator"), value.get("mode")) != desk:  # type: ignore[arg-type]
        return None
    client, at = value.get("client"), _index(value.get("at"), n_items + 1)
    if not isinstance(client, str) or at is None:
        return None
    sent = value.get("pending")
    found = [_sent(item, n_items) for item in (sent if isinstance(sent, list) else ())]
    pending = sorted((item for item in found if item is not None), key=lambda item: item.seq)
    drafts = [item.draft for item in pending]
    return Work(
        client=client[:64],
        at=at,
        last_seq=pending[-1].seq if pending else 0,
        drafts=tuple(draft for draft in drafts if isinstance(draft, LabelDraft)),
        skips=tuple(draft for draft in drafts if isinstance(draft, SkipDraft)),
        reveal=_index(value.get("reveal"), n_items),
        taken_back=tuple(item.position for item in pending if item.is_undone),
    )


class _Sent(NamedTuple):
    seq: int
    position: int
    draft: LabelDraft | SkipDraft | None
    is_undone: bool


def _sent(item: object, n_items: int) -> _Sent | None:
    """One label, one skip, or one that was taken back, as it was sent; None when it is neither."""
    if not isinstance(item, Mapping):
        return None
    position, seq = _index(item.get("position"), n_items), _index(item.get("seq"), 2**53)
    if position is None or seq is None:
        return None
    draft = _label_draft(position, item) or _skip_draft(position, item)
    is_undone = item.get("undo") is True
    return _Sent(seq, position, draft, is_undone) if draft is not None or is_undone else None


def _label_draft(position: int, item: Mapping[str, object]) -> LabelDraft | None:
    label = next((known for known in SelectionLabel if known == item.get("label")), None)
    if label is None:
        return None
    expected, note = item.get("expected"), item.get("note")
    return LabelDraft(
        position=position,
        label=label,
        expected_tool=expected[:_MAX_NAME_CHARS] if isinstance(expected, str) else None,
        note=note if isinstance(note, str) else None,
    )


def _skip_draft(position: int, item: Mapping[str, object]) -> SkipDraft | None:
    reason = next((known for known in SkipReason if known == item.get("skip")), None)
    return None if reason is None else SkipDraft(position, reason)


def _index(value: object, end: int) -> int | None:
    """A whole number from 0 to before `end`; None for anything else."""
    return value if type(value) is int and 0 <= value < end else None


def queue_data(
    desk: Desk, n_items: int, start: int, contexts: Sequence[ItemContext]
) -> dict[str, object]:
    """The large part: contexts, catalogues, words. The same as long as the window is.

    Args:
        desk: Whose queue it is.
        n_items: Of the batch.
        start: Where the annotator begins; several who share a batch then do not meet at once.
        contexts: Of the window.
    """
    catalogues: dict[tuple[OfferedTool, ...], str] = {}
    items = [_item(context, catalogues) for context in contexts]
    return {
        "batch": desk.batch_id,
        "annotator": desk.annotator,
        "mode": str(desk.mode),
        "n": n_items,
        "start": start,
        "items": items,
        "catalogues": {key: [_tool(tool) for tool in tools] for tools, key in catalogues.items()},
        "labels": label_buttons(),
        "skips": skip_buttons(),
        "t": queue_words(),
    }


def stored_data(
    desk: Desk,
    progress: Progress,
    acknowledged: tuple[str, int],
    outcome: tuple[int, ItemOutcome] | None,
    disputed: Mapping[int, Sequence[Label]],
) -> dict[str, object]:
    """The small part: the labels that are stored, up to where, and an outcome that was asked for.

    Args:
        desk: Whose queue it is.
        progress: What the store holds.
        acknowledged: Client and highest sequence number of what was received from it.
        outcome: Position and outcome, for an item that has a label.
        disputed: What raters said, where that is shown.
    """
    return {
        "batch": desk.batch_id,
        "annotator": desk.annotator,
        "mode": str(desk.mode),
        "client": acknowledged[0],
        "acked": acknowledged[1],
        "given": [_given(at, label) for at, label in sorted(progress.labels.items())],
        "skipped": [
            {"position": at, "reason": str(reason)} for at, reason in progress.skipped.items()
        ],
        "settled": sorted(progress.settled),
        "raters": [
            {"position": at, "lines": [_rater_line(label) for label in labels]}
            for at, labels in disputed.items()
        ],
        "outcome": None
        if outcome is None
        else {"position": outcome[0], "lines": _outcome_lines(outcome[1])},
    }


def _given(position: int, label: Label) -> dict[str, object]:
    return {
        "position": position,
        "label": str(label.label),
        "expected": label.expected_tool,
        "note": label.note,
    }


def _rater_line(label: Label) -> dict[str, str]:
    """What one person said, in words."""
    said = [label_name(label.label), label.expected_tool, label.note]
    return {"name": label.annotator, "text": _cut(" · ".join(part for part in said if part))}


def _item(
    context: ItemContext, catalogues: dict[tuple[OfferedTool, ...], str]
) -> dict[str, object]:
    catalogue = catalogues.setdefault(context.offered, str(len(catalogues)))
    return {
        "position": context.position,
        "is_stored": context.is_stored,
        "chosen": None if context.chosen is None else _choice(context.chosen),
        "beside": [_choice(choice) for choice in context.beside],
        "said": None if context.said is None else _cut(context.said),
        "conversation": [_passage(passage) for passage in context.conversation],
        "catalogue": catalogue,
        "is_offered": context.is_offered,
    }


def _choice(choice: Choice) -> dict[str, object]:
    arguments = choice.arguments
    return {
        "tool": choice.tool_name,
        "arguments": None if arguments is None else _cut(json_text(arguments)),
    }


def _passage(passage: Passage) -> dict[str, object]:
    text = passage.text if passage.kind == "text" else json_text(passage.text)
    return {
        "role": passage.role,
        "side": passage.role if passage.role in _SIDES else "other",
        "kind": passage.kind if passage.kind in {"text", "call", "answer"} else "text",
        "name": passage.name,
        "text": _cut(text),
    }


def _tool(tool: OfferedTool) -> dict[str, object]:
    schema = None if tool.input_schema is None else _cut(json_text(tool.input_schema))
    return {"name": tool.tool_name, "description": tool.description, "schema": schema}


def _outcome_lines(outcome: ItemOutcome) -> list[dict[str, str]]:
    attempts = None if outcome.n_attempts is None else str(outcome.n_attempts)
    took = None if outcome.duration_ns is None else duration_text(outcome.duration_ns)
    lines: Iterable[tuple[str, str | None]] = (
        (t("audit_outcome_call"), outcome.call_status or t("audit_outcome_no_call")),
        (t("audit_outcome_error"), outcome.error_type),
        (t("audit_outcome_message"), outcome.error_message),
        (t("audit_outcome_result"), None if outcome.result is None else json_text(outcome.result)),
        (t("audit_outcome_attempts"), attempts),
        (t("audit_outcome_duration"), took),
        (t("audit_outcome_trace"), outcome.trace_status),
        *(
            (t("audit_outcome_verdict", judge=by), label_name(said))
            for by, said in outcome.verdicts
        ),
    )
    return [{"name": name, "text": _cut(text)} for name, text in lines if text is not None]


def _cut(text: str) -> str:
    """Bounds what the browser holds; a text that is cut says so."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    if len(plain) <= _MAX_TEXT_CHARS:
        return plain
    return f"{plain[:_MAX_TEXT_CHARS]} … ({t('audit_cut', n=len(plain) - _MAX_TEXT_CHARS)})"
