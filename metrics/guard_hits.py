"""Do the guard rules still bite? Hits, with the evaluations they came from."""

from dataclasses import dataclass, replace
from typing import Final

from metrics.buckets import WHOLE_NS
from metrics.estimate import baseline_of, exclusions, rate_metric
from metrics.intervals import Proportion
from metrics.judge import GuardCounts, judge_hits
from metrics.statements import Row, answer
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Baseline, Counted, Metric, Reason, Scope, Unit
from replay_store.database import Database

_REASONS: Final = (Reason.SYNTHETIC, Reason.NO_VERDICT, Reason.NO_START_TIME)


@dataclass(frozen=True, slots=True)
class GuardRule:
    """One rule and what it did."""

    rule: str | None
    """None when the spans do not name it."""
    n_evaluations: int
    n_hits: int
    hit_rate: float


@dataclass(frozen=True, slots=True)
class Guard:
    """Guard hits, headline first, and the rate beside it."""

    hits: Metric
    rate: Metric
    rules: tuple[GuardRule, ...]
    """Most hits first."""


def guard_hits(
    database: Database, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Guard:
    """Hits (block, modify, escalate) and hits per evaluation, in all and by rule.

    Without any evaluation both values are None: no guard data is not the same as no hits.

    Source: S3 §7.2.
    """
    now = _first(guard_rows(database, scope))
    before = _first(guard_rows(database, scope.before()))
    share, earlier = Proportion.from_row(now), Proportion.from_row(before)
    state, note = judge_hits(
        GuardCounts(call_count(database, scope), share.n, int(share.numerator)),
        GuardCounts(call_count(database, scope.before()), earlier.n, int(earlier.numerator)),
        thresholds.max_zero_hits_probability,
    )
    rate = rate_metric(
        "guard_hit_rate",
        share,
        earlier,
        Counted.EVALUATIONS,
        exclusions(now, _REASONS),
        thresholds,
    )
    rate = replace(rate, state=state, note=note)
    return Guard(
        hits=_hits(rate, share, earlier),
        rate=rate,
        rules=guard_rules(database, scope),
    )


def guard_rules(database: Database, scope: Scope) -> tuple[GuardRule, ...]:
    """Evaluations and hits of each rule, most hits first; empty without evaluations."""
    return tuple(_rule(row) for row in answer(database, "guard_rules", scope))


def guard_rows(database: Database, scope: Scope, bucket_ns: int = WHOLE_NS) -> list[Row]:
    """The counts of each time bucket; no row for a bucket without evaluations."""
    return answer(database, "guard_hits", scope, bucket_ns=bucket_ns)


def hits_of(row: Row) -> float | None:
    """The hits of a bucket; None without evaluations."""
    return int(row["numerator"]) if row["n"] else None


def call_count(database: Database, scope: Scope) -> int:
    """How many calls were executed: tells a silent guard from a silent agent."""
    return int(answer(database, "call_count", scope)[0]["n_calls"])


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


def _rule(row: Row) -> GuardRule:
    n_evaluations, n_hits = int(row["n_evaluations"]), int(row["n_hits"])
    return GuardRule(row["rule"], n_evaluations, n_hits, n_hits / n_evaluations)


def _first(rows: list[Row]) -> Row | None:
    return rows[0] if rows else None
