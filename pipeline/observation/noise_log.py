"""What controlled noise is made of: kinds, profiles, the log, and what a repetition needs."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple


class NoiseKind(StrEnum):
    """How a fact is disturbed."""

    DROP = "DROP"
    TRUNCATE = "TRUNCATE"
    JITTER_NUM = "JITTER_NUM"
    JITTER_DATE = "JITTER_DATE"
    LABEL_UNKNOWN = "LABEL_UNKNOWN"


@dataclass(frozen=True, slots=True)
class NoiseProfile:
    """Which facts are eligible, and how far they are moved."""

    name: str
    version: str = "1"
    drop_below: float = 0.7
    """Optional facts with a confidence under this may be dropped."""
    truncate_over: int = 50
    """Texts longer than this may lose their end."""
    truncate_share: tuple[float, float] = (0.3, 0.5)
    jitter_share: float = 0.03
    jitter_days: int = 1
    labels_unknown: bool = True
    """Known enum values may turn UNKNOWN: a replay of what a new value would do."""


PROFILES: Final = {
    profile.name: profile
    for profile in (NoiseProfile("seed-v1"), NoiseProfile("seed-v1-live", labels_unknown=False))
}
"""`seed-v1` is S0 §3.3's table; `seed-v1-live` leaves labels alone, for prompts that are acted on."""


@dataclass(frozen=True, slots=True)
class NoiseRecord:
    """One disturbance; the fields are the columns of the noise log that it fills."""

    noise_id: str
    trace_id: str | None
    span_id: str | None
    time_ns: int | None
    profile: str
    profile_version: str
    seed: int
    intensity: float
    fact_id: str
    """Of the fact before."""
    entity_ref: str
    fact_type: str
    kind: str
    original_value: str
    """JSON text; dates as `["date", "2024-06-15"]`."""
    injected_value: str | None
    """None for DROP."""
    confidence_before: float
    confidence_after: float | None
    reason: str
    """The rule that made the fact eligible."""
    gate_u: float
    mag_u: float
    is_whitelisted: bool
    """Always false: a whitelisted fact is never disturbed."""
    snapshot_hash_before: str
    snapshot_hash_after: str


@dataclass(frozen=True, slots=True)
class NoiseHeader:
    """Everything that a repetition needs besides the clean snapshot."""

    profile: NoiseProfile
    seed: int
    intensity: float
    whitelist: frozenset[str]
    snapshot_hash_before: str
    snapshot_hash_after: str
    n_eligible: int
    n_hit: int
    n_whitelisted: int
    """Facts that would have been eligible, had the whitelist not held them."""


class NoiseOrigin(NamedTuple):
    """Where and when the noise was made, for its log; never part of what is made."""

    trace_id: str | None = None
    span_id: str | None = None
    time_ns: int | None = None


NOWHERE: Final = NoiseOrigin()
