"""What the commands about publishing dictionaries share: the trial, what is said of it, the step."""

import getpass
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from dashboard.cli.progress import bar
from dashboard.errors import DashboardError
from dashboard.settings import Settings
from dashboard.tuning.cases import guarding_cases
from dashboard.tuning.publishing import Publication, publish_gated
from dashboard.tuning.shadow import shadow_impact
from dashboard.tuning.sources import Source, known_version, read_source, version_in_force
from dashboard.tuning.trial import Trial, Wanted, gates_of, run_trial
from metrics import Scope, data_range, default_scope
from metrics.rule_gates import Gate, GateState
from pipeline.observation import load_rules
from pipeline.observation import publishing as folders
from pipeline.replay import Case, read_case_dir, write_case
from pipeline.replay.updating import updated_case
from replay_store import rule_drafts, rule_reviews, rule_store
from replay_store.backtest_impact import Impact
from replay_store.backtest_reread import reread_all
from replay_store.database import Database
from replay_store.records import RuleReview
from replay_store.replay import keep_cases
from replay_store.rule_reviews import Reviewed
from replay_store.rule_shadows import Shadow, running_shadow, start_shadow, stop_shadow
from replay_store.rule_store import RULE_SET

__all__ = [
    "Tried",
    "cases_made",
    "has_failed",
    "named_user",
    "published",
    "rolled_back",
    "shadowed",
    "tried",
]

_ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Tried:
    """One trial on the command line."""

    source: Source
    base_version: str
    author: str
    period: Scope
    trial: Trial
    gates: tuple[Gate, ...]
    acknowledged: frozenset[str]


def named_user(name: str | None) -> str:
    """The name given, else that of the user who runs the command."""
    return (name or "").strip() or getpass.getuser()


def tried(
    database: Database,
    settings: Settings,
    source: str,
    given: Mapping[str, Any],
    *,
    is_kept: bool,
) -> Tried:
    """Try what is named, with what is said of it.

    Args:
        database: The store.
        settings: Say whether a second owner has to approve.
        source: Folder, draft or version.
        given: The options of the command.
        is_kept: Whether what is said of it is kept in the store.

    Raises:
        DashboardError: Something that is named is not there; says what can be named.
        RuleFileError: The rules cannot be used; names file, path and problem.
        SelfApprovalError: Who approves changed the draft.
    """
    found = read_source(database, source)
    base = given["base"]
    base_version = found.base_version or version_in_force(database)
    if base is not None:
        base_version = known_version(database, base)
    author = named_user(given["by"])
    period = default_scope(given["range_key"], data_range(database))
    wanted = Wanted(
        base_version,
        rule_store.texts_of(database, base_version),
        found.texts,
        period,
        given["tool"],
    )
    cases = None if given["case_dir"] is None else list(read_case_dir(given["case_dir"]))
    with bar("Reading recorded outputs") as fill:
        trial = run_trial(database, wanted, cases, on_progress=fill)
    authors = () if found.draft is None else found.draft.authors
    said = _said(database, found, base_version, trial, authors or (author,), given, author, is_kept)
    gates = gates_of(trial, said, authors, author, needs_approval=not settings.team_of_one)
    return Tried(found, base_version, author, period, trial, gates, frozenset(said.acknowledged))


def has_failed(done: Tried) -> bool:
    """Whether a gate has failed; one that waits for a person has not."""
    return any(gate.state is GateState.FAILED and gate.is_hard for gate in done.gates)


def published(database: Database, done: Tried, reason: str, folder: Path | None) -> tuple[str, int]:
    """Put it in force, read recorded outputs again by it, and write it to a folder where asked.

    Returns:
        The version, and how many observations were read again.

    Raises:
        GateClosedError: A gate is closed.
        RulesMovedError: Another version was put in force meanwhile.
        RuleStoreError: The files are those in force already, or the reason is missing.
    """
    wanted = Publication(done.base_version, done.source.texts, done.author, reason, done.period)
    version = publish_gated(database, wanted, done.trial, done.gates, time.time_ns)
    if done.source.draft is not None:
        rule_drafts.close_draft(
            database, done.source.draft.draft_id, "published", done.author, time.time_ns
        )
    if folder is not None:
        folders.publish(folder, done.source.texts)
    return version, _read_again(database)


