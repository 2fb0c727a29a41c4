"""Observation health over rollups, in the words of the statements over rows: same columns, same cuts."""

from collections.abc import Callable, Mapping
from typing import Final

from metrics.rolled_latency import latency
from metrics.rolled_table import Ask, Given, Table, counted_rows
from metrics.statements import Row

__all__ = ["OF_OBSERVATIONS", "is_held"]

_MILLIONTH: Final = 1e-6
_SUMS: Final = ("numerator", "yy", "ym")
"""Of confidence, these are in millionths in rollups."""
_MOMENTS: Final = ("n", "n_clusters", "mm", *_SUMS)
_SHARES: Final = {"conflict": 1, "unknown": 1, "confidence": _MILLIONTH, "noise": 1}
"""The unit of the sums of each."""
_LEFT_OUT: Final = ("no_facts", "no_start_time")


def observation_health(ask: Ask, _given: Given) -> list[Row]:
    """`observation_health.sql`, where `is_held` says so."""
    names = [f"{share}_{name}" for share in _SHARES for name in _MOMENTS]
    found = Table(("is_now", "bucket_time_ns"), [*names, "n_reread", *_LEFT_OUT])
    for share in ask("shares"):
        prefix = share["share"]
        if prefix in _SHARES:
            row, unit = found.row(share["is_now"], share["bucket_time_ns"]), _SHARES[prefix]
            row.update({f"{prefix}_{name}": share[name] for name in _MOMENTS})
            row.update({f"{prefix}_{name}": share[name] * unit for name in _SUMS})
    for count in counted_rows(ask, "observation"):
        if count["tool_name"] is None:
            found.row(count["is_now"], count["bucket_time_ns"])[count["kind"]] = count["n"]
    in_force = ask("observed")[0]["rule_version"]
    return [
        row
        | {f"{share}_denominator": row[f"{share}_n"] for share in _SHARES}
        | {"rule_version": in_force}
        for row in found.rows()
    ]


def is_held(name: str, given: Given, told: Row) -> bool:
    """Whether rollups hold what a statement asks.

    Args:
        name: Of `OF_OBSERVATIONS`.
        given: Its parameters.
        told: The row of `rolled/observed.sql`. Rollups hold what was recorded, of the days in the store and
            of those that were moved since there are such rollups.
    """
    is_as_recorded = name != "observation_health" or given["reading"] == "recorded"
    return not told["is_moved_before"] and (is_as_recorded or not told["is_reread"])


OF_OBSERVATIONS: Final[Mapping[str, Callable[[Ask, Given], list[Row]]]] = {
    "observation_health": observation_health,
    "parse_p95": latency("parse"),
}
"""By the statement over rows that each stands for."""
