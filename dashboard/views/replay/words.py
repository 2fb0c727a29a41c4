"""The words for changes and kinds of case, and the colours that go with them."""

from collections.abc import Iterable, Mapping
from typing import Final

from dashboard.formats import count_text, rate_text
from dashboard.i18n import t
from dashboard.replaying.report import paired
from metrics.paired import NOTABLE, Paired
from pipeline.replay import CaseKind
from pipeline.replay.outcome import Change
from pipeline.vocabulary import NO_CALL
from replay_store.records import ReplayRun

CHANGE_KEYS: Final[Mapping[Change, str]] = {
    Change.BROKEN: "replay_broken",
    Change.FIXED: "replay_fixed",
    Change.SKIPPED: "replay_skipped",
    Change.SAME_WRONG: "replay_same_wrong",
    Change.SAME_RIGHT: "replay_same_right",
}
"""In the order in which they need a look."""
KIND_KEYS: Final[Mapping[CaseKind, str]] = {
    CaseKind.DECISION: "replay_kind_decision",
    CaseKind.OBSERVATION: "replay_kind_observation",
    CaseKind.ADAPTER: "replay_kind_adapter",
    CaseKind.END_TO_END: "replay_kind_end_to_end",
}

_SETUPS: Final[Mapping[str, str]] = {
    "as recorded": "replay_as_recorded",
    "contracts as recorded": "replay_contracts_as_recorded",
}
_SETUP_STARTS: Final[Mapping[str, str]] = {
    "this installation, rules ": "replay_setup_code",
    "contracts ": "replay_setup_contracts",
    "rules ": "replay_setup_rules",
    "dictionary ": "replay_setup_dictionary",
    "adapter ": "replay_setup_adapter",
    "chooser ": "replay_setup_chooser",
}
"""How `dashboard.replaying.plans` begins a name, and the text that says it."""
_CHOOSERS: Final[Mapping[str, str]] = {
    "recorded": "replay_chooser_recorded",
    "lexical": "replay_chooser_lexical",
    "random": "replay_chooser_random",
}


def change_text(change: str) -> str:
    """A change in the reader's words."""
    return t(CHANGE_KEYS[Change(change)])


def kind_text(kind: str) -> str:
    """A kind of case in the reader's words."""
    return t(KIND_KEYS[CaseKind(kind)])


def right_text(run: ReplayRun) -> str:
    """Which share was right before and after; a dash when nothing could be judged."""
    found = paired(run)
    return f"{rate_text(found.before)} → {rate_text(found.after)}"


def interval_text(run: ReplayRun) -> str | None:
    """Over how many cases, and within which bounds; None when nothing could be judged."""
    found = paired(run)
    before, after, change = found.before_interval, found.after_interval, found.difference
    if before is None or after is None or change is None:
        return None
    return t(
        "replay_intervals",
        n=count_text(found.n),
        before=f"{rate_text(before.low)} – {rate_text(before.high)}",
        after=f"{rate_text(after.low)} – {rate_text(after.high)}",
        low=f"{100 * change.low:+.1f}",
        high=f"{100 * change.high:+.1f}",
    )


def setup_text(name: str) -> str:
    """What was tried or compared with, in the reader's words; names of people's own stay."""
    if name in _SETUPS:
        return t(_SETUPS[name])
    for start, key in _SETUP_STARTS.items():
        if name.startswith(start):
            return t(key, name=chooser_text(name.removeprefix(start)))
    return name


def chooser_text(name: str) -> str:
    """Who chose, in the reader's words; an endpoint or a function keeps its name."""
    return t(_CHOOSERS[name]) if name in _CHOOSERS else name


def tool_text(name: str) -> str:
    """A tool as it is; what is none in words."""
    return t("replay_no_call") if name == NO_CALL else name


def tools_text(names: Iterable[str]) -> str:
    """Several tools in one cell."""
    return ", ".join(map(tool_text, names))


def verdict_text(run: ReplayRun) -> str:
    """What McNemar's test says of a run, and what so many cases can show at all."""
    found = paired(run)
    if found.n == 0:
        return t("replay_verdict_none")
    return f"{_test_text(run, found)} {_power_text(found)}"


def _power_text(found: Paired) -> str:
    broken, fixed = NOTABLE
    return t(
        "replay_power",
        n=found.n,
        broken=f"{broken:.0%}",
        fixed=f"{fixed:.0%}",
        power=f"{found.power or 0:.0%}",
    )


def _test_text(run: ReplayRun, found: Paired) -> str:
    if found.p_value is None:
        return t("replay_verdict_same")
    key = "replay_verdict_significant" if found.is_significant else "replay_verdict_chance"
    return t(key, p=f"{found.p_value:.3g}", n=run.n_broken + run.n_fixed)
