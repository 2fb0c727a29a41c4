"""The words for changes and kinds of case, and the colours that go with them."""

from collections.abc import Mapping
from typing import Final

from dashboard.formats import rate_text
from dashboard.i18n import t
from dashboard.replaying.report import paired
from metrics.paired import NOTABLE, Paired
from pipeline.replay import CaseKind
from pipeline.replay.outcome import Change
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
