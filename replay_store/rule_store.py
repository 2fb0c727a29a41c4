"""Dictionaries as they are kept: immutable versions, and a pointer that says which is in force.

A version is named by its content. Nothing is ever changed or deleted: publishing adds a version and
moves the pointer, rolling back only moves the pointer. Without a pointer the package's own rule
files are in force; they are called `v0` and are not kept in the store.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import duckdb

from pipeline.observation import RuleSet, load_rules, package_rule_texts, package_rules
from replay_store.database import Database
from replay_store.errors import RulesMovedError, RuleStoreError
from replay_store.statements import statement

RULE_SET: Final = "default"
"""The one rule set there is so far."""
V0: Final = "v0"
"""The version that is the package's own files."""
SHORT: Final = 12
"""Digits of a version by which people and facts name it."""
MAX_AUTHOR: Final = 100
MAX_REASON: Final = 1_000

Clock = Callable[[], int]
"""Nanoseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class StoredRules:
    """One version, ready to read with."""

    version: str
    """SHA-256 of its body, or `v0`."""
    texts: Mapping[str, str]
    """YAML text by file name."""
    rule_set: RuleSet


@dataclass(frozen=True, slots=True)
class Move:
    """One move of the pointer."""

    version: str
    moved_by: str
    reason: str
    moved_time_ns: int
    base_version: str | None
    """What the version was edited from; None for `v0`."""
    author: str | None
    """Who wrote the version: another than `moved_by` after a roll back. None for `v0`."""
    created_time_ns: int | None

    @property
    def is_return(self) -> bool:
        """Whether a version that was there before was put in force again."""
        return self.created_time_ns != self.moved_time_ns


def rules_in_force(database: Database) -> StoredRules:
    """The version by which raw outputs are read now; the package's own without a pointer.

    Raises:
        RuleFileError: The version was published by another release, which allowed what this one
            does not.
    """
    moves = history(database)
    return stored_rules(database, moves[0].version if moves else V0)


def stored_rules(database: Database, version: str) -> StoredRules:
    """One version whole, in force or not.

    Raises:
        RuleStoreError: There is no such version.
        RuleFileError: See `rules_in_force`.
    """
    texts = texts_of(database, version)
    if version == V0:
        return StoredRules(version, texts, package_rules())
    return StoredRules(version, texts, _loaded(body_of(texts), version[:SHORT]))


def texts_of(database: Database, version: str) -> dict[str, str]:
    """The YAML texts of one version by file name.

    Raises:
        RuleStoreError: There is no such version.
    """
    if version == V0:
        return package_rule_texts()
    row = database.row(statement("sql/rules_body"), {"rule_set": RULE_SET, "version": version})
    if row is None:
        raise RuleStoreError(
            f"dictionary {short(version)}: there is no such version; choose one of the history"
        )
    texts: dict[str, str] = json.loads(row["body"])
    return texts


def history(database: Database) -> list[Move]:
    """Every move of the pointer, newest first; the first one is in force. Empty at the start."""
    rows = database.rows(statement("sql/rules_pointers"), {"rule_set": RULE_SET})
    return [Move(**row) for row in rows]


def publish(
    database: Database,
    base_version: str,
    texts: Mapping[str, str],
    author: str,
    reason: str,
    clock: Clock,
) -> str:
    """Keep a new version and put it in force.

    Args:
        database: The store.
        base_version: The version in force when the draft was begun.
        texts: All files of the new version, YAML text by name.
        author: Who answers for it.
        reason: Why it is made.
        clock: The time now.

    Returns:
        The version: SHA-256 of `body_of(texts)`; `v0` where these are the package's own files.

    Raises:
        RuleFileError: A file cannot be used; names file, path, problem and what is allowed.
        RulesMovedError: Another version was put in force meanwhile; nothing was stored.
        RuleStoreError: The texts are those of the version in force, or author or reason is missing.
    """
    signed = _signature(author, reason)
    load_rules(texts)
    version = version_of(texts)
    with database.transaction() as cursor:
        moves = _require_base(database, base_version)
        if version == base_version:
            raise RuleStoreError(
                f"dictionary {short(version)}: the draft changes nothing; change a word first"
            )
        now = _next_time(moves, clock)
        if version != V0:
            row = {"version": version, "rule_set": RULE_SET, "base_version": base_version}
            row |= {"body": body_of(texts), "author": signed[0], "reason": signed[1]}
            cursor.execute(
                statement("sql/rules_insert_version"), row | {"created_time_ns": now}
            ).fetchall()
        _move(cursor, version, signed, now)
    return version


def roll_back(
    database: Database, to_version: str, moved_by: str, reason: str, clock: Clock
) -> None:
    """Put a version that was published before, or `v0`, in force again.

    Raises:
        RuleStoreError: There is no such version, it is in force already, or who or why is missing.
        RuleFileError: The version cannot be used by this release.
    """
    signed = _signature(moved_by, reason)
    stored_rules(database, to_version)
    with database.transaction() as cursor:
        moves = history(database)
        if to_version == (moves[0].version if moves else V0):
            raise RuleStoreError(
                f"dictionary {short(to_version)}: it is in force already; choose another version"
            )
        _move(cursor, to_version, signed, _next_time(moves, clock))


def body_of(texts: Mapping[str, str]) -> str:
    """The body of a version: a JSON object of file name to YAML text, the same for equal texts."""
    return json.dumps(dict(texts), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def version_of(texts: Mapping[str, str]) -> str:
    """The name of the version that has these texts."""
    if dict(texts) == package_rule_texts():
        return V0
    return hashlib.sha256(body_of(texts).encode("utf-8")).hexdigest()


def short(version: str) -> str:
    """The first digits of a version, as people name it."""
    return version[:SHORT]


@lru_cache(maxsize=16)
def _loaded(body: str, name: str) -> RuleSet:
    return load_rules(json.loads(body), name)


def _signature(who: str, reason: str) -> tuple[str, str]:
    who, reason = who.strip(), reason.strip()
    for what, text, limit in (("author", who, MAX_AUTHOR), ("reason", reason, MAX_REASON)):
        if not text or len(text) > limit:
            raise RuleStoreError(
                f"dictionary: {what}: expected 1 to {limit} characters; say who and why"
            )
    return who, reason


def _require_base(database: Database, base_version: str) -> list[Move]:
    """The moves so far; inside the writer's transaction nobody can add one."""
    moves = history(database)
    if base_version != (moves[0].version if moves else V0):
        raise RulesMovedError(_moved_message(base_version, moves[0] if moves else None))
    return moves


def _moved_message(base_version: str, move: Move | None) -> str:
    now = V0 if move is None else short(move.version)
    who = "" if move is None else f" by {move.moved_by} ({move.reason})"
    return (
        f"dictionary {short(base_version)}: it is no longer in force: {now} was put in force"
        f"{who}; look at what it changed, bring the draft to it and publish again"
    )


def _next_time(moves: list[Move], clock: Clock) -> int:
    """Now, or just after the last move where the clock has been set back: the newest row counts."""
    return max(clock(), moves[0].moved_time_ns + 1) if moves else clock()


def _move(
    cursor: duckdb.DuckDBPyConnection, version: str, signed: tuple[str, str], now: int
) -> None:
    row: dict[str, Any] = {"rule_set": RULE_SET, "version": version, "moved_time_ns": now}
    row |= {"moved_by": signed[0], "reason": signed[1]}
    cursor.execute(statement("sql/rules_move_pointer"), row).fetchall()
    cursor.execute(statement("sql/bump_version")).fetchall()
