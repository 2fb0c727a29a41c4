"""What the commands about contracts print."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from dashboard.cli.tables import plain
from dashboard.plurals import filled
from pipeline.contracts import contract_json

if TYPE_CHECKING:
    from pipeline.contracts import Contract, Difference, Finding

__all__ = [
    "contract_text",
    "differences_json",
    "differences_text",
    "findings_json",
    "findings_text",
]

_MAX_VALUE: Final = 60


def findings_text(found: "Sequence[Finding]", n_contracts: int, language: str) -> str:
    """Each finding in three lines: where, why, what to write; then the count."""
    lines = []
    for finding in found:
        place = f"{finding.tool}: {finding.field}"
        lines.append(f"{finding.severity:<8} {plain(place)} [{finding.rule}, {finding.source}]")
        lines.append(f"         {plain(finding.reason(language))}")
        lines.append(f"         → {plain(finding.suggestion(language))}")
    lines.append(
        filled(
            "{n} {n:contract|contracts}, {found} {found:finding|findings}.",
            n=n_contracts,
            found=len(found),
        )
    )
    return "\n".join(lines)


def findings_json(found: "Sequence[Finding]", language: str) -> list[dict[str, Any]]:
    """One object a finding."""
    return [
        {
            "tool": finding.tool,
            "rule": finding.rule.value,
            "severity": finding.severity.value,
            "field": finding.field,
            "reason": finding.reason(language),
            "suggestion": finding.suggestion(language),
            "source": finding.source,
            "values": dict(finding.values),
        }
        for finding in found
    ]


def differences_text(found: "Sequence[Difference]") -> str:
    """Each difference on a line, with what it means; then the count."""
    lines = [
        f"{_meaning(item):<8} {plain(f'{item.tool}: {_change(item)}')}" for item in found
    ]  # fmt: skip
    n_breaking = sum(item.is_breaking for item in found)
    lines.append(
        filled(
            "{n} {n:difference|differences}, {breaking} of them breaking.",
            n=len(found),
            breaking=n_breaking,
        )
    )
    return "\n".join(lines)


def differences_json(found: "Sequence[Difference]") -> list[dict[str, Any]]:
    """One object a difference."""
    return [
        {
            "tool": item.tool,
            "field": item.field,
            "before": item.before,
            "after": item.after,
            "is_breaking": item.is_breaking,
            "is_seen": item.is_seen,
        }
        for item in found
    ]


def contract_text(contract: "Contract") -> str:
    """The file of a contract."""
    return json.dumps(contract_json(contract), ensure_ascii=False, indent=2) + "\n"


def _meaning(item: "Difference") -> str:
    if item.is_breaking:
        return "breaking"
    return "seen" if item.is_seen else "inside"


def _change(item: "Difference") -> str:
    if not item.field:
        return "added" if item.before is None else "removed"
    return f"{item.field}: {_short(item.before)} → {_short(item.after)}"


def _short(value: object) -> str:
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}…"
