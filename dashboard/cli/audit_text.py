"""Audit draws and what they say, in words and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import orjson

from dashboard.cli.tables import plain, table
from metrics import Agreement, BatchAccuracy, JudgeFigure, Metric, RaterAgreement
from replay_store.records import AuditBatch

if TYPE_CHECKING:
    from metrics import Interval

__all__ = ["batches_json", "batches_text", "results_json", "results_text"]


def batches_text(found: Sequence[AuditBatch]) -> str:
    """One line a draw."""
    if not found:
        return "no draw yet"
    headers = ("draw", "name", "drawn", "of", "parted by", "shared out", "for two", "by")
    rows = [
        (
            str(batch.batch_id),
            plain(batch.name),
            batch.n_drawn,
            batch.n_frame,
            ", ".join(batch.strata or ()) or None,
            batch.allocation if batch.strata else None,
            batch.n_double,
            plain(batch.created_by),
        )
        for batch in found
    ]
    return table(headers, rows)


def batches_json(found: Sequence[AuditBatch]) -> str:
    """The draws with everything that is kept of them."""
    return orjson.dumps([asdict(batch) for batch in found], option=orjson.OPT_INDENT_2).decode()


def results_text(
    batch: AuditBatch,
    found: BatchAccuracy,
    agreed: RaterAgreement,
    judges: Sequence[JudgeFigure],
) -> str:
    """Accuracy, its parts, agreement, judges."""
    lines = [
        f"{plain(batch.name)}: {batch.n_drawn:,} of {batch.n_frame:,} decisions, seed {batch.seed}",
        "",
        *_figure("selection", found.selection),
        *_figure("call", found.call),
    ]
    parts = [part for part in found.parts if part.metric.n]
    if parts:
        headers = ("tool", "version", "judged", "accuracy", "95% interval", "verdict")
        rows = [
            (
                plain(part.tool_name),
                "all" if part.contract_version is None else plain(part.contract_version),
                part.metric.n,
                _rate(part.metric.value),
                _bounds(part.metric.interval),
                part.metric.state.value,
            )
            for part in parts
        ]
        lines += ["", table(headers, rows)]
    lines += [
        "",
        *_agreement("right or wrong", agreed.selection),
        *_agreement("label", agreed.label),
    ]
    lines += [_judge(judge) for judge in judges]
    return "\n".join(lines)


def results_json(
    batch: AuditBatch,
    found: BatchAccuracy,
    agreed: RaterAgreement,
    judges: Sequence[JudgeFigure],
) -> str:
    """The same with every number."""
    told = {
        "batch": asdict(batch),
        "accuracy": asdict(found),
        "agreement": asdict(agreed)
        | {"bands": {"selection": agreed.selection.band, "label": agreed.label.band}},
        "judges": [asdict(judge) for judge in judges],
    }
    return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode()


def _figure(name: str, metric: Metric) -> list[str]:
    if metric.value is None:
        lines = [f"{name} accuracy: no data"]
    else:
        lines = [
            f"{name} accuracy: {_rate(metric.value)} ({_bounds(metric.interval)}), "
            f"{metric.n:,} judged, {metric.note.value.replace('_', ' ')}"
        ]
    left_out = [f"{item.n:,} {item.reason.value.replace('_', ' ')}" for item in metric.exclusions]
    return [*lines, f"  left out: {', '.join(left_out)}"] if left_out else lines


def _agreement(name: str, found: Agreement) -> list[str]:
    if not found.n_units:
        return [f"agreement, {name}: nothing was judged by two"]
    return [
        f"agreement, {name}: alpha {_coefficient(found.alpha)} "
        f"({_span(found.interval)}), AC1 {_coefficient(found.ac1)}, raw {_rate(found.raw)}, "
        f"{found.n_units:,} judged by two: {found.band.value.replace('_', ' ')}"
    ]


def _judge(judge: JudgeFigure) -> str:
    name = plain(judge.judge) or "rule: nothing went wrong afterwards"
    if judge.powered is None:
        why = ", ".join(reason.value.replace("_", " ") for reason in judge.unmet)
        return f"with {name}: nothing to add ({why})"
    found = judge.powered
    return f"with {name}: {_rate(found.value)} ({_bounds(found.interval)}), PPI++"


def _rate(value: float | None) -> str:
    return "no data" if value is None else f"{value:.1%}"


def _bounds(interval: "Interval | None") -> str:
    return "no interval" if interval is None else f"{interval.low:.1%} to {interval.high:.1%}"


def _coefficient(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _span(interval: "Interval | None") -> str:
    return "no interval" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"
