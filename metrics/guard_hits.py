"""Do the guard rules still bite? Hits, with the evaluations they came from."""

from dataclasses import dataclass, replace
from typing import Final

from metrics.buckets import bucket_width_ns
from metrics.estimate import baseline_of, exclusions, rate_metric
from metrics.guard_rules import CallCounts, GuardRule, judge_rules
from metrics.guard_silence import guard_silence
from metrics.intervals import Proportion
from metrics.judge import GuardCounts, Verdict, judge_hits
from metrics.periods import Periods, periods
from metrics.statements import Row, Store, answer
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Baseline, Counted, Metric, Note, Reason, Scope, State, Unit

_REASONS: Final = (Reason.SYNTHETIC, Reason.NO_VERDICT, Reason.NO_START_TIME)
_OF_A_RULE: Final = {
    Note.EVALUATIONS_STOPPED: Note.RULE_STOPPED,
    Note.ZERO_IMPROBABLE: Note.RULE_SILENT,
}


@dataclass(frozen=True, slots=True)
class Guard:
    """Guard hits, headline first, and the rate beside it."""

    hits: Metric
    rate: Metric
    rules: tuple[GuardRule, ...]
    """Most hits first; also those that only the period before evaluated."""

    @property
    def silent(self) -> tuple[GuardRule, ...]:
        """The rules that fell silent or are evaluated no more."""
        return tuple(rule for rule in self.rules if rule.state is State.BAD)


def guard_hits(database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Guard:
    """Hits (block, modify, escalate) and hits per evaluation, in all and by rule.

    Without any evaluation both values are None: no guard data is not the same as no hits. One rule
    that fell silent makes the whole bad, however many hits the others have; `subjects` names it.

    Source: S3 §7.2.
    """
    found, calls = guard_periods(database, scope), call_count(database, scope)
    share, earlier = Proportion.from_row(found.now), Proportion.from_row(found.before)
    rules = tuple(
        guard_silence(database, scope, rule) if rule.state is State.BAD else rule
        for rule in judge_rules(found, calls, thresholds.max_zero_hits_probability)
    )
    verdict, subjects = _verdict(found, calls, rules, thresholds)
    rate = rate_metric(
        "guard_hit_rate",
        share,
        earlier,
        Counted.EVALUATIONS,
        exclusions(found.now, _REASONS),
        thresholds,
    )
    rate = replace(rate, state=verdict.state, note=verdict.note, subjects=subjects)
    return Guard(hits=_hits(rate, share, earlier), rate=rate, rules=rules)


def guard_periods(database: Store, scope: Scope, bucket_ns: int | None = None) -> Periods:
    """The counts now, before, of each time bucket and of each rule and tool."""
    return periods(database, "guard_hits", scope, bucket_ns)


def hits_of(row: Row) -> float | None:
    """The hits of a bucket; None without evaluations."""
    return int(row["numerator"]) if row["n"] else None


def call_count(database: Store, scope: Scope) -> CallCounts:
    """How many calls of each tool were executed when: tells a silent guard from a silent agent."""
    rows = answer(database, "call_count", scope, bucket_ns=bucket_width_ns(scope))
    return CallCounts(tuple(rows))


def _verdict(
    found: Periods, calls: CallCounts, rules: tuple[GuardRule, ...], thresholds: Thresholds
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict on all, unless that on a rule is worse; with the names of those rules."""
    whole = judge_hits(
        _counts(found.now, calls.total(is_now=True)),
        _counts(found.before, calls.total(is_now=False)),
        thresholds.max_zero_hits_probability,
    )
    silent = [rule for rule in rules if rule.state is State.BAD]
    names = tuple(rule.name for rule in silent)
    if whole.state is State.BAD or not silent:
        return whole, names
    notes = {_OF_A_RULE[rule.note] for rule in silent}
    worst = Note.RULE_STOPPED if Note.RULE_STOPPED in notes else Note.RULE_SILENT
    return Verdict(State.BAD, worst), names


def _counts(row: Row | None, n_calls: int) -> GuardCounts:
    if row is None:
        return GuardCounts(n_calls, 0, 0)
    return GuardCounts(n_calls, int(row["n"]), int(row["numerator"]))


def _hits(rate: Metric, share: Proportion, earlier: Proportion) -> Metric:
    known = baseline_of(earlier)
    return replace(
        rate,
        key="guard_hits",
        value=share.numerator if share.n else None,
        unit=Unit.HITS,
        interval=None,
        baseline=Baseline(earlier.numerator, earlier.n) if known else None,
    )
