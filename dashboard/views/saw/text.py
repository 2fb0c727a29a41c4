"""Words of the page "What the model saw"."""

from typing import Final

from dashboard.formats import NO_VALUE, count_text, rate_text
from dashboard.i18n import t
from dashboard.views.saw.panes import Pane
from dashboard.views.saw.reading import Reading
from pipeline.observation import Cell, CellKind, Coverage, TokenCounter
from pipeline.observation.display import Wording
from pipeline.observation.fragment import TOOL_RESULT
from pipeline.observation.sentences import age_text
from replay_store.records import Observation

_KINDS: Final = {
    CellKind.FACT: "saw_kind_fact",
    CellKind.CONFLICT: "saw_kind_conflict",
    CellKind.DERIVED: "saw_kind_derived",
    CellKind.DEGRADED: "saw_kind_degraded",
    CellKind.UNKNOWN: "saw_kind_unknown",
    CellKind.UNPARSED: "saw_kind_unparsed",
    CellKind.EMPTY: "saw_kind_empty",
    CellKind.FAILED: "saw_kind_failed",
}
_COVERAGE: Final = {
    Coverage.SHOWN: ("saw_shown", "●"),
    Coverage.CUT: ("saw_cut", "◐"),
    Coverage.OMITTED: ("saw_omitted", "○"),
}
TROUBLE_LABELS: Final = {
    "unknown": "saw_has_unknown",
    "conflict": "saw_has_conflict",
    "unparsed": "saw_has_unparsed",
    "failed": "saw_has_failed",
    "empty": "saw_has_empty",
    "degraded": "saw_has_degraded",
    "noise": "saw_has_noise",
}


def trouble_counts(seen: Observation) -> dict[str, int | None]:
    """How often one observation shows each of `saw.TROUBLES`; None where that is not known."""
    return {
        "unknown": seen.n_unknown,
        "conflict": seen.n_conflicts,
        "unparsed": seen.n_unparsed,
        "failed": seen.n_failed,
        "empty": seen.n_empty,
        "degraded": seen.n_degraded,
        "noise": seen.n_noise_hit,
    }


def trouble_word(name: str) -> str:
    """The word for one of `saw.TROUBLES`."""
    return t(TROUBLE_LABELS[name])


def kind_word(kind: CellKind) -> str:
    """The word for what is known about a fact."""
    return t(_KINDS[kind])


def entity_words(cell: Cell, wording: Wording) -> str:
    """What a fact is about; of a whole answer its tool."""
    is_answer = cell.type == TOOL_RESULT
    return cell.entity.id if is_answer else wording.entity(*cell.entity)


def coverage_word(coverage: Coverage) -> str:
    """Mark and word for what became of a fact."""
    key, mark = _COVERAGE[coverage]
    return f"{mark} {t(key)}"


def coverage_text(pane: Pane, key: str, coverage: Coverage) -> str:
    """What became of a fact in a text, and the tokens that it takes there."""
    n_tokens = pane.fact_tokens.get(key)
    if coverage is Coverage.OMITTED or n_tokens is None:
        return coverage_word(coverage)
    return f"{coverage_word(coverage)} · {count_text(n_tokens)}"


def age_words(cell: Cell, language: str) -> str | None:
    """How old a fact is, in the prompt's language; None when that is not known."""
    return age_text(cell.age_seconds, language)


def tokens_text(n_tokens: int | None, counter: TokenCounter) -> str:
    """A number of tokens; estimates are marked as such."""
    if n_tokens is None:
        return NO_VALUE
    key = "saw_tokens" if counter.is_exact else "saw_tokens_estimated"
    return t(key, n=count_text(n_tokens))


def saving_text(saved: int | None, raw_tokens: int | None) -> str:
    """What a template saves against the raw outputs, or takes more; empty when not known."""
    if saved is None or not raw_tokens:
        return ""
    key = "saw_saves" if saved >= 0 else "saw_costs"
    return t(key, n=count_text(abs(saved)), share=rate_text(abs(saved) / raw_tokens))


def origin_text(reading: Reading, pane: Pane) -> str:
    """Where a pane's text is from."""
    if pane.text is None:
        return t("saw_origin_none")
    if pane.is_recorded:
        version = reading.recorded.observation.rule_version or NO_VALUE
        key = "saw_origin_differs" if pane.is_different else "saw_origin_recorded"
        return t(key, version=version)
    return t("saw_origin_rendered", version=reading.rules.rule_set.version)


def origin_tone(pane: Pane) -> str:
    """How the origin is marked."""
    if pane.text is None:
        return "plain"
    if pane.is_recorded:
        return "differs" if pane.is_different else "recorded"
    return "rendered"
