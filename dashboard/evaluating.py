"""Public benchmarks through this installation: figures, beside those that are known of the files."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from dashboard.attribution import attribution_figures
from dashboard.benchmark_figure import Figure
from dashboard.errors import DashboardError
from ingest import import_paths
from ingest.benchmark_cases import BFCL_CATEGORIES, bfcl_cases, bfcl_categories
from metrics import ContainerReport, Trials, by_container, pass_hat_k, trial_successes
from metrics.intervals import wilson
from pipeline.replay import Case, label_choice
from pipeline.replay.choosers import LexicalChooser, Situation
from replay_store import Database, derive

__all__ = ["KNOWN", "Figure", "chooser_figures", "trace_figures"]

_TRIALS: Final = (1, 2, 3, 4)
_CONTAINERS: Final = {
    "tau-bench": "tau-bench",
    "agentrx": "agentrx-tau",
    "api-bank": "api-bank",
    "who-when": "who-and-when",
}
_LABELLED: Final = frozenset({"agentrx", "who-when"})
"""Those that say which step was the fault."""

KNOWN: Final[Mapping[str, Mapping[str, float]]] = {
    "tau-bench": {
        "traces": 200, "calls": 1164, "model turns a trace": 12.27, "tools": 14,
        "right calls": 632, "of them made": 466, "reward": 84,
        "pass^1": 0.420, "pass^2": 0.273, "pass^3": 0.220, "pass^4": 0.200,
    },
    "agentrx": {
        "traces": 100, "calls": 793, "errors": 34, "retries right after a failure": 7,
        "of them ok": 6, "model turns a trace": 14.18, "right calls": 545, "of them made": 484,
        "reward": 73, "pass^1": 0.73,
    },
    "api-bank": {"calls": 508, "errors": 0},
}  # fmt: skip
"""Counted from the published files by other means (tau-bench gpt-4o-airline, AgentRx' retail runs,
API-Bank levels 1 and 2); pass^k as its authors publish it."""
_BY_ID: Final = "{n} where answers are joined by call id, which this model uses twice within a run"
NOTES: Final[Mapping[str, Mapping[str, str]]] = {
    "tau-bench": {
        "errors": _BY_ID.format(n=72),
        "retries right after a failure": _BY_ID.format(n=31),
        "of them ok": _BY_ID.format(n=14),
    }
}
"""Where other counts of a benchmark differ for a reason; they are joined by order here."""


def trace_figures(name: str, path: Path, store: Path | None) -> list[Figure]:
    """The figures of one benchmark whose files hold traces.

    Args:
        name: `tau-bench`, `agentrx`, `api-bank` or `who-when`.
        path: Its files.
        store: Where to keep what was read; in memory when None.

    Raises:
        DashboardError: The path holds none of its traces.
    """
    container = _CONTAINERS[name]
    with Database.open(store) as database:
        import_paths([path], database, clock=time.time_ns)
        derive(database)
        report = by_container(database).get(container)
        trials = trial_successes(database).get(container, [])
        faults = attribution_figures(name, path, database) if name in _LABELLED else []
    if report is None or not report.n_traces:
        raise DashboardError(f"{path}: no trace of {name}: expected its files; name their folder")
    known, notes = KNOWN.get(name, {}), NOTES.get(name, {})
    figures = [*_counts(report), *_trials(trials), *faults]
    return [
        Figure(item.name, item.value, known.get(item.name), notes.get(item.name, item.note))
        for item in figures
    ]


def chooser_figures(path: Path) -> list[Figure]:
    """How often the lexical chooser picks the right tool of several, and how often chance does.

    Raises:
        DashboardError: The path holds no category of one right tool among several.
    """
    categories = bfcl_categories(path)
    if not categories:
        wanted = " or ".join(f"BFCL_v4_{name}.json" for name in BFCL_CATEGORIES)
        raise DashboardError(
            f"{path}: no questions with answers: expected {wanted}, and the same in "
            "possible_answer; name the data folder of bfcl-eval"
        )
    return [
        figure
        for category in categories
        for figure in _category(category, list(bfcl_cases(path, category)))
    ]


def _counts(report: ContainerReport) -> list[Figure]:
    return [
        Figure("traces", report.n_traces),
        Figure("calls", report.n_calls),
        Figure("tools", report.n_tools),
        Figure("errors", report.n_errors),
        Figure("retries right after a failure", report.n_next_retries),
        Figure("of them ok", report.n_next_retries_ok),
        Figure("model turns a trace", report.mean_turns),
        Figure("right calls", report.n_expected),
        Figure("of them made", report.n_found, None, "with the right tool"),
        *(
            Figure(score.name, score.total, None, f"sum over {score.n_values:,}")
            for score in report.scores
            if score.total is not None
        ),
    ]


def _trials(trials: list[Trials]) -> Iterator[Figure]:
    for k in _TRIALS:
        value = pass_hat_k(trials, k)
        if value is not None:
            note = f"over {sum(case.n >= k for case in trials):,} cases"
            yield Figure(f"pass^{k}", value, None, note)


def _category(category: str, cases: list[Case]) -> Iterator[Figure]:
    chooser = LexicalChooser()
    n_right = sum(_is_right(case, chooser) for case in cases)
    share = n_right / len(cases)
    interval = wilson(share, len(cases))
    note = f"{n_right:,} of {len(cases):,}, 95 % interval {interval.low:.3f} to {interval.high:.3f}"
    yield Figure(f"{category}: lexical chooser, right tool", share, None, note)
    chance = sum(_chance(case) for case in cases) / len(cases)
    n_tools = sum(len(case.offered) for case in cases) / len(cases)
    note = f"any tool with equal chance; {n_tools:.1f} on offer on average"
    yield Figure(f"{category}: random chooser, right tool", chance, None, note)


def _is_right(case: Case, chooser: LexicalChooser) -> bool:
    if case.gold is None:
        return False
    chosen = chooser.choose(Situation(case.case_id, 0, case.input, case.offered))
    return label_choice(case.gold, case.offered, chosen).is_selection_ok


def _chance(case: Case) -> float:
    right = () if case.gold is None else case.gold.best
    return sum(tool.name in right for tool in case.offered) / max(len(case.offered), 1)
