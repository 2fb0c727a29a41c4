"""One side of a comparison: a period, perhaps only one version, model or template, in figures."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

from metrics.intervals import Proportion
from metrics.statements import Row, Store, answer
from metrics.values import Scope


@dataclass(frozen=True, slots=True)
class Side:
    """Which traces: those that start in the scope and use what is named."""

    scope: Scope
    contract_version: str | None = None
    """Of the scope's tool."""
    model: str | None = None
    template: str | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """What the statements ask for besides the scope."""
        return {
            "contract_version": self.contract_version,
            "model": self.model,
            "template": self.template,
        }


@dataclass(frozen=True, slots=True)
class SideValues:
    """How many of each value."""

    calls: dict[str, dict[int, int]]
    """Durations of the calls of each tool, by latency bucket."""
    models: dict[str, dict[int, int]]
    """Durations of the calls of each model, by latency bucket."""
    steps: dict[int, int]
    plans: dict[str, int]
    """Traces by their first three tools."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One rate of a side, with the moments that intervals need."""

    whole: Proportion
    by_tool: dict[str, Proportion]
    """Empty for what is of no tool."""


NOTHING: Final = Signal(Proportion.from_row(None), {})


def side_signals(database: Store, side: Side) -> dict[str, Signal]:
    """The rates of a side by signal; those without a case are left out."""
    rows = answer(database, "side_signals", side.scope, **side.parameters)
    wholes = {row["signal"]: row for row in rows if row["tool_name"] is None}
    by_tool: dict[str, dict[str, Proportion]] = defaultdict(dict)
    for row in rows:
        if row["tool_name"]:
            by_tool[row["signal"]][row["tool_name"]] = Proportion.from_row(row)
    return {name: Signal(Proportion.from_row(row), by_tool[name]) for name, row in wholes.items()}


def side_values(database: Store, side: Side) -> SideValues:
    """The values of a side; empty without traces."""
    rows = answer(database, "side_values", side.scope, **side.parameters)
    by_series: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_series[row["series"]].append(row)
    return SideValues(
        calls=_by_name(by_series["latency_p95_call"]),
        models=_by_name(by_series["latency_p95_model"]),
        steps={int(row["value"]): int(row["n"]) for row in by_series["steps_per_task"]},
        plans={row["name"]: int(row["n"]) for row in by_series["plan"]},
    )


def _by_name(rows: list[Row]) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = defaultdict(dict)
    for row in rows:
        found[row["name"]][int(row["value"])] = int(row["n"])
    return dict(found)
