"""What the commands of `toolsight replay` share: the plan, the cases, the run, the trace."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dashboard.errors import DashboardError

if TYPE_CHECKING:
    from dashboard.replaying.plans import Plan
    from pipeline.replay import Case
    from pipeline.replay.choosers import Chooser
    from replay_store.database import Database
    from replay_store.replay import PlayedRun

__all__ = [
    "keep",
    "known_trace",
    "named_chooser",
    "now_text",
    "planned",
    "played_run",
    "wanted_cases",
]


def planned(given: dict[str, Any]) -> "Plan":
    """What the options of `run` name."""
    from dashboard.replaying.plans import Against, Wish, plan

    against, chooser, base = given["against"], given["chooser"], given["base_chooser"]
    return plan(
        Wish(
            against=None if against is None else Against(against),
            contracts=given["contracts"],
            base_contracts=given["base_contracts"],
            rules=given["rules"],
            base_rules=given["base_rules"],
            adapter=given["adapter"],
            chooser=None if chooser is None else named_chooser(chooser),
            base_chooser=None if base is None else named_chooser(base),
        )
    )


def named_chooser(reference: str) -> "Chooser":
    """The chooser of a reference; the key of an endpoint comes from the settings."""
    from dashboard.settings import read_settings
    from pipeline.replay.choosers import chooser

    return chooser(reference, api_key=read_settings().chooser_key)


def wanted_cases(folder: Path, db: Path | None, *, is_stored: bool) -> "list[Case]":
    """The cases of a folder, or of the store."""
    from pipeline.replay import read_case_dir

    if not is_stored:
        return read_case_dir(folder)
    from dashboard.cli.stores import open_store
    from replay_store.replay import stored_cases

    with open_store(db) as (database, _):
        return [item.case for item in stored_cases(database)]


def played_run(chosen: "Plan", cases: "Sequence[Case]", by: str) -> "PlayedRun":
    """Play the cases, with a bar on a terminal."""
    from dashboard.cli.progress import bar
    from dashboard.cli.tables import plain
    from dashboard.replaying.running import play_plan

    def note(sentence: str) -> None:
        click.echo(plain(sentence), err=True)

    with bar("Playing cases") as fill:
        return play_plan(chosen, cases, by, time.time_ns, fill, note)


def keep(db: Path | None, cases: "Sequence[Case]", played: "PlayedRun") -> None:
    """Keep a run and the versions of its cases in the store."""
    from dashboard.cli.stores import open_store
    from replay_store.replay import keep_cases, keep_run

    with open_store(db) as (database, _):
        keep_cases(database, cases)
        keep_run(database, played)


def known_trace(database: "Database", text: str) -> str:
    """The one trace that a pasted id means."""
    from replay_store.finding import resolve_trace_id

    found = resolve_trace_id(database, text)
    if len(found) != 1:
        what = f"{len(found)} traces it may mean" if found else "no such trace in the store"
        raise DashboardError(f"{text}: {what}: expected one; give all 32 digits of its id")
    return found[0]


def now_text() -> str:
    """Now, as a case tells when it was made."""
    from datetime import UTC, datetime

    return datetime.now(UTC).replace(microsecond=0).isoformat()
