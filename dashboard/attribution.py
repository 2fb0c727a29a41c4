"""Does the first hint of a failed run stand at the step that people called the fault?

Public logs with human labels, read once and never tuned on, beside what trivial rules find in them:
without those rows a share says nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dashboard.benchmark_figure import Figure
from dashboard.labelled_logs import Log, labelled_logs
from metrics import annotated_steps
from metrics.incident import Diagnosis, Outcome, diagnose
from metrics.intervals import wilson
from replay_store.story import FaultSign, fault_signs, trace_steps

if TYPE_CHECKING:
    from replay_store import Database

__all__ = ["attribution_figures"]

_NEAR: Final = (0, 1, 3)


@dataclass(frozen=True, slots=True)
class _Run:
    """One failed run: its log, the labelled fault, and what is made of it here."""

    log: Log
    steps: frozenset[int]
    agents: frozenset[str]
    diagnosis: Diagnosis

    @property
    def hinted(self) -> int | None:
        """The message of the first hint; None without a hint that a call shows."""
        hint = next(iter(self.diagnosis.hints), None)
        if hint is None or hint.call_index is None or hint.call_index >= len(self.log.calls):
            return None
        return self.log.calls[hint.call_index]

    def is_near(self, message: int | None, within: int = 0) -> bool:
        """Whether a message is a labelled one, or so close to it."""
        return message is not None and any(abs(message - step) <= within for step in self.steps)


def attribution_figures(name: str, path: Path, database: "Database") -> list[Figure]:
    """How often hints, and trivial rules, name the labelled step; empty where nothing is labelled.

    Args:
        name: `agentrx` or `who-when`.
        path: The files that were read into the store.
        database: The store; its traces are derived.
    """
    runs = _runs(database, "root_cause" if name == "agentrx" else "mistake", labelled_logs(path))
    return [*_of_hints(runs), *_of_rules(runs)] if runs else []


def _of_hints(runs: Sequence[_Run]) -> Iterator[Figure]:
    n = len(runs)
    hinted = [run for run in runs if run.hinted is not None]
    yield Figure("first fault: labelled runs", n)
    yield _share("first fault: undetermined", n - sum(_is_determined(run) for run in runs), n)
    yield _share("first fault: with a hint", len(hinted), n)
    for within in _NEAR:
        label = "at the labelled step" if not within else f"within {within} of it"
        hits = sum(run.is_near(run.hinted, within) for run in hinted)
        yield _share(f"first fault: hint {label}", hits, n)
        if hinted and not within:
            yield _share("first fault: the same, of those with a hint", hits, len(hinted))


def _of_rules(runs: Sequence[_Run]) -> Iterator[Figure]:
    """What chance and one-line rules find in the same runs."""
    n = len(runs)
    chance = sum(
        len(run.steps & {*run.log.spoken}) / len(run.log.spoken) for run in runs if run.log.spoken
    )
    yield Figure("baseline: any message of an agent", chance / n, None, "expected by chance")
    rules: dict[str, Callable[[_Run], int | None]] = {
        "baseline: first message of an agent": lambda run: _at(run.log.spoken, 0),
        "baseline: last call": lambda run: _at(run.log.calls, -1),
        "baseline: what was answered by an error first": lambda run: run.log.first_error,
    }
    for name, rule in rules.items():
        found = [(run, rule(run)) for run in runs]
        if any(message is not None for _, message in found):
            yield _share(name, sum(run.is_near(message) for run, message in found), n)
    yield _share("baseline: usual step of the others", sum(_usual(runs)), n)
    if any(run.agents for run in runs):
        hits = sum(_busiest(run) in run.agents for run in runs)
        yield _share("baseline: agent that says most (agent)", hits, n)


def _usual(runs: Sequence[_Run]) -> Iterator[bool]:
    """Whether the commonest labelled step of the other runs is right for each."""
    counts = Counter(step for run in runs for step in run.steps)
    for run in runs:
        others = counts - Counter(run.steps)
        usual = max(sorted(others), key=lambda step: others[step], default=None)
        yield run.is_near(usual)


def _busiest(run: _Run) -> str | None:
    counts = Counter(run.log.speakers)
    return max(sorted(counts), key=lambda name: counts[name], default=None)


def _is_determined(run: _Run) -> bool:
    return run.diagnosis.is_determined and run.hinted is not None


def _runs(database: "Database", score: str, logs: Mapping[str, Log]) -> list[_Run]:
    rewards = {item.trace_id: item.value for item in annotated_steps(database, "reward")}
    signs = {trace_id: fault_signs(database, trace_id) for trace_id in rewards}
    outcomes = _outcomes(signs, rewards)
    labelled: dict[str, list[tuple[str, int, str]]] = {}
    for item in annotated_steps(database, score):
        if item.step is not None:
            labelled.setdefault(item.trace_id, []).append(
                (item.case_id, item.step, (item.label or "").lower())
            )
    return [
        _Run(
            log=logs[found[0][0]],
            steps=frozenset(step for _, step, _ in found),
            agents=frozenset(agent for _, _, agent in found if score == "mistake"),
            diagnosis=diagnose(
                trace_steps(database, trace_id), fault_signs(database, trace_id), outcomes
            ),
        )
        for trace_id, found in labelled.items()
        if found[0][0] in logs
    ]


def _outcomes(
    signs: Mapping[str, Sequence[FaultSign]], rewards: Mapping[str, float | None]
) -> dict[str, Outcome]:
    """How many runs with each sign failed, by their reward: what a store knows by their status."""
    n: Counter[str] = Counter()
    n_failed: Counter[str] = Counter()
    for trace_id, reward in rewards.items():
        shown = {"", *(sign.sign for sign in signs[trace_id] if not sign.is_recovered)}
        n.update(shown)
        n_failed.update(shown if reward is not None and reward < 1 else ())
    return {name: Outcome(n[name], n_failed[name]) for name in n}


def _at(found: Sequence[int], place: int) -> int | None:
    return found[place] if found else None


def _share(name: str, k: int, n: int) -> Figure:
    interval = wilson(k / n, n)
    note = f"{k} of {n}, 95 % interval {interval.low:.3f} to {interval.high:.3f}"
    return Figure(name, k / n, None, note)
