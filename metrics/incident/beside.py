"""Two traces side by side: which step of one stands for which of the other, and what differs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from replay_store.story import Step

__all__ = ["Difference", "Pair", "beside"]

_TIMES: Final = 2.0
"""A step that took so many times as long as its partner differs in its duration ..."""
_LEAST_NS: Final = 100_000_000
"""... when that is a tenth of a second at least."""


class Difference(StrEnum):
    """In what two steps differ."""

    LEFT_ONLY = "left_only"
    RIGHT_ONLY = "right_only"
    STATUS = "status"
    ERROR = "error"
    ARGUMENTS = "arguments"
    RESULT = "result"
    FACTS = "facts"
    """Other facts, conflicts, unknown values or noise."""
    ATTEMPTS = "attempts"
    DURATION = "duration"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two steps that stand for each other; one is None where the other has no partner."""

    left: Step | None
    right: Step | None
    differs: tuple[Difference, ...]
    """Empty for steps that are alike."""


def beside(left: Sequence[Step], right: Sequence[Step]) -> list[Pair]:
    """The steps of both in one order; every step is in exactly one pair.

    Steps are partners by what they are and by their tool or model, in order; a plan by another model
    is still the plan.
    """
    keys = [[_key(step) for step in side] for side in (left, right)]
    matcher = SequenceMatcher(None, keys[0], keys[1], autojunk=False)
    return [
        pair
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        for pair in _pairs(tag == "equal", left[i1:i2], right[j1:j2])
    ]


def _key(step: Step) -> tuple[str, str]:
    is_of_model = step.call_index is None and step.n_requested is not None
    return (step.act, "" if is_of_model else step.subject or "")


def _pairs(is_equal: bool, left: Sequence[Step], right: Sequence[Step]) -> Iterator[Pair]:
    if is_equal:
        for one, other in zip(left, right, strict=True):
            yield Pair(one, other, tuple(_differences(one, other)))
        return
    for step in left:
        yield Pair(step, None, (Difference.LEFT_ONLY,))
    for step in right:
        yield Pair(None, step, (Difference.RIGHT_ONLY,))


def _differences(left: Step, right: Step) -> Iterator[Difference]:
    if left.status != right.status:
        yield Difference.STATUS
    if left.error_type != right.error_type:
        yield Difference.ERROR
    if left.arguments_hash != right.arguments_hash:
        yield Difference.ARGUMENTS
    if left.detail != right.detail:
        yield Difference.RESULT
    if _facts(left) != _facts(right):
        yield Difference.FACTS
    if left.n_attempts != right.n_attempts:
        yield Difference.ATTEMPTS
    if _is_slower(left.duration_ns, right.duration_ns):
        yield Difference.DURATION


def _facts(step: Step) -> tuple[object, ...]:
    return (
        step.snapshot_hash,
        step.n_facts,
        step.n_conflicts,
        step.n_unknown,
        step.n_unparsed,
        step.n_failed,
        step.n_noise,
    )


def _is_slower(left: int | None, right: int | None) -> bool:
    if left is None or right is None:
        return left is not right
    low, high = sorted((left, right))
    return high >= _LEAST_NS and high >= _TIMES * low
