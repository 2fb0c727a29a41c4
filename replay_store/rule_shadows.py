"""A shadow run: a draft reads the live raw outputs beside the version in force, and nobody is shown it.

What arrives is recorded anyway; the shadow's diff is a back-test over what arrived since it began. One
runs at a time: two would be one draft too many to compare with what is in force.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from pipeline.observation import load_rules
from replay_store.database import Database
from replay_store.errors import RuleStoreError
from replay_store.reader import record_of
from replay_store.records import RuleShadow
from replay_store.rule_store import MAX_AUTHOR, RULE_SET, body_of, short, version_of
from replay_store.statements import statement

__all__ = ["Shadow", "running_shadow", "start_shadow", "stop_shadow"]

Clock = Callable[[], int]
"""Nanoseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Shadow:
    """The draft that runs in the shadow."""

    base_version: str
    version: str
    """By its content."""
    texts: Mapping[str, str]
    author: str
    started_time_ns: int
    """What arrived since then is its traffic."""


def running_shadow(database: Database) -> Shadow | None:
    """The shadow run under way; None when none is."""
    row = database.row(statement("sql/rule_shadow"), {"rule_set": RULE_SET})
    if row is None:
        return None
    last = record_of(RuleShadow, row)
    if last.action == "stop":
        return None
    return Shadow(last.base_version, last.version, json.loads(last.body), last.author, last.time_ns)


def start_shadow(
    database: Database, base_version: str, texts: Mapping[str, str], author: str, clock: Clock
) -> Shadow:
    """Let a draft run in the shadow from now on; one that runs ends with it.

    Args:
        database: The store.
        base_version: What it is compared with.
        texts: Its files, YAML text by name.
        author: Who wants it.
        clock: The time now.

    Raises:
        RuleFileError: A file cannot be used.
        RuleStoreError: It is the version it would be compared with, or nobody is named.
    """
    load_rules(texts)
    version = version_of(texts)
    if version == base_version:
        raise RuleStoreError(
            f"shadow {short(version)}: it is the version in force itself; change a word first"
        )
    _record(database, base_version, version, texts, "start", author, clock)
    found = running_shadow(database)
    assert found is not None  # noqa: S101  # it was just begun
    return found


def stop_shadow(database: Database, author: str, clock: Clock) -> None:
    """End the shadow run under way; nothing happens without one.

    Raises:
        RuleStoreError: Nobody is named.
    """
    running = running_shadow(database)
    if running is not None:
        _record(
            database, running.base_version, running.version, running.texts, "stop", author, clock
        )


def _record(
    database: Database,
    base_version: str,
    version: str,
    texts: Mapping[str, str],
    action: Literal["start", "stop"],
    author: str,
    clock: Clock,
) -> None:
    who = author.strip()
    if not who or len(who) > MAX_AUTHOR:
        raise RuleStoreError(f"shadow: author: expected 1 to {MAX_AUTHOR} characters; say who")
    with database.transaction() as cursor:
        last = database.row(statement("sql/rule_shadow"), {"rule_set": RULE_SET})
        now = clock() if last is None else max(clock(), last["time_ns"] + 1)
        row = RuleShadow(RULE_SET, base_version, version, body_of(texts), action, who, now)
        cursor.execute(statement("sql/rule_shadow_insert"), asdict(row)).fetchall()
