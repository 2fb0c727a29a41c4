"""Is the model slow, or what it calls?"""

from dataclasses import dataclass
from typing import Literal

from metrics.latency_p95 import latency_periods, p95_ms
from metrics.statements import Row, Store
from metrics.values import Scope

Layer = Literal["model", "downstream"]


@dataclass(frozen=True, slots=True)
class LayerTime:
    """The time one layer took."""

    layer: Layer
    n: int
    """Model calls, or attempts of tools, with a real duration."""
    total_ms: float | None
    """None without any."""
    share: float | None
    """Of the time of both; None while one of them has no data."""
    p95_ms: float | None
    """None below 72 durations."""


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """Both layers, and which of them took more time."""

    model: LayerTime
    downstream: LayerTime
    slower: Layer | None
    """The one with more than half of the time; None while one has no data, or for a tie."""


def model_or_downstream(database: Store, scope: Scope) -> Bottleneck:
    """Time and P95 of model calls against those of tool attempts.

    Parallel work counts each of its parts, so the sum may exceed the clock.

    Source: S3 §7.2, the P95 must tell a slow model from a slow downstream.
    """
    calls, attempts = (
        latency_periods(database, key, scope).now
        for key in ("latency_p95_model", "latency_p95_attempt")
    )
    total_ns = _total_ns(calls) + _total_ns(attempts) if _n(calls) and _n(attempts) else 0
    model = _layer("model", calls, total_ns)
    downstream = _layer("downstream", attempts, total_ns)
    return Bottleneck(model, downstream, _slower(model, downstream))


def _n(row: Row | None) -> int:
    return int(row["n"]) if row else 0


def _total_ns(row: Row | None) -> int:
    return int(row["total_ns"]) if row and row["n"] else 0


def _layer(layer: Layer, row: Row | None, total_ns: int) -> LayerTime:
    if row is None or not _n(row):
        return LayerTime(layer, 0, None, None, None)
    own_ns = _total_ns(row)
    return LayerTime(
        layer=layer,
        n=_n(row),
        total_ms=own_ns / 1e6,
        share=own_ns / total_ns if total_ns else None,
        p95_ms=p95_ms(row),
    )


def _slower(model: LayerTime, downstream: LayerTime) -> Layer | None:
    if model.share is None or downstream.share is None or model.share == downstream.share:
        return None
    return "model" if model.share > downstream.share else "downstream"
