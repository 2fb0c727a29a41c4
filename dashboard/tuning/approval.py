"""Who approved a version, as its gates stood when it was put in force."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from metrics.rule_gates import GateName
from replay_store.rule_reviews import KeptBacktest
from replay_store.rule_store import Move

__all__ = ["Approval", "approval", "published_with"]


class Approval(NamedTuple):
    """Who approved; nobody had to where the team was one person."""

    by: str | None
    is_team_of_one: bool


def published_with(move: Move, kept: Sequence[KeptBacktest]) -> KeptBacktest | None:
    """The back-test with which a version was put in force.

    Args:
        move: When that was.
        kept: Those of its version, newest first: the same content may have been published twice.

    Returns:
        None for a way back, and for what was published before back-tests were kept.
    """
    if move.is_return:
        return None
    since = [item for item in kept if item.backtest.created_time_ns >= move.moved_time_ns]
    return next(iter([*reversed(since), *kept]), None)


def approval(kept: KeptBacktest | None) -> Approval:
    """Who approved of it; nobody where that is not on record."""
    gates: list[dict[str, Any]] = [] if kept is None else json.loads(kept.backtest.gates)
    figures: dict[str, Any] = next(
        (gate["figures"] for gate in gates if gate["gate"] == GateName.APPROVED.value), {}
    )
    by = figures.get("approved_by")
    is_alone = bool(figures) and not by and not figures.get("needs_approval")
    return Approval(str(by) if by else None, is_alone)
