"""What a store knows of its own shipping: where to, what waits, what was the last that went wrong."""

import time
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4

import duckdb

from replay_store.database import Database
from replay_store.statements import run, statement

__all__ = [
    "ShipState",
    "claim_version",
    "register",
    "ship_state",
    "start_over",
    "stop_shipping",
    "tell_problem",
    "told_shipped",
]

_NS_PER_US: Final = 1_000


@dataclass(frozen=True, slots=True)
class ShipState:
    """How far shipping is."""

    receiver: UUID
    """By what this store is known in the cluster."""
    target: str
    """Where to, without who asks."""
    last_version: int
    n_waiting: int
    """Traces that changed since they were shipped, and raw outputs that went; 0: all are there."""
    oldest_waiting_ns: int | None
    """When the first of what waits was received; None where nothing that was received waits."""
    shipped_time_ns: int | None
    """When something was last shipped, or found to be; None before that."""
    problem: str | None
    """Why nothing could be shipped at the last try; None when it could."""


def ship_state(database: Database) -> ShipState | None:
    """How far shipping is; None in a store that ships nowhere."""
    row = database.row(statement("cluster/sql/state"))
    return None if row is None else ShipState(**row)


def register(database: Database, target: str) -> ShipState:
    """Say where the store ships to; where that is new, all it holds waits.

    Returns:
        How far shipping is.
    """
    state = ship_state(database)
    if state is None or state.target != target:
        start_over(database, target)
        state = ship_state(database)
    assert state is not None  # noqa: S101 - one transaction before
    return state


def start_over(database: Database, target: str) -> None:
    """Let all that the store holds wait, as nothing of it is in the cluster."""
    with database.transaction() as cursor, database.whole(cursor):
        run(cursor, "cluster/sql/start_over", {"target": target, "receiver": uuid4()})


def stop_shipping(database: Database) -> None:
    """Ship nowhere any more, and forget what waits; what is in the cluster stays there.

    Named again, the same cluster gets all that the store holds then.
    """
    with database.transaction() as cursor:
        run(cursor, "cluster/sql/stop")


def claim_version(database: Database, receiver: UUID, *, now_ns: int | None = None) -> int:
    """A version greater than any that was given out, also where the clock was set back.

    It is kept before it is used: what a crash leaves half sent is never mistaken for what follows.
    """
    now_us = (time.time_ns() if now_ns is None else now_ns) // _NS_PER_US
    with database.transaction() as cursor:
        return _claimed(cursor, receiver, now_us)


def tell_problem(database: Database, receiver: UUID, problem: str | None) -> None:
    """Keep why nothing could be shipped."""
    with database.transaction() as cursor:
        cursor.execute(
            "update ship_target set problem = $problem where receiver = $receiver",
            {"problem": problem, "receiver": receiver},
        )


def told_shipped(cursor: duckdb.DuckDBPyConnection, receiver: UUID) -> None:
    """Keep, with what was shipped, that it was shipped now."""
    cursor.execute(
        "update ship_target set shipped_time_ns = $now where receiver = $receiver",
        {"now": time.time_ns(), "receiver": receiver},
    )


def _claimed(cursor: duckdb.DuckDBPyConnection, receiver: UUID, now_us: int) -> int:
    bounds = {"now_us": now_us, "receiver": receiver}
    [(version,)] = cursor.execute(statement("cluster/sql/claim"), bounds).fetchall()
    return int(version)
