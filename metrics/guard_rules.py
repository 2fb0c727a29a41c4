"""Does each guard rule still bite? Its silence is judged from its last sign of life on.

A rule that dies within the period has hits before and none after: what counts is how long it has
been silent by now, at the rate it had until then.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final, NamedTuple

from metrics.judge import GuardCounts, Verdict, judge_hits, silence_probability
from metrics.periods import Periods
from metrics.statements import Row
from metrics.values import Note, State

_BURST: Final = 0.05
"""How improbable a silence must be by time buckets, besides by evaluations."""


@dataclass(frozen=True, slots=True)
class GuardRule:
    """One rule, what it did, and whether its silence says something."""

    rule: str | None
    """None when the spans do not name it."""
    n_evaluations: int
    n_hits: int
    hit_rate: float | None
    """None without evaluations."""
    n_evaluations_before: int
    n_hits_before: int
    tool_names: tuple[str, ...]
    """Tools it watched now or before, most evaluations first."""
    state: State
    note: Note
    n_silent: int
    """Evaluations since the hour of its last hit; for a rule that is evaluated no more, calls since
    then."""
    n_evaluations_until: int
    """Until the silence began, in the scope and the period before; 0 where it is not silent."""
    n_hits_until: int
    silence_probability: float | None
    """Of that silence, at the rate until it began; None where the rule is not silent."""
    silent_since_ns: int | None
    """Start of the first silent hour; None where it is not silent."""

    @property
    def name(self) -> str:
        """The rule's name; `?` when the spans do not name it."""
        return self.rule or "?"


@dataclass(frozen=True, slots=True)
class CallCounts:
    """Executed calls by tool and time bucket, of a scope and the period before."""

    rows: tuple[Row, ...]

    def total(self, *, is_now: bool) -> int:
        """All calls of one of the periods."""
        return sum(int(row["n_calls"]) for row in self.rows if bool(row["is_now"]) is is_now)

    def of(self, tools: frozenset[str]) -> dict[tuple[int, int], int]:
        """Calls of some tools by period (1 now, 0 before) and bucket; of all for an unnamed one."""
        found: Counter[tuple[int, int]] = Counter()
        for row in self.rows:
            if "" in tools or row["tool_name"] in tools:
                found[row["is_now"], row["bucket_time_ns"]] += int(row["n_calls"])
        return found


class _Bucket(NamedTuple):
    is_now: int
    time_ns: int
    counts: GuardCounts


class _Silence(NamedTuple):
    """A stretch without a sign of life, and what was before it."""

    before: GuardCounts
    after: GuardCounts
    since_ns: int | None
    is_long: bool
    """Against the gaps that there were before: signs come in bursts."""


def judge_rules(found: Periods, calls: CallCounts, max_probability: float) -> tuple[GuardRule, ...]:
    """Each rule that was evaluated now or before, most hits first."""
    watched: dict[str, Counter[str]] = {}
    for row in found.parts:
        watched.setdefault(row["rule"], Counter())[row["tool_name"]] += int(row["n"])
    rules = (
        _rule(name, tools, _buckets(found, calls, name, frozenset(tools)), max_probability)
        for name, tools in watched.items()
        if tools.total()
    )
    return tuple(
        sorted(rules, key=lambda rule: (-rule.n_hits, -rule.n_evaluations, rule.rule or ""))
    )


def _buckets(found: Periods, calls: CallCounts, rule: str, tools: frozenset[str]) -> list[_Bucket]:
    """Calls, evaluations and hits of a rule in each bucket that has any, in order of time."""
    n_calls = calls.of(tools)
    n_evaluations: Counter[tuple[int, int]] = Counter()
    n_hits: Counter[tuple[int, int]] = Counter()
    for row in found.part_buckets:
        if row["rule"] == rule:
            key = (row["is_now"], row["bucket_time_ns"])
            n_evaluations[key] += int(row["n"])
            n_hits[key] += int(row["numerator"])
    keys = sorted(n_calls.keys() | n_evaluations.keys())
    return [
        _Bucket(*key, GuardCounts(n_calls.get(key, 0), n_evaluations[key], n_hits[key]))
        for key in keys
    ]


def _rule(
    name: str, tools: Counter[str], buckets: list[_Bucket], max_probability: float
) -> GuardRule:
    now = _total([bucket for bucket in buckets if bucket.is_now])
    before = _total([bucket for bucket in buckets if not bucket.is_now])
    silence, verdict = _judge(buckets, now, before, max_probability)
    probability = silence_probability(silence.after, silence.before)
    counted = silence.after.n_evaluations or silence.after.n_calls
    is_silent = probability is not None
    return GuardRule(
        rule=name or None,
        n_evaluations=now.n_evaluations,
        n_hits=now.n_hits,
        hit_rate=now.n_hits / now.n_evaluations if now.n_evaluations else None,
        n_evaluations_before=before.n_evaluations,
        n_hits_before=before.n_hits,
        tool_names=tuple(tool for tool, _ in tools.most_common() if tool),
        state=verdict.state,
        note=verdict.note,
        n_silent=counted if is_silent else 0,
        n_evaluations_until=silence.before.n_evaluations if is_silent else 0,
        n_hits_until=silence.before.n_hits if is_silent else 0,
        silence_probability=probability,
        silent_since_ns=silence.since_ns if is_silent else None,
    )


def _judge(
    buckets: list[_Bucket], now: GuardCounts, before: GuardCounts, max_probability: float
) -> tuple[_Silence, Verdict]:
    """Stopped evaluations before missing hits: without the first there can be none of the second."""
    stopped = _silence(buckets, [bucket.counts.n_evaluations for bucket in buckets])
    quiet = _silence(buckets, [bucket.counts.n_hits for bucket in buckets])
    for silence in (stopped, quiet):
        verdict = judge_hits(silence.after, silence.before, max_probability)
        if verdict.state is State.BAD and silence.is_long:
            return silence, verdict
    whole = judge_hits(now, before, max_probability)
    is_chance = whole.state is State.BAD and whole.note is Note.ZERO_IMPROBABLE
    return quiet, Verdict(State.UNSURE, Note.ZERO_PLAUSIBLE) if is_chance else whole


def _silence(buckets: list[_Bucket], signs: list[int]) -> _Silence:
    """Everything after the last bucket with a sign of life, within the scope.

    It is long when the share of buckets with a sign until then makes it improbable: (1 - share)^n
    for n silent buckets. Evaluations alone do not tell, because hits come in bursts.
    """
    n_before = sum(1 for bucket in buckets if not bucket.is_now)
    alive = [place + 1 for place, sign in enumerate(signs) if sign]
    start = max(n_before, alive[-1] if alive else 0)
    is_within = n_before < start < len(buckets)
    share = len([place for place in alive if place <= start]) / start if start else 0.0
    return _Silence(
        before=_total(buckets[:start]),
        after=_total(buckets[start:]),
        since_ns=buckets[start].time_ns if is_within else None,
        is_long=(1 - share) ** (len(buckets) - start) < _BURST,
    )


def _total(buckets: list[_Bucket]) -> GuardCounts:
    return GuardCounts(
        *(
            sum(bucket.counts[place] for bucket in buckets)
            for place in range(len(GuardCounts._fields))
        )
    )
