"""A draft tried: on generated answers, on recorded outputs, on replay cases."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.tuning.citing import Citing, citing_cases
from metrics import Scope
from metrics.paired import Paired
from metrics.rule_gates import Gate, RuleTrial, rule_gates
from pipeline.observation import RuleSet, load_rules
from pipeline.observation.fragment import TOOL_RESULT
from pipeline.observation.rules.check import check_rules
from pipeline.replay import Case, CaseKind
from pipeline.replay.outcome import Change, Compared
from pipeline.replay.playing import compare
from pipeline.replay.setup import Setup
from replay_store.backtest import OnProgress, backtest
from replay_store.backtest_impact import Impact
from replay_store.database import Database
from replay_store.replay import CaseFilter, stored_cases
from replay_store.rule_reviews import Reviewed
from replay_store.rule_store import short

__all__ = ["GENERATED", "Trial", "Wanted", "cases_of", "gates_of", "play_cases", "run_trial"]

GENERATED = 50
"""Generated answers that each rule file reads, twice each."""
_KINDS = (CaseKind.OBSERVATION, CaseKind.END_TO_END)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to try, and on what."""

    base_version: str
    """Whole name of the version to compare with."""
    base: Mapping[str, str]
    """YAML text by file name."""
    draft: Mapping[str, str]
    period: Scope
    tool_name: str | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """What was found. What people say of it comes from `Reviewed`."""

    impact: Impact
    problems: tuple[str, ...]
    """Errors of the check, one sentence each."""
    compared: tuple[Compared, ...]
    """Replay cases, by base and by draft."""
    uncovered: tuple[str, ...]
    """Changed fact types that no case guards, sorted."""
    citing: tuple[Citing, ...]
    """Cases with a right choice that rests on a changed fact."""

    @property
    def broken(self) -> tuple[Compared, ...]:
        """The cases that the draft breaks."""
        return tuple(item for item in self.compared if item.change is Change.BROKEN)


def run_trial(
    database: Database,
    wanted: Wanted,
    cases: Sequence[Case] | None = None,
    *,
    on_progress: OnProgress | None = None,
) -> Trial:
    """Try a draft; nothing is stored.

    Args:
        database: The store.
        wanted: What, and on what.
        cases: Replay cases; those of the store when None.
        on_progress: Told of what is read by both versions: distinct recorded inputs, then replay
            cases, in one count. What it raises ends the trial.

    Raises:
        RuleFileError: Base or draft cannot be used; names file, path and problem.
    """
    kept = cases_of(database) if cases is None else cases
    told = None if on_progress is None else _Told(on_progress, len(_played(kept)))
    base = load_rules(wanted.base, short(wanted.base_version))
    draft = load_rules(wanted.draft)
    checked = check_rules(wanted.draft, n_inputs=GENERATED)
    impact = backtest(
        database,
        base,
        draft,
        start_time_ns=wanted.period.start_time_ns,
        end_time_ns=wanted.period.end_time_ns,
        tool_name=wanted.tool_name,
        base_version=wanted.base_version,
        on_progress=None if told is None else told.inputs,
    )
    problems = tuple(f"{e.file}: {e.path}: {e.problem}" for e in checked.errors)
    empty = Trial(impact, problems, (), (), ())
    told_cases = None if told is None else told.cases
    return play_cases(empty, base, draft, kept, on_progress=told_cases)


@dataclass(slots=True)
class _Told:
    """One count over recorded inputs and the replay cases after them."""

    on_progress: OnProgress
    n_cases: int
    n_inputs: int = 0

    def inputs(self, n_done: int, n_total: int) -> None:
        self.n_inputs = n_total
        self.on_progress(n_done, n_total + self.n_cases)

    def cases(self, n_done: int, n_total: int) -> None:
        self.on_progress(self.n_inputs + n_done, self.n_inputs + n_total)


def play_cases(
    trial: Trial,
    base: RuleSet,
    draft: RuleSet,
    cases: Sequence[Case],
    on_progress: OnProgress | None = None,
) -> Trial:
    """The same trial with these replay cases: they may have been added to since."""
    active = _played(cases)
    setups = Setup("base", rules=base), Setup("draft", rules=draft)
    compared = compare(active, *setups, on_progress=on_progress)
    changed = {item.change.fact_type for item in trial.impact.classes} - {TOOL_RESULT}
    uncovered = tuple(sorted(changed - _covered(active, draft)))
    citing = citing_cases(trial.impact.classes, cases, base, draft)
    return replace(trial, compared=tuple(compared), uncovered=uncovered, citing=citing)


def gates_of(
    trial: Trial,
    said: Reviewed,
    authors: Iterable[str],
    publisher: str | None,
    *,
    needs_approval: bool,
) -> tuple[Gate, ...]:
    """How every condition of publishing stands.

    Args:
        trial: What was found.
        said: What people said of this draft beside this base.
        authors: Who changed it.
        publisher: Who is about to publish it; None when that is not known yet.
        needs_approval: False where the team is one person.
    """
    judged = RuleTrial(
        impact=trial.impact,
        problems=trial.problems,
        cases=_paired(trial.compared),
        broken_cases=tuple(item.case.case_id for item in trial.broken),
        uncovered=trial.uncovered,
        acknowledged=frozenset(said.acknowledged),
        approved_by=said.second_owner(authors, publisher),
        needs_approval=needs_approval,
    )
    return rule_gates(judged)


def cases_of(database: Database) -> list[Case]:
    """The store's cases that rules can break, and those whose choice may rest on what rules read.

    Raises:
        CaseError: A kept case is none by this version; names it.
    """
    return [
        item.case for item in stored_cases(database, CaseFilter(kinds=(*_KINDS, CaseKind.DECISION)))
    ]


def _played(cases: Iterable[Case]) -> list[Case]:
    return [case for case in cases if case.kind in _KINDS and not case.is_retired]


def _covered(cases: Iterable[Case], rules: RuleSet) -> frozenset[str]:
    """Fact types that some case looks at: named in its facts, or derived from such into its prompt."""
    covered: set[str] = set()
    for case in cases:
        expected = case.expected
        if expected is None or expected.facts is None:
            continue
        named = {fact.type for fact in expected.facts}
        covered |= named
        if expected.prompt is not None:
            covered |= {
                rule.fact_type for rule in rules.derived if named.issuperset(rule.expression.names)
            }
    return frozenset(covered)


def _paired(compared: Iterable[Compared]) -> Paired:
    counts = dict.fromkeys(Change, 0)
    for item in compared:
        counts[item.change] += 1
    return Paired(
        n_broken=counts[Change.BROKEN],
        n_fixed=counts[Change.FIXED],
        n_same_right=counts[Change.SAME_RIGHT],
        n_same_wrong=counts[Change.SAME_WRONG],
    )
