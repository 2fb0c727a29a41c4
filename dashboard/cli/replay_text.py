"""Replay in words: runs, captured cases, the gate, robustness."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from dashboard.cli.tables import plain, table
from dashboard.replaying.report import paired
from metrics.paired import NOTABLE
from pipeline.replay import Case, case_to_json
from pipeline.replay.gate import Gate
from pipeline.replay.outcome import Change
from replay_store.records import ReplayResult
from replay_store.replay import PlayedRun

if TYPE_CHECKING:
    from metrics.paired import Paired, Share
    from metrics.robustness import Robustness
    from metrics.values import Interval
    from replay_store.replay.capture import Captured

__all__ = [
    "captured_text",
    "cases_json",
    "gate_json",
    "gate_text",
    "robustness_json",
    "robustness_text",
    "run_json",
    "run_text",
]

_TOLD: Final = (Change.BROKEN, Change.FIXED, Change.SKIPPED)
_MOST_LINES: Final = 30


def run_text(played: PlayedRun) -> str:
    """What was compared, the counts, and what changed case by case."""
    run = played.run
    lines = [f"tried:         {plain(run.candidate)}", f"compared with: {plain(run.baseline)}"]
    if run.chooser is not None:
        lines.append(f"who chose:     {plain(run.chooser)}")
    lines += ["", _counts(played), _test(paired(run)), *_bounds(paired(run)), *_power(paired(run))]
    for change in _TOLD:
        for result in (item for item in played.results if item.change == change):
            lines += ["", *_result_lines(result)]
    return "\n".join(lines)


def run_json(played: PlayedRun) -> str:
    """The run and its results, whole."""
    found = paired(played.run)
    value = {
        "run": asdict(played.run),
        "mcnemar_p": found.p_value,
        "right_before": found.before,
        "right_after": found.after,
        "intervals": {
            "before": _interval(found.before_interval),
            "after": _interval(found.after_interval),
            "change": _interval(found.difference),
        },
        "results": [asdict(result) for result in played.results],
    }
    return _json(value)


def _interval(found: "Interval | None") -> dict[str, float] | None:
    return None if found is None else {"low": found.low, "high": found.high}


def _bounds(found: "Paired") -> list[str]:
    """Within which bounds the shares and their change lie; nothing without cases."""
    before, after, change = found.before_interval, found.after_interval, found.difference
    if before is None or after is None or change is None:
        return []
    return [
        f"95 % intervals: before {_span(before)}, after {_span(after)}; "
        f"the change {100 * change.low:+.1f} to {100 * change.high:+.1f} points"
    ]


def _span(found: "Interval") -> str:
    return f"{100 * found.low:.1f} to {100 * found.high:.1f} %"


def captured_text(captured: "Captured", n_new: int, paths: Sequence[Path]) -> str:
    """The cases that were made, a line each."""
    rows = [
        (case.case_id, case.kind.value, ", ".join(case.tools), case.title)
        for case in captured.cases
    ]
    told = f"{len(rows):,} cases kept, {n_new:,} of them new"
    if paths:
        told += f"; files in {plain(str(paths[0].parent))}"
    return f"{table(('case', 'kind', 'tools', 'about'), rows)}\n\n{told}"


def cases_json(cases: Iterable[Case]) -> str:
    """The cases as JSON Lines."""
    return "\n".join(_json(case_to_json(case)) for case in cases)


def gate_text(gate: Gate) -> str:
    """Which contracts changed, which no case covers, and which cases broke."""
    if not gate.changes:
        return "no contract changed"
    covered = {change.name for change in gate.changes} - set(gate.uncovered)
    rows = [
        (change.name, ", ".join(change.what), "yes" if change.name in covered else "NO")
        for change in gate.changes
    ]
    lines = [table(("contract", "changed", "covered by a case"), rows), ""]
    lines.append(f"{len(gate.compared):,} cases played, {len(gate.broken):,} broken")
    for item in gate.broken:
        lines += ["", f"broken: {plain(item.case.case_id)}"]
        lines += [f"  {plain(problem)}" for problem in item.after.problems]
        lines += _indented(item.diff)
    if gate.uncovered:
        names = ", ".join(map(plain, gate.uncovered))
        lines += ["", f"refused: {names}: no case covers it; make one, in the same review"]
    elif gate.broken:
        lines += [
            "",
            "refused: mend the contract, or change the case in the same review and say why",
        ]
    return "\n".join(lines)


def gate_json(gate: Gate) -> str:
    """The gate, whole."""
    value = {
        "is_open": gate.is_open,
        "changes": [asdict(change) for change in gate.changes],
        "uncovered": list(gate.uncovered),
        "n_played": len(gate.compared),
        "broken": [{"case_id": item.case.case_id, "diff": list(item.diff)} for item in gate.broken],
    }
    return _json(value)


def robustness_text(rows: "Sequence[Robustness]") -> str:
    """One line for each kind of noise and intensity."""
    if not rows:
        return "no observation or task among the cases: nothing to disturb"
    headers = (
        "noise", "intensity", "facts that read the same", "prompts changed", "tasks that flip",
        "critical untouched", "right clean", "right noisy",
    )  # fmt: skip
    body = [
        (
            row.kind,
            f"{row.intensity:g}",
            _share(row.facts_kept),
            _share(row.prompts_changed),
            _share(row.flipped),
            _percent(row.critical_kept.value),
            _percent(row.right.before),
            _percent(row.right.after),
        )
        for row in rows
    ]
    first = rows[0]
    told = (
        f"{first.facts_kept.n_cases:,} cases with facts, {first.n_seeds} seeds; "
        "in brackets the 95 % interval, cases as clusters"
    )
    return f"{table(headers, body)}\n\n{told}"


def robustness_json(rows: "Sequence[Robustness]") -> str:
    """The rows, whole."""
    return _json([asdict(row) | {"retention": row.retention} for row in rows])


def _counts(played: PlayedRun) -> str:
    run = played.run
    same = run.n_same_right + run.n_same_wrong
    told = (
        f"{run.n_cases:,} cases: {run.n_broken:,} broken, {run.n_fixed:,} fixed, {same:,} the same "
        f"({run.n_same_right:,} right, {run.n_same_wrong:,} wrong)"
    )
    return f"{told}, {run.n_skipped:,} skipped" if run.n_skipped else told


def _test(found: "Paired") -> str:
    if found.before is None or found.after is None:
        return "no case could be judged on both sides"
    told = f"right {_percent(found.before)} before, {_percent(found.after)} after"
    if found.p_value is None:
        return f"{told}; no case changed"
    return f"{told}; McNemar exact p = {found.p_value:.3g}"


def _power(found: "Paired") -> list[str]:
    """What so many cases can show at all."""
    if found.power is None:
        return []
    broken, fixed = NOTABLE
    return [
        f"{found.n:,} cases show a change that breaks {broken:.0%} and fixes {fixed:.0%} of them "
        f"with a chance of {found.power:.0%}"
    ]


def _result_lines(result: ReplayResult) -> list[str]:
    lines = [f"{result.change}: {plain(result.case_id)}"]
    if result.trace_id is not None:
        lines[0] += f" (trace {result.trace_id})"
    skipped = [side["skipped"] for side in (result.before, result.after) if "skipped" in side]
    problems = result.after.get("problems")
    told = dict.fromkeys([*skipped, *(problems if isinstance(problems, list) else ())])
    return lines + [f"  {plain(str(reason))}" for reason in told] + _indented(result.diff)


def _indented(diff: Sequence[str]) -> list[str]:
    lines = [f"  {plain(line)}" for line in diff[:_MOST_LINES]]
    if len(diff) > _MOST_LINES:
        lines.append(f"  ... {len(diff) - _MOST_LINES:,} lines more; see --report")
    return lines


def _share(share: "Share") -> str:
    told = _percent(share.value)
    if share.interval is None or told == "no data":
        return told
    return f"{told} [{100 * share.interval.low:.0f}, {100 * share.interval.high:.0f}]"


def _percent(value: float | None) -> str:
    return "no data" if value is None else f"{100 * value:.1f} %"


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
