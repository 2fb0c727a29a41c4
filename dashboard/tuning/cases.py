"""Replay cases that a change of dictionaries needs: new ones that guard it, others brought to it."""

from collections.abc import Iterable

from dashboard.errors import DashboardError
from dashboard.tuning.trial import Trial
from pipeline.observation import RuleSet
from pipeline.replay import Case
from pipeline.replay.outcome import Compared
from pipeline.replay.updating import updated_case
from replay_store.backtest_impact import ChangeClass
from replay_store.database import Database
from replay_store.replay import keep_cases
from replay_store.replay.capture import observation_case

__all__ = ["guard_changes", "guarding_cases", "update_broken"]


def guard_changes(
    database: Database, trial: Trial, draft: RuleSet, note: str, made_time: str
) -> list[Case]:
    """Keep the cases of `guarding_cases`."""
    made = guarding_cases(database, trial, draft, note, made_time)
    keep_cases(database, made)
    return made


def guarding_cases(
    database: Database, trial: Trial, draft: RuleSet, note: str, made_time: str
) -> list[Case]:
    """A case for each changed fact type that none guards: its first example, as the draft reads it.

    Args:
        database: The store, for the examples.
        trial: Names what is not guarded.
        draft: The rules that read it as it is meant.
        note: Why the case is there.
        made_time: When, RFC 3339 with offset.

    Raises:
        DashboardError: No example of a fact type was recorded whole; names the type.
    """
    made: dict[str, Case] = {}
    for fact_type in trial.uncovered:
        classes = [item for item in trial.impact.classes if item.change.fact_type == fact_type]
        found = _first_whole(database, classes)
        if found is None:
            raise DashboardError(
                f"{fact_type}: no example of the change was recorded whole, so that no replay case "
                "can be made of it; try a longer time range"
            )
        made[found.case_id] = updated_case(found, draft, note, made_time)
    return list(made.values())


def update_broken(
    database: Database, broken: Iterable[Compared], draft: RuleSet, note: str, made_time: str
) -> list[Case]:
    """Keep a new version of each broken case: what the draft reads is right, and why.

    A case that is a task stays broken where a choice of its is wrong.
    """
    made = [updated_case(item.case, draft, note, made_time) for item in broken]
    keep_cases(database, made)
    return made


def _first_whole(database: Database, classes: Iterable[ChangeClass]) -> Case | None:
    for item in classes:
        for example in item.examples:
            found = observation_case(database, example.trace_id, example.span_id)
            if found is not None:
                return found
    return None
