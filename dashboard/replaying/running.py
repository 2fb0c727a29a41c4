"""One run over cases, from the plan to the record of it."""

import os
from collections.abc import Callable, Sequence
from importlib.metadata import version

from dashboard.errors import DashboardError
from dashboard.replaying.plans import Plan
from pipeline.replay import Case
from pipeline.replay.playing import OnProgress, compare
from replay_store.replay import PlayedRun, RunTold, played_run

__all__ = ["play_plan"]


def play_plan(
    plan: Plan,
    cases: Sequence[Case],
    by: str,
    clock: Callable[[], int],
    on_progress: OnProgress | None = None,
    on_note: Callable[[str], None] | None = None,
) -> PlayedRun:
    """Play the cases that a plan is about; nothing is stored.

    Args:
        plan: What to compare.
        cases: All there are.
        by: Who runs it.
        clock: Now, in nanoseconds since the epoch.
        on_progress: Called with the cases played and those to play.
        on_note: Told what a person should know of how they are played.

    Raises:
        DashboardError: None of the cases is of a kind that the plan is about.
    """
    started = clock()
    wanted = plan.cases(cases)
    if not wanted:
        raise DashboardError(
            f"replay run: no case to play against {plan.against}: expected one of the kinds "
            f"{', '.join(sorted(plan.kinds))}; make one with `toolsight replay case TRACE_ID`"
        )
    compared = compare(
        wanted,
        plan.before,
        plan.after,
        n_processes=os.cpu_count() or 1,
        on_progress=on_progress,
        on_note=on_note,
    )
    told = RunTold(
        against=plan.against.value,
        baseline=plan.before.name,
        candidate=plan.after.name,
        chooser=plan.chooser_name,
        created_by=by,
        code_version=version("toolsight"),
        started_time_ns=started,
        finished_time_ns=clock(),
    )
    return played_run(told, compared)