def rolled_back(
    database: Database, version: str | None, reason: str, by: str | None
) -> tuple[str, int]:
    """Put an earlier version in force again, and read recorded outputs again by it.

    Raises:
        DashboardError: There is no such version, or none before this one.
        RuleStoreError: It is in force already, or the reason is missing.
    """
    found = _before(database) if version is None else known_version(database, version)
    rule_store.roll_back(database, found, named_user(by), reason, time.time_ns)
    return found, _read_again(database)


def shadowed(
    database: Database, source: str | None, by: str | None, *, is_stopped: bool
) -> tuple[Shadow, Impact] | None:
    """Begin or end a shadow run, or look at it: the run and what it saw; None when none runs.

    Raises:
        DashboardError: Nothing is called like the source.
        RuleStoreError: The source is the version in force itself.
    """
    if is_stopped:
        stop_shadow(database, named_user(by), time.time_ns)
    elif source is not None:
        found = read_source(database, source)
        base = version_in_force(database)
        start_shadow(database, base, found.texts, named_user(by), time.time_ns)
    running = running_shadow(database)
    return None if running is None else (running, shadow_impact(database, running))


def _before(database: Database) -> str:
    moves = rule_store.history(database)
    if not moves:
        raise DashboardError("rules rollback: nothing was published yet: there is no way back")
    return moves[1].version if len(moves) > 1 else rule_store.V0


def _read_again(database: Database) -> int:
    stored = rule_store.rules_in_force(database)
    with bar("Reading recorded outputs again") as fill:
        return reread_all(database, stored, time.time_ns, on_progress=fill)


def _said(
    database: Database,
    found: Source,
    base_version: str,
    trial: Trial,
    authors: Iterable[str],
    given: Mapping[str, Any],
    author: str,
    is_kept: bool,
) -> Reviewed:
    """What the store knows was said of it, and what the options say."""
    keys = {item.change.key for item in trial.impact.classes}
    named = set(given["acknowledged"])
    wanted = sorted(keys if _ALL in named else named)
    if unknown := sorted(set(wanted) - keys):
        raise DashboardError(
            f"--acknowledge {unknown[0]}: this draft makes no such change: expected {_ALL}, or one "
            f"of {', '.join(sorted(keys)) or 'none'}"
        )
    approver = given["approved_by"]
    if is_kept:
        rule_reviews.acknowledge(
            database, base_version, found.version, wanted, author, time.time_ns
        )
        if approver is not None:
            rule_reviews.approve(
                database, base_version, found.version, approver, "", authors, time.time_ns
            )
        return rule_reviews.reviewed(database, base_version, found.version)
    said = rule_reviews.reviewed(database, base_version, found.version)
    more = dict.fromkeys(wanted, author) | dict(said.acknowledged)
    approvals = said.approvals
    if approver is not None:
        approvals = (*approvals, _approval(base_version, found.version, approver))
    return replace(said, acknowledged=more, approvals=approvals)


def _approval(base_version: str, version: str, approver: str) -> RuleReview:
    return RuleReview(
        rule_set=RULE_SET,
        base_version=base_version,
        version=version,
        action="approve",
        change_key=None,
        author=approver,
        note=None,
        is_withdrawn=False,
        time_ns=time.time_ns(),
    )


def cases_made(
    database: Database, done: Tried, note: str, case_dir: Path | None
) -> tuple[list[Case], list[Case]]:
    """Keep the cases that the change needs: new ones that guard it, broken ones brought to it.

    Args:
        database: The store.
        done: The trial that named them.
        note: Why the new reading is right.
        case_dir: Folder of case files to write; the store when None.

    Raises:
        DashboardError: No example of a changed fact was recorded whole.
    """
    rules = load_rules(done.source.texts)
    made_time = datetime.now(UTC).isoformat(timespec="seconds")
    guarding = guarding_cases(database, done.trial, rules, note, made_time)
    brought = [updated_case(item.case, rules, note, made_time) for item in done.trial.broken]
    if case_dir is None:
        keep_cases(database, [*guarding, *brought])
    else:
        for item in (*guarding, *brought):
            write_case(item, case_dir)
    return guarding, brought
