"""Signs that only the order of steps shows: calls that take turns, observations that bring nothing."""

from collections.abc import Iterator, Sequence
from typing import Final

from metrics.step_patterns import is_ping_pong
from replay_store.story import Act, FaultSign, Step

__all__ = ["PATTERNS", "pattern_signs"]

PATTERNS: Final = frozenset({"ping_pong", "no_progress"})
"""Signs that are found trace by trace, and counted in no period."""

_STALE: Final = 3
"""Observations in a row with one snapshot: nothing new was learnt."""
_TURNS: Final = 4


def pattern_signs(steps: Sequence[Step]) -> Iterator[FaultSign]:
    """At most one sign of each pattern, at the step that completes it first.

    Source: S3 §5.3 (the model goes back and forth between tools), S4 §3.1 (loops).
    """
    calls = [step for step in steps if step.call_index is not None and step.attempt_index is None]
    keys = [
        None if call.arguments_hash is None else (call.subject, call.arguments_hash)
        for call in calls
    ]
    for end in range(_TURNS, len(calls) + 1):
        if is_ping_pong(keys[end - _TURNS : end]):
            yield _sign("ping_pong", calls[end - 1])
            break
    seen = [step for step in steps if step.act is Act.OBSERVED and step.n_facts]
    for end in range(_STALE, len(seen) + 1):
        if len({step.snapshot_hash for step in seen[end - _STALE : end]}) == 1:
            yield _sign("no_progress", seen[end - 1])
            break


def _sign(sign: str, step: Step) -> FaultSign:
    return FaultSign(
        sign=sign,
        tool_name=step.subject,
        contract_version=None,
        error_type=None,
        call_index=step.call_index,
        span_id=step.span_id,
        time_ns=step.time_ns,
        is_recovered=False,
        n=1,
    )
