"""Each gate closes for its own reason, and says with which figures."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from metrics.paired import Paired
from metrics.rule_gates import Gate, GateName, GateState, RuleTrial, is_publishable, rule_gates
from pipeline.observation import FragmentKind
from pipeline.observation.fragment import ValueType
from replay_store.backtest_change import Change, Said
from replay_store.backtest_frame import CellCounts
from replay_store.backtest_impact import ChangeClass, Example, Impact, PromptPair

PROMPT = PromptPair("t", "s", "a", "b", 1, 1)
SAID = Said(FragmentKind.FACT, ValueType.ENUM, "refunding", (), None, "", 0.98)
CLASS = ChangeClass(Change("STATUS", None, SAID), 3, 2, (Example("t", "s"),), PROMPT)
NOTHING = Impact(
    base_version="v0",
    draft_version="d",
    draft_sha256="d",
    n_observations=10,
    n_distinct=10,
    n_traces=10,
    n_without_raw=0,
    n_partly_raw=0,
    n_redacted=0,
    n_traces_removed=0,
    n_facts_changed=0,
    n_traces_changed=0,
    n_observations_changed=0,
    n_unknown_removed=0,
    n_unknown_added=0,
    n_conflicts_made=0,
    n_conflicts_cleared=0,
    n_prompts_changed=0,
    n_tokens_before=0,
    n_tokens_after=0,
    token_counter="estimate",  # noqa: S106  # tokens of a prompt
    classes=(),
    cells_before=CellCounts(100, 50, 1, 4, 1),
    cells_after=CellCounts(100, 50, 1, 4, 1),
    n_critical_lost=0,
    n_unstable=0,
    n_parsed=10,
    parse_p99_ms=0.5,
)
FINE = RuleTrial(NOTHING, approved_by="bob")


def gate(trial: RuleTrial, name: GateName) -> Gate:
    return next(found for found in rule_gates(trial) if found.name is name)


def closed(gates: Iterable[Gate]) -> set[str]:
    return {found.name.value for found in gates if not found.is_open}


def cells(conflicts: int, n: int = 50, unknown: int = 4, unparsed: int = 1) -> CellCounts:
    return CellCounts(100, n, conflicts, unknown, unparsed)


def with_impact(**changes: object) -> RuleTrial:
    return replace(FINE, impact=replace(NOTHING, **changes))  # type: ignore[arg-type]


def test_a_draft_that_changes_nothing_that_counts_is_publishable() -> None:
    gates = rule_gates(FINE)

    assert [found.name for found in gates] == list(GateName)
    assert is_publishable(gates)


@pytest.mark.parametrize(
    ("trial", "name"),
    [
        (replace(FINE, problems=("a.yaml: status: its hook failed",)), "sound"),
        (with_impact(n_unstable=1), "sound"),
        (with_impact(n_critical_lost=1), "critical"),
        (with_impact(cells_after=cells(1, unknown=5)), "unknown"),
        (with_impact(cells_after=cells(1, unparsed=2)), "unknown"),
        (with_impact(cells_after=cells(2)), "conflicts"),
        (with_impact(parse_p99_ms=50.1), "time"),
        (replace(FINE, cases=Paired(1, 0, 5, 0), broken_cases=("case-1",)), "cases"),
        (replace(FINE, uncovered=("STATUS",)), "covered"),
        (with_impact(classes=(CLASS,)), "explained"),
        (replace(FINE, approved_by=None), "approved"),
    ],
)
def test_each_hard_gate_closes_alone(trial: RuleTrial, name: str) -> None:
    gates = rule_gates(trial)

    assert closed(gates) == {name}
    assert not is_publishable(gates)


@pytest.mark.parametrize(
    ("before", "after", "is_open"),
    [
        (cells(0, 0), cells(0, 0), True),  # nothing has two sources
        (cells(300, 1000), cells(300, 1000), True),  # above the line, and none of it the draft's
        (cells(300, 1000), cells(299, 1000), True),
        (cells(0, 1000), cells(10, 1000), True),  # exactly one point
        (cells(0, 1000), cells(11, 1000), False),
        (cells(0, 10), cells(1, 1000), True),
        (cells(130, 1000), cells(135, 1000), False),  # the upper end passes 15 %
    ],
)
def test_conflicts_may_rise_by_a_point_below_the_line(
    before: CellCounts, after: CellCounts, is_open: bool
) -> None:
    trial = with_impact(cells_before=before, cells_after=after)

    assert gate(trial, GateName.CONFLICTS).is_open is is_open


def test_a_value_that_turns_from_unknown_to_unparsed_is_no_rise() -> None:
    trial = with_impact(cells_after=cells(1, unknown=3, unparsed=2))

    assert gate(trial, GateName.UNKNOWN).state is GateState.MET


def test_a_class_of_change_waits_until_somebody_says_it_is_meant() -> None:
    trial = with_impact(classes=(CLASS,))
    waiting = gate(trial, GateName.EXPLAINED)
    assert (waiting.state, waiting.items) == (GateState.WAITING, (CLASS.change.key,))

    meant = replace(trial, acknowledged=frozenset({CLASS.change.key}))
    assert gate(meant, GateName.EXPLAINED).state is GateState.MET


def test_a_team_of_one_needs_no_approval_and_it_shows() -> None:
    found = gate(replace(FINE, approved_by=None, needs_approval=False), GateName.APPROVED)

    assert found.state is GateState.MET
    assert found.figures == {"approved_by": None, "needs_approval": 0}


@pytest.mark.parametrize(("after", "state"), [(110, GateState.MET), (111, GateState.WARNING)])
def test_longer_prompts_are_a_warning_only(after: int, state: GateState) -> None:
    trial = with_impact(n_tokens_before=100, n_tokens_after=after)

    assert gate(trial, GateName.TOKENS).state is state
    assert is_publishable(rule_gates(trial))


def test_few_cases_are_a_warning_that_says_how_many_it_takes() -> None:
    few = gate(replace(FINE, cases=Paired(0, 0, 30, 0)), GateName.POWER)
    wanted = few.figures["wanted"]
    assert isinstance(wanted, int)
    assert (few.state, few.figures["n"]) == (GateState.WARNING, 30)

    many = replace(FINE, cases=Paired(0, 0, wanted, 0))
    assert gate(many, GateName.POWER).state is GateState.MET


def test_a_class_of_change_has_one_key_wherever_it_is_made() -> None:
    assert CLASS.change.key == Change("STATUS", None, SAID).key == "a8af93f808e2"
    assert CLASS.change.key != Change("STATUS", SAID, None).key
