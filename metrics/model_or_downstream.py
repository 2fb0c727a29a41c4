"""Is the model slow, or what it calls?"""

from dataclasses import dataclass
from typing import Literal

from metrics.intervals import MIN_N_P95
from metrics.statements import Row, Store, answer
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
    rows = {row["layer"]: row for row in answer(database, "model_or_downstream", scope)}
    total_ns = sum(int(row["total_ns"]) for row in rows.values()) if len(rows) == 2 else 0
    model = _layer("model", rows.get("model"), total_ns)
    downstream = _layer("downstream", rows.get("downstream"), total_ns)
    return Bottleneck(model, downstream, _slower(model, downstream))


def _layer(layer: Layer, row: Row | None, total_ns: int) -> LayerTime:
    if row is None:
        return LayerTime(layer, 0, None, None, None)
    n, own_ns = int(row["n"]), int(row["total_ns"])
    return LayerTime(
        layer=layer,
        n=n,
        total_ms=own_ns / 1e6,
        share=own_ns / total_ns if total_ns else None,
        p95_ms=row["p95_ns"] / 1e6 if n >= MIN_N_P95 else None,
    )


def _slower(model: LayerTime, downstream: LayerTime) -> Layer | None:
    if model.share is None or downstream.share is None or model.share == downstream.share:
        return None
    return "model" if model.share > downstream.share else "downstream"
