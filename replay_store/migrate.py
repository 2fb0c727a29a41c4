"""Migrations: numbered SQL files, each applied once, in one transaction with its ledger row."""

import hashlib
import time
from importlib.resources import files
from typing import NamedTuple

import duckdb

from replay_store.errors import MigrationError

_LEDGER = """
create table if not exists migration (
    name varchar not null,
    sha256 varchar not null,
    applied_time_ns bigint not null
)
"""


class Migration(NamedTuple):
    """One file of `replay_store/migrations`."""

    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """Checksum by which an applied migration is recognised."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """Every migration of this version, in order of its number."""
    folder = files(__package__) / "migrations"
    found = sorted(item.name for item in folder.iterdir() if item.name.endswith(".sql"))
    return [Migration(name, (folder / name).read_text(encoding="utf-8")) for name in found]


def apply_migrations(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Bring the attached store to this version; returns the names applied, oldest first.

    A checkpoint follows, because a log that still holds schema changes may not replay after a
    crash.

    Raises:
        MigrationError: An applied migration has changed or is unknown; names the file.
    """
    connection.execute(_LEDGER)
    applied = dict(connection.execute("select name, sha256 from migration").fetchall())
    known = {migration.name: migration for migration in migrations()}
    _check(applied, known)
    new = [migration for name, migration in known.items() if name not in applied]
    for migration in new:
        _apply(connection, migration)
    if new:
        connection.execute("checkpoint store")
    return [migration.name for migration in new]


def _check(applied: dict[str, str], known: dict[str, Migration]) -> None:
    for name, sha256 in applied.items():
        if name not in known:
            raise MigrationError(
                f"{name}: applied to this store, unknown to this version: "
                "the store was written by a newer version; upgrade, or give another file with --db"
            )
        if known[name].sha256 != sha256:
            raise MigrationError(
                f"{name}: changed after it was applied: a migration is never edited; "
                "restore the file and write a new one"
            )


def _apply(connection: duckdb.DuckDBPyConnection, migration: Migration) -> None:
    connection.begin()
    try:
        connection.execute(migration.sql)
        connection.execute(
            "insert into migration (name, sha256, applied_time_ns) values ($name, $sha256, $now)",
            {"name": migration.name, "sha256": migration.sha256, "now": time.time_ns()},
        )
    except BaseException:
        connection.rollback()
        raise
    connection.commit()
