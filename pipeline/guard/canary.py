"""Canaries: calls that a rule must stop, tried now and then to see whether it still does (S3 §7.2).

They are judged only, never executed, and their events are marked: no metric counts them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.contracts import Registry
from pipeline.execution import Call
from pipeline.guard.guard import Guard


@dataclass(frozen=True, slots=True)
class Canary:
    """A call that must be stopped."""

    call: Call
    rule: str
    """The rule that has to stop it."""


@dataclass(frozen=True, slots=True)
class CanaryFailure:
    """A canary that passed, or that another rule stopped first."""

    canary: Canary
    stopped_by: str | None
    """None when nothing stopped it."""


def try_canaries(
    guard: Guard, registry: Registry, canaries: Iterable[Canary]
) -> tuple[CanaryFailure, ...]:
    """The canaries that were not stopped by their rule; empty when all were.

    A canary whose tool is no longer on offer has failed too: nobody knows what would stop it.
    """
    failures = []
    for canary in canaries:
        contract = registry.get(canary.call.tool)
        verdicts = (
            () if contract is None else guard.evaluate(canary.call, contract, canary_of=canary.rule)
        )
        hits = [verdict.rule for verdict in verdicts if verdict.is_hit]
        if hits != [canary.rule]:
            failures.append(CanaryFailure(canary, hits[0] if hits else None))
    return tuple(failures)
