"""Silence: nothing is evaluated, nothing is hit, nothing arrives. Three words, three alarms.

S3 §7.2 asks to be wary when guard hits suddenly drop to zero. "No evaluations" means that a rule
does not run; "canary not blocked" that it runs and does not bite; "no hits" that nobody tried, or
that it does not bite. "Nothing arrives" explains all of them away.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from metrics.detect.tails import zero_probability

__all__ = ["Activity", "GuardHour", "Silence", "SilenceKind", "arrival_silence", "guard_silence"]

_MIN_HOURS: Final = 2
"""Silent hours with calls, at least; one quiet hour is no silence."""
_TIMES_LONGEST: Final = 2
"""So many times the longest gap there ever was: bursts make gaps that no rate explains."""


class SilenceKind(StrEnum):
    """What is missing."""

    EVALUATIONS = "evaluations"
    """Calls go on, the rule is not evaluated any more."""
    HITS = "hits"
    """Evaluations go on, none hits any more."""


@dataclass(frozen=True, slots=True)
class GuardHour:
    """One hour of one rule; hours without calls of its tools say nothing and are left out."""

    time_ns: int
    n_calls: int
    """Calls of the tools that the rule watches."""
    n_evaluations: int
    n_hits: int


@dataclass(frozen=True, slots=True)
class Silence:
    """A silence that has lasted until now."""

    kind: SilenceKind
    since_ns: int
    """Start of the first silent hour."""
    n_silent: int
    """Calls (or evaluations) since then, none of which was evaluated (or hit)."""
    n_until: int
    """Calls (or evaluations) until then."""
    n_signs: int
    """Evaluations (or hits) until then."""
    p_value: float
    """Probability of such a silence anywhere in so long a history, if nothing has changed."""


@dataclass(frozen=True, slots=True)
class Activity:
    """What one kind of sign has shown so far; grows hour by hour."""

    n_cases: int = 0
    n_signs: int = 0
    n_hours: int = 0
    n_loud_hours: int = 0
    silent_cases: int = 0
    silent_hours: int = 0
    silent_since_ns: int | None = None
    longest_gap: int = 0
    """Most silent cases in a row that were followed by a sign."""
    n_gaps: int = 0
    """Silent stretches that were followed by a sign; `n_gap_hours` are their hours."""
    n_gap_hours: int = 0

    def after(self, time_ns: int, n_cases: int, n_signs: int) -> "Activity":
        """One more hour; without cases it changes nothing."""
        if not n_cases:
            return self
        if n_signs:
            return Activity(
                n_cases=self.n_cases + self.silent_cases + n_cases,
                n_signs=self.n_signs + n_signs,
                n_hours=self.n_hours + self.silent_hours + 1,
                n_loud_hours=self.n_loud_hours + 1,
                longest_gap=max(self.longest_gap, self.silent_cases),
                n_gaps=self.n_gaps + (1 if self.silent_hours else 0),
                n_gap_hours=self.n_gap_hours + self.silent_hours,
            )
        return replace(
            self,
            silent_cases=self.silent_cases + n_cases,
            silent_hours=self.silent_hours + 1,
            silent_since_ns=time_ns if self.silent_since_ns is None else self.silent_since_ns,
        )

    def silence(self, kind: SilenceKind) -> Silence | None:
        """The silence that lasts, if it is one; None before the first sign and in short gaps.

        By cases, by hours, and by how often a gap went on for another hour, the largest of the
        three: signs come in bursts, and then cases alone make a gap look impossible. Times the gaps
        that there were: one of many is long.
        """
        is_short = self.silent_hours < _MIN_HOURS
        is_known = self.silent_cases < _TIMES_LONGEST * self.longest_gap
        if not self.n_signs or is_short or is_known or self.silent_since_ns is None:
            return None
        signs = min(self.n_signs, self.n_cases)
        by_case = _none(signs, self.n_cases, self.silent_cases)
        by_hour = _none(self.n_loud_hours, self.n_hours, self.silent_hours)
        going_on = _none(self.n_gaps, self.n_gap_hours, self.silent_hours - 1)
        chances = self.n_loud_hours + 1
        p_value = max(by_case * chances, by_hour * chances, going_on * (self.n_gaps + 1))
        return Silence(
            kind=kind,
            since_ns=self.silent_since_ns,
            n_silent=self.silent_cases,
            n_until=self.n_cases,
            n_signs=self.n_signs,
            p_value=min(1.0, p_value if self.n_gaps else max(by_case, by_hour) * chances),
        )


def guard_silence(hours: Iterable[GuardHour], max_p_value: float) -> Silence | None:
    """The silence of a rule that lasts at the end of these hours, if chance does not explain it.

    Stopped evaluations come first: without them there can be no hits.

    Source: S3 §7.2; P(0 of n) = (1 - rate)^n, with what the old rate does not know taken in.
    """
    evaluations, hits = Activity(), Activity()
    for hour in hours:
        evaluations = evaluations.after(hour.time_ns, hour.n_calls, hour.n_evaluations)
        hits = hits.after(hour.time_ns, hour.n_evaluations, hour.n_hits)
    for activity, kind in ((evaluations, SilenceKind.EVALUATIONS), (hits, SilenceKind.HITS)):
        found = activity.silence(kind)
        if found is not None and found.p_value < max_p_value:
            return found
    return None


def arrival_silence(expected: Iterable[Iterable[int]]) -> float:
    """Probability that nothing arrives in some hours, by what arrived in hours like each of them.

    Each hour brings its earlier counts; their scatter makes the negative binomial. 1 where an hour
    has fewer than four.
    """
    total = 0.0
    for counts in expected:
        held = list(counts)
        if len(held) < 4:
            return 1.0
        mean = sum(held) / len(held)
        variance = sum((count - mean) ** 2 for count in held) / (len(held) - 1)
        burstiness = max(0.0, variance - mean) / mean**2 if mean else 0.0
        total += math.log(zero_probability(mean, burstiness))
    return math.exp(total)


def _none(n_signs: int, n_cases: int, n: int) -> float:
    """P(no sign in n more cases): predictive, so that one sign in one case is no certainty.

    The beta-binomial law with the careful prior: signs as seen, and one more case without.
    """
    without = n_cases - n_signs + 1
    return math.exp(
        math.lgamma(without + n)
        + math.lgamma(n_signs + without)
        - math.lgamma(without)
        - math.lgamma(n_signs + without + n)
    )
