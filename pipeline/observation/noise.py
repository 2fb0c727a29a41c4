"""CNI: controlled noise as a pure function of what a snapshot says.

Whether and how a fact is disturbed depends on `u(purpose, snapshot hash, fact id, kind, seed,
profile)`, the first 53 bits of a SHA-256: no random source, no call order, no process state. A fact
that is noisy at intensity 0.2 is noisy at 0.4 in the same way. Types on the whitelist, derived
facts and everything without a value are never touched. Each fact is eligible for one kind at most.

Source: S0 §3.3 (its table is the profile `seed-v1`).
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from pipeline.observation.fragment import (
    CONFIDENCE,
    ConfidenceOrigin,
    FragmentKind,
    SemanticFragment,
    Value,
    ValueType,
    tagged,
)
from pipeline.observation.noise_log import (
    NOWHERE,
    NoiseHeader,
    NoiseKind,
    NoiseOrigin,
    NoiseProfile,
    NoiseRecord,
)
from pipeline.observation.snapshot import SemanticSnapshot, align

_DISTURBABLE: Final = frozenset({FragmentKind.FACT, FragmentKind.DEGRADED})


class _Plan(NamedTuple):
    fragment: SemanticFragment
    kind: NoiseKind
    reason: str
    gate_u: float
    mag_u: float


class Injection(NamedTuple):
    """A noisy snapshot, the log of what was done, and how to do it again."""

    snapshot: SemanticSnapshot
    records: list[NoiseRecord]
    header: NoiseHeader


def inject(
    snapshot: SemanticSnapshot,
    profile: NoiseProfile,
    seed: int,
    intensity: float,
    whitelist: frozenset[str],
    origin: NoiseOrigin = NOWHERE,
) -> Injection:
    """Disturb a snapshot.

    Args:
        snapshot: The clean evidence; unchanged.
        profile: What may be disturbed, and how far.
        seed: Another seed gives another, equally repeatable disturbance.
        intensity: Share of the eligible facts that are hit, in [0, 1]; 0 changes nothing.
        whitelist: Types that are never touched (`CriticalityChecker.check`).
        origin: Copied into the records.

    Raises:
        ValueError: The intensity is outside [0, 1].
    """
    if not 0.0 <= intensity <= 1.0:
        raise ValueError(f"intensity {intensity!r}: must lie in [0, 1]")
    plans = list(_plans(snapshot, profile, seed))
    open_plans = [plan for plan in plans if plan.fragment.type not in whitelist]
    changed = {}
    for plan in open_plans:
        if plan.gate_u < intensity:
            after = _disturbed(plan, profile)
            if after is not plan.fragment:
                changed[plan] = after
    noisy = _apply(snapshot, changed)
    header = NoiseHeader(
        profile, seed, intensity, whitelist, snapshot.content_hash, noisy.content_hash,
        len(open_plans), len(changed), len(plans) - len(open_plans),
    )  # fmt: skip
    records = [_record(plan, after, header, origin) for plan, after in changed.items()]
    return Injection(noisy, records, header)


def replay(snapshot: SemanticSnapshot, header: NoiseHeader) -> Injection:
    """Make the same noise again from its header.

    Raises:
        ValueError: The snapshot is not the one the noise was made on.
    """
    if snapshot.content_hash != header.snapshot_hash_before:
        raise ValueError(
            f"snapshot {snapshot.content_hash}: the noise was made on {header.snapshot_hash_before}"
        )
    return inject(snapshot, header.profile, header.seed, header.intensity, header.whitelist)


def uniform(purpose: str, *key: object) -> float:
    """A number in [0, 1) that depends on the arguments alone: 53 bits of a SHA-256."""
    text = json.dumps([purpose, *key], separators=(",", ":"))
    return (int.from_bytes(hashlib.sha256(text.encode("ascii")).digest()[:8], "big") >> 11) / 2**53


def _plans(snapshot: SemanticSnapshot, profile: NoiseProfile, seed: int) -> Iterator[_Plan]:
    for fragment in snapshot:
        eligible = _eligible(fragment, profile)
        if eligible is not None:
            kind, reason = eligible
            key = (snapshot.content_hash, fragment.fact_id, kind, seed, profile.name)
            yield _Plan(fragment, kind, reason, uniform("gate", *key), uniform("mag", *key))


def _eligible(fragment: SemanticFragment, profile: NoiseProfile) -> tuple[NoiseKind, str] | None:
    if fragment.is_optional and fragment.confidence < profile.drop_below:
        return NoiseKind.DROP, f"optional and confidence < {profile.drop_below:g}"
    if fragment.kind not in _DISTURBABLE or fragment.value is None:
        return None
    match fragment.value_type:
        case ValueType.STRING if len(str(fragment.value)) > profile.truncate_over:
            return NoiseKind.TRUNCATE, f"text longer than {profile.truncate_over}"
        case ValueType.NUMBER:
            return NoiseKind.JITTER_NUM, "number"
        case ValueType.DATE | ValueType.DATETIME:
            return NoiseKind.JITTER_DATE, "date"
        case ValueType.ENUM if profile.labels_unknown:
            return NoiseKind.LABEL_UNKNOWN, "known enum value"
        case _:
            return None


def _disturbed(plan: _Plan, profile: NoiseProfile) -> SemanticFragment | None:
    """The fragment after; None when dropped, the same object when the change comes to nothing."""
    fragment = plan.fragment
    if plan.kind is NoiseKind.DROP:
        return None
    if plan.kind is NoiseKind.LABEL_UNKNOWN:
        origin = ConfidenceOrigin.UNMAPPED
        return replace(
            fragment, kind=FragmentKind.UNKNOWN, value=None, words=(), reason="unmapped",
            confidence=min(fragment.confidence, CONFIDENCE[origin]), confidence_origin=origin,
        )  # fmt: skip
    value = _moved(plan, profile)
    if value == fragment.value:
        return fragment
    return replace(fragment, value=value, valid_at=_moved_valid_at(fragment, value))


def _moved_valid_at(fragment: SemanticFragment, value: Value) -> datetime | None:
    """The business time, moved with the date that it is the time of."""
    old, moment = fragment.value, fragment.valid_at
    if moment is None or not isinstance(old, date) or not isinstance(value, date):
        return moment
    moved = _moved_day(moment, (value - old).days)
    return moved if isinstance(moved, datetime) else moment


def _moved(plan: _Plan, profile: NoiseProfile) -> Value:
    value = plan.fragment.value
    if plan.kind is NoiseKind.TRUNCATE and isinstance(value, str):
        low, high = profile.truncate_share
        return value[: round(len(value) * (1 - low - (high - low) * plan.mag_u))]
    if isinstance(value, date):
        return _moved_day(value, profile.jitter_days if plan.mag_u >= 0.5 else -profile.jitter_days)
    if isinstance(value, int | float) and not isinstance(value, bool):
        moved = value * (1 + profile.jitter_share * (2 * plan.mag_u - 1))
        return round(moved) if isinstance(value, int) else round(moved, 6)
    return value


def _moved_day(day: date | datetime, days: int) -> date | datetime:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return day


def _apply(
    snapshot: SemanticSnapshot, changed: dict[_Plan, SemanticFragment | None]
) -> SemanticSnapshot:
    if not changed:
        return snapshot
    after = {plan.fragment: fragment for plan, fragment in changed.items()}
    moved = (after.get(fragment, fragment) for fragment in snapshot)
    return align(fragment for fragment in moved if fragment is not None)


def _record(
    plan: _Plan, after: SemanticFragment | None, header: NoiseHeader, origin: NoiseOrigin
) -> NoiseRecord:
    before, profile = plan.fragment, header.profile
    identity = json.dumps(
        [header.snapshot_hash_before, before.fact_id, plan.kind, header.seed, profile.name,
         profile.version, header.intensity, origin, before.observed_at and str(before.observed_at)]
    )  # fmt: skip
    return NoiseRecord(
        noise_id=hashlib.sha256(identity.encode("ascii")).hexdigest()[:32],
        trace_id=origin.trace_id,
        span_id=origin.span_id,
        time_ns=origin.time_ns,
        profile=profile.name,
        profile_version=profile.version,
        seed=header.seed,
        intensity=header.intensity,
        fact_id=before.fact_id,
        entity_ref=str(before.entity),
        fact_type=before.type,
        kind=plan.kind,
        original_value=_json(before),
        injected_value=None if after is None else _json(after),
        confidence_before=before.confidence,
        confidence_after=None if after is None else after.confidence,
        reason=plan.reason,
        gate_u=plan.gate_u,
        mag_u=plan.mag_u,
        is_whitelisted=False,
        snapshot_hash_before=header.snapshot_hash_before,
        snapshot_hash_after=header.snapshot_hash_after,
    )


def _json(fragment: SemanticFragment) -> str:
    return json.dumps(tagged(fragment.value), ensure_ascii=True)
