"""Words of the Dictionaries page that several of its parts say."""

from typing import Final

from dashboard.i18n import language, t
from dashboard.tuning.wording import words_of_both
from pipeline.observation import FragmentKind
from replay_store.backtest_change import Change, Said
from replay_store.rule_store import V0, short

KINDS: Final = {
    FragmentKind.FACT: "dictionaries_kind_fact",
    FragmentKind.UNKNOWN: "dictionaries_kind_unknown",
    FragmentKind.UNPARSED: "dictionaries_kind_unparsed",
    FragmentKind.EMPTY: "dictionaries_kind_empty",
    FragmentKind.FAILED: "dictionaries_kind_failed",
    FragmentKind.DEGRADED: "dictionaries_kind_degraded",
    FragmentKind.DERIVED: "dictionaries_kind_derived",
}


def version_text(version: str) -> str:
    """A version as people name it."""
    return t("dictionaries_v0") if version == V0 else short(version)


def said_texts(change: Change) -> tuple[str, str]:
    """What a statement said and says in a few words; text of a tool, for table cells."""
    before, after = words_of_both(change, language())
    return _said(change.before, before), _said(change.after, after)


def _said(said: Said | None, words: str | None) -> str:
    if said is None:
        return t("dictionaries_said_nothing")
    parts = [said.raw, said.value, words]
    if said.kind is FragmentKind.FACT and said.value is None:
        parts.append(t("dictionaries_any_value"))
    elif not any(parts):
        parts.append(said.reason)
    spoken = " ".join(part for part in parts if part)
    return f"{t(KINDS[said.kind])}: {spoken} ({said.confidence:.2f})"
