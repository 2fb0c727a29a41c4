"""Controlled noise on what the model is shown, and the log that explains it.

Noise is a pure function of the snapshot, the fact, the kind and the seed: no stream of random
numbers is involved, so the log can be checked against the recorded values.

Source: evaluation practice: gate and magnitude are the first 53 bits of a sha256 over a JSON array
(S0 §3.3 gives the kinds and their bounds).
"""

import copy
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from sample_traces.contracts import compact_json
from sample_traces.shop import JsonObject
from sample_traces.timeline import rfc3339

PROFILE = "seed-v1"
PROFILE_VERSION = "1"
MAX_CONFIDENCE_TO_DROP = 0.7
MIN_LENGTH_TO_TRUNCATE = 50


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of a result, and where it stands in it."""

    fact_type: str
    entity_ref: str
    value: object
    confidence: float

    @property
    def fact_id(self) -> str:
        """Entity and type: names the fact within its snapshot."""
        return f"{self.entity_ref}/{self.fact_type}"


@dataclass(frozen=True, slots=True)
class Place:
    """The span whose result is shown, and when."""

    trace_id: str
    span_id: str
    time_ns: int


def draw(
    purpose: str, snapshot_hash: str, fact_id: str, kind: str, seed: int, profile: str = PROFILE
) -> float:
    """A number in [0, 1) that depends on nothing but its arguments."""
    key = compact_json([purpose, snapshot_hash, fact_id, kind, seed, profile])
    return (int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 11) / 2**53


def inject(
    result: JsonObject, critical: frozenset[str], intensity: float, seed: int, place: Place
) -> tuple[JsonObject, list[dict[str, object]]]:
    """The result as the model is shown it, and one log row for each injection.

    Facts whose type is critical to the request stay as they are. Without an injection the result
    itself comes back, and no row.
    """
    facts = list(_facts(result))
    before = snapshot_hash(facts)
    shown = copy.deepcopy(result)
    rows = []
    for fact in facts:
        kind = _kind(fact)
        if kind is None or fact.fact_type in critical:
            continue
        gate_u = draw("gate", before, fact.fact_id, kind, seed)
        if gate_u < intensity:
            mag_u = draw("mag", before, fact.fact_id, kind, seed)
            injected = _injected(kind, fact.value, mag_u)
            _put(shown, fact.fact_type, injected)
            rows.append(_row(fact, kind, injected, gate_u, mag_u, place) | {"seed": seed})
    after = snapshot_hash(list(_facts(shown)))
    hashes = {"snapshot_hash_before": before, "snapshot_hash_after": after}
    return shown, [row | hashes | {"intensity": intensity} for row in rows]


def snapshot_hash(facts: list[Fact]) -> str:
    """Hash of the facts in canonical order, 32 hex digits; ages and clocks have no part in it."""
    rows = sorted([f.fact_id, f.value, f.confidence] for f in facts)
    return hashlib.sha256(compact_json(rows).encode()).hexdigest()[:32]


def _facts(result: Mapping[str, object]) -> Iterator[Fact]:
    order = f"order:{result.get('order_id')}"
    if "order_id" in result and "status" in result:
        is_known = result["status"] != "UNKNOWN"
        yield Fact("STATUS", order, result["status"], 0.98 if is_known else 0.3)
    if "estimated_delivery" in result:
        yield Fact("EST_DELIVERY", order, result["estimated_delivery"], 0.95)
    newest = _newest(result)
    if newest is not None:
        yield Fact("LATEST_EVENT", order, newest["event"], 0.9 if "time" in newest else 0.6)
    if "points_balance" in result:
        yield Fact("USER_POINTS", f"user:{result['user_id']}", result["points_balance"], 0.99)


def _newest(result: Mapping[str, object]) -> JsonObject | None:
    rows = result.get("logistics_info")
    return rows[-1] if isinstance(rows, list) and rows and "event" in rows[-1] else None


def _kind(fact: Fact) -> str | None:
    """The one kind of noise that a fact is eligible for; None for facts left alone."""
    if fact.fact_type == "LATEST_EVENT":
        if fact.confidence < MAX_CONFIDENCE_TO_DROP:
            return "DROP"
        return "TRUNCATE" if len(str(fact.value)) > MIN_LENGTH_TO_TRUNCATE else None
    kinds = {"STATUS": "LABEL_UNKNOWN", "EST_DELIVERY": "JITTER_DATE", "USER_POINTS": "JITTER_NUM"}
    return kinds.get(fact.fact_type)


def _injected(kind: str, value: object, mag_u: float) -> object:
    if kind == "DROP":
        return None
    if kind == "LABEL_UNKNOWN":
        return "UNKNOWN"
    if kind == "TRUNCATE":
        text = str(value)
        return text[: round(len(text) * (0.7 - 0.2 * mag_u))]
    if kind == "JITTER_DATE":
        return str(date.fromisoformat(str(value)) + timedelta(days=-1 if mag_u < 0.5 else 1))
    return round(int(str(value)) * (1 + 0.06 * (mag_u - 0.5)))


def _put(shown: JsonObject, fact_type: str, value: object) -> None:
    if fact_type == "LATEST_EVENT":
        newest = _newest(shown)
        if newest is not None and value is None:
            del newest["event"]
        elif newest is not None:
            newest["event"] = value
        return
    fields = {
        "STATUS": "status",
        "EST_DELIVERY": "estimated_delivery",
        "USER_POINTS": "points_balance",
    }
    shown[fields[fact_type]] = value


_REASONS = {
    "DROP": "confidence below 0.7 and type optional",
    "TRUNCATE": "text longer than 50 characters",
    "JITTER_NUM": "number, within 3 %",
    "JITTER_DATE": "date, one day",
    "LABEL_UNKNOWN": "mapped enum",
}


def _row(
    fact: Fact, kind: str, injected: object, gate_u: float, mag_u: float, place: Place
) -> dict[str, object]:
    noise_id = hashlib.sha256(f"{place.span_id}|{fact.fact_id}|{kind}".encode()).hexdigest()[:32]
    after = {"DROP": None, "LABEL_UNKNOWN": 0.3}.get(kind, fact.confidence)
    return {
        "noise_id": noise_id,
        "trace_id": place.trace_id,
        "span_id": place.span_id,
        "time": rfc3339(place.time_ns),
        "profile": PROFILE,
        "profile_version": PROFILE_VERSION,
        "fact_id": fact.fact_id,
        "entity_ref": fact.entity_ref,
        "fact_type": fact.fact_type,
        "kind": kind,
        "original_value": str(fact.value),
        "injected_value": None if injected is None else str(injected),
        "confidence_before": fact.confidence,
        "confidence_after": after,
        "reason": _REASONS[kind],
        "gate_u": gate_u,
        "mag_u": mag_u,
        "is_whitelisted": False,
    }
