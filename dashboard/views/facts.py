"""A row of small facts: a word above its value. Values may come from a trace."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.components.fact_row import fact_row


@dataclass(frozen=True, slots=True)
class Fact:
    """One value under its word; None is left out."""

    label: str
    """From the catalogue."""
    value: str | None


def facts(items: Sequence[Fact], key: str) -> None:
    """Draw the facts that have a value, side by side, wrapping."""
    shown = [(item.label, item.value) for item in items if item.value is not None]
    if shown:
        fact_row(shown, key=f"facts_{key}")
