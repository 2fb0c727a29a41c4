"""The words of the audit queue, and the keys of its labels."""

from collections.abc import Mapping
from typing import Final

from dashboard.i18n import t
from pipeline.vocabulary import SelectionLabel
from replay_store.audit_labels import NEEDS_EXPECTED, applies
from replay_store.audit_progress import SkipReason

LABEL_KEYS: Final[Mapping[SelectionLabel, str]] = {
    SelectionLabel.RIGHT: "1",
    SelectionLabel.ACCEPTABLE_ALTERNATIVE: "2",
    SelectionLabel.RIGHT_TOOL_WRONG_ARGS: "3",
    SelectionLabel.WRONG_TOOL: "4",
    SelectionLabel.SHOULD_NOT_HAVE_CALLED: "5",
    SelectionLabel.SHOULD_HAVE_CALLED: "6",
    SelectionLabel.CORRECT_NO_CALL: "7",
    SelectionLabel.CANT_TELL: "8",
}
_LABEL_NAMES: Final[Mapping[SelectionLabel, str]] = {
    SelectionLabel.RIGHT: "audit_label_right",
    SelectionLabel.ACCEPTABLE_ALTERNATIVE: "audit_label_alternative",
    SelectionLabel.RIGHT_TOOL_WRONG_ARGS: "audit_label_wrong_args",
    SelectionLabel.WRONG_TOOL: "audit_label_wrong_tool",
    SelectionLabel.SHOULD_NOT_HAVE_CALLED: "audit_label_needless",
    SelectionLabel.SHOULD_HAVE_CALLED: "audit_label_missing",
    SelectionLabel.CORRECT_NO_CALL: "audit_label_no_call",
    SelectionLabel.CANT_TELL: "audit_label_cant_tell",
}
_LABEL_HINTS: Final[Mapping[SelectionLabel, str]] = {
    SelectionLabel.RIGHT: "audit_hint_right",
    SelectionLabel.ACCEPTABLE_ALTERNATIVE: "audit_hint_alternative",
    SelectionLabel.RIGHT_TOOL_WRONG_ARGS: "audit_hint_wrong_args",
    SelectionLabel.WRONG_TOOL: "audit_hint_wrong_tool",
    SelectionLabel.SHOULD_NOT_HAVE_CALLED: "audit_hint_needless",
    SelectionLabel.SHOULD_HAVE_CALLED: "audit_hint_missing",
    SelectionLabel.CORRECT_NO_CALL: "audit_hint_no_call",
    SelectionLabel.CANT_TELL: "audit_hint_cant_tell",
}

_SKIP_NAMES: Final[Mapping[SkipReason, str]] = {
    SkipReason.NEEDS_EXPERT: "audit_skip_needs_expert",
    SkipReason.INVOLVED: "audit_skip_involved",
    SkipReason.TOO_LONG: "audit_skip_too_long",
}


def skip_name(reason: SkipReason) -> str:
    """Why an item was passed over, in the reader's language."""
    return t(_SKIP_NAMES[reason])


def skip_buttons() -> list[dict[str, object]]:
    """The reasons to pass an item over, in the order of their keys."""
    return [
        {"id": reason.value, "key": str(at), "name": skip_name(reason)}
        for at, reason in enumerate(_SKIP_NAMES, start=1)
    ]


def label_name(label: SelectionLabel) -> str:
    """A label in plain words, in the reader's language."""
    return t(_LABEL_NAMES[label])


def label_buttons() -> list[dict[str, object]]:
    """The labels in the order of their keys, and what each applies to."""
    return [_label(label) for label in LABEL_KEYS]


def _label(label: SelectionLabel) -> dict[str, object]:
    return {
        "id": label.value,
        "key": LABEL_KEYS[label],
        "name": label_name(label),
        "hint": t(_LABEL_HINTS[label]),
        "for_call": applies(label, is_call=True),
        "for_none": applies(label, is_call=False),
        "needs_expected": label in NEEDS_EXPECTED,
    }


def queue_words() -> dict[str, object]:
    """The words of the queue in the reader's language."""
    return {
        "conversation": t("audit_conversation"),
        "conversation_hidden": t("audit_conversation_hidden"),
        "instructions": t("audit_instructions"),
        "request": t("audit_request"),
        "choice": t("audit_choice"),
        "no_call": t("audit_no_call"),
        "said": t("audit_said"),
        "beside": t("audit_beside"),
        "arguments_hidden": t("audit_arguments_hidden"),
        "not_offered": t("audit_not_offered"),
        "offered": t("audit_offered"),
        "offered_hidden": t("audit_offered_hidden"),
        "schema": t("audit_schema"),
        "whole": t("audit_whole"),
        "kinds": {"call": t("audit_kind_call"), "answer": t("audit_kind_answer")},
        "roles": {
            "system": t("audit_role_system"),
            "user": t("audit_role_user"),
            "assistant": t("audit_role_assistant"),
            "tool": t("audit_role_tool"),
            "input": t("audit_role_input"),
        },
        "back": t("audit_back"),
        "next": t("audit_next"),
        "skip": t("audit_skip"),
        "skip_why": t("audit_skip_why"),
        "skip_later": t("audit_skip_later"),
        "skipped_here": t("audit_skipped_here"),
        "by_others": t("audit_by_others"),
        "settled": t("audit_settled"),
        "raters_said": t("audit_raters_said"),
        "undo": t("audit_undo"),
        "note": t("audit_note"),
        "outcome": t("audit_outcome"),
        "outcome_title": t("audit_outcome_title"),
        "which_tool": t("audit_which_tool"),
        "another_tool": t("audit_another_tool"),
        "cancel": t("audit_cancel"),
        "labelled": t("audit_labelled"),
        "saving": t("audit_saving"),
        "saved": t("audit_saved"),
        "loading": t("audit_loading"),
        "all_done": t("audit_all_done"),
        "end": t("audit_end"),
        "place_end": t("audit_place_end"),
        "is_call": t("audit_is_call"),
        "is_none": t("audit_is_none"),
        "last_open": t("audit_last_open"),
        "nothing_to_undo": t("audit_nothing_to_undo"),
        "undone": t("audit_undone"),
        "label_first": t("audit_label_first"),
        "saving_first": t("audit_saving_first"),
        "not_stored": t("audit_not_stored"),
    }
