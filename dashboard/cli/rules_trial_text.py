"""What the commands about publishing dictionaries print."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from dashboard.cli.tables import plain, table
from dashboard.plurals import filled
from dashboard.tuning.approval import approval, published_with
from dashboard.tuning.gate_text import gate_words
from dashboard.tuning.publishing import gate_json
from dashboard.tuning.wording import words_of_both
from metrics.rule_gates import Gate, GateState, is_publishable
from replay_store.rule_store import short

if TYPE_CHECKING:
    from dashboard.cli.rules_steps import Tried
    from dashboard.tuning.citing import Citing
    from pipeline.replay import Case
    from replay_store.backtest_change import Said
    from replay_store.backtest_impact import Impact
    from replay_store.rule_reviews import KeptBacktest
    from replay_store.rule_shadows import Shadow
    from replay_store.rule_store import Move

__all__ = [
    "cases_json",
    "cases_text",
    "history_json",
    "history_text",
    "plain_lines",
    "published_json",
    "published_text",
    "shadow_json",
    "shadow_text",
    "trial_json",
    "trial_text",
]

_MARKS: Final = {
    GateState.MET: "ok",
    GateState.WAITING: "waiting",
    GateState.FAILED: "FAILED",
    GateState.WARNING: "warning",
}
_MOST_CLASSES: Final = 50
_MOST_ITEMS: Final = 10
_NANOSECONDS: Final = 1_000_000_000


def trial_text(done: "Tried") -> str:
    """What would change, class by class, and how every gate stands."""
    impact = done.trial.impact
    parts = [
        f"{plain(done.source.name)} beside {short(done.base_version)}: {_sentence(impact)}",
        _frame(impact),
    ]
    if impact.classes:
        parts.append(_classes(done))
    parts.append("\n".join(line for gate in done.gates for line in _gate_lines(gate)))
    if done.trial.citing:
        parts.append(_citing(done.trial.citing))
    parts.append(_verdict(done.gates))
    return "\n\n".join(parts)


def trial_json(done: "Tried") -> str:
    """The same as JSON."""
    impact = asdict(done.trial.impact)
    for found, item in zip(impact["classes"], done.trial.impact.classes, strict=True):
        found["key"] = item.change.key
        found["is_acknowledged"] = item.change.key in done.acknowledged
    body = {
        "source": done.source.name,
        "version": done.source.version,
        "base_version": done.base_version,
        "is_publishable": is_publishable(done.gates),
        "gates": [gate_json(gate) for gate in done.gates],
        "impact": impact,
        "cases": [
            {
                "case_id": item.case.case_id,
                "change": item.change.value,
                "problems": list(item.after.problems),
            }
            for item in done.trial.compared
        ],
        "citing": [
            {"case_id": item.case.case_id, "fact_types": list(item.fact_types)}
            for item in done.trial.citing
        ],
    }
    return json.dumps(body, ensure_ascii=False)


def published_text(version: str, n_read: int) -> str:
    """Which version is in force now."""
    return filled(
        "Version {version} is in force. {n} recorded {n:observation was|observations were} "
        "read again by it.",
        version=short(version),
        n=f"{n_read:,}",
    )


def published_json(version: str, n_read: int) -> str:
    """The same as JSON."""
    return json.dumps({"version": version, "n_read": n_read})


def cases_text(guarding: "Sequence[Case]", brought: "Sequence[Case]") -> str:
    """The cases by name: new ones, and those that were brought to the new reading."""
    lines = [f"new      {plain(item.case_id)}" for item in guarding]
    lines += [f"updated  {plain(item.case_id)}" for item in brought]
    return "\n".join(lines) or "No case is missing and none is broken."


def cases_json(guarding: "Sequence[Case]", brought: "Sequence[Case]") -> str:
    """The same as JSON."""
    return json.dumps(
        {
            "new": [item.case_id for item in guarding],
            "updated": [item.case_id for item in brought],
        }
    )


def shadow_text(found: "tuple[Shadow, Impact] | None", zone: str) -> str:
    """The run under way and what it saw."""
    if found is None:
        return "No shadow run is under way."
    running, impact = found
    since = datetime.fromtimestamp(running.started_time_ns / _NANOSECONDS, ZoneInfo(zone))
    return "\n".join(
        (
            f"{short(running.version)} beside {short(running.base_version)} since "
            f"{since:%Y-%m-%d %H:%M} ({zone}), begun by {plain(running.author)}:",
            _sentence(impact),
            _frame(impact),
        )
    )


def shadow_json(found: "tuple[Shadow, Impact] | None") -> str:
    """The same as JSON; null when none is under way."""
    if found is None:
        return "null"
    running, impact = found
    told = {
        "version": running.version,
        "base_version": running.base_version,
        "author": running.author,
        "started_time_ns": running.started_time_ns,
        "impact": asdict(impact),
    }
    return json.dumps(told, ensure_ascii=False)


def history_text(
    moves: "Sequence[Move]", kept: "Mapping[str, Sequence[KeptBacktest]]", zone: str
) -> str:
    """One line a move, newest first."""
    if not moves:
        return "Nothing was published yet: the built-in dictionaries (v0) are in force."
    in_zone = ZoneInfo(zone)
    rows = [
        (
            "in force" if index == 0 else "",
            short(move.version),
            "back" if move.is_return else "published",
            datetime.fromtimestamp(move.moved_time_ns / _NANOSECONDS, in_zone).strftime(
                "%Y-%m-%d %H:%M"
            ),
            plain(move.moved_by),
            _with_what(move, kept.get(move.version, ())),
            plain(move.reason),
        )
        for index, move in enumerate(moves)
    ]
    return table(("", "version", "what", f"when ({zone})", "by", "approved by", "why"), rows)


def history_json(moves: "Sequence[Move]", kept: "Mapping[str, Sequence[KeptBacktest]]") -> str:
    """The same as JSON, with the back-tests that versions were published with."""
    rows = [
        asdict(move)
        | {
            "is_return": move.is_return,
            "backtests": [
                asdict(item.backtest)
                | {
                    "backtest_id": str(item.backtest.backtest_id),
                    "gates": json.loads(item.backtest.gates),
                }
                for item in kept.get(move.version, ())
            ],
        }
        for move in moves
    ]
    return json.dumps(rows, ensure_ascii=False)


def plain_lines(text: str) -> str:
    """The text with nothing in it that steers a terminal, line by line."""
    return "\n".join(map(plain, text.split("\n")))


def _sentence(impact: "Impact") -> str:
    return filled(
        "changes {facts} {facts:fact|facts} in {traces} {traces:trace|traces}, removes {gone} and "
        "adds {new} UNKNOWN, makes {made} and clears {cleared} CONFLICT, {delta} tokens.",
        facts=f"{impact.n_facts_changed:,}",
        traces=f"{impact.n_traces_changed:,}",
        gone=f"{impact.n_unknown_removed:,}",
        new=f"{impact.n_unknown_added:,}",
        made=f"{impact.n_conflicts_made:,}",
        cleared=f"{impact.n_conflicts_cleared:,}",
        delta=f"{impact.token_delta:+,}",
    )


def _frame(impact: "Impact") -> str:
    return (
        f"Tried on {impact.n_observations:,} recorded observations ({impact.n_distinct:,} distinct) "
        f"of {impact.n_traces:,} traces; {impact.n_without_raw:,} have no raw output, "
        f"{impact.n_partly_raw:,} only a part, {impact.n_redacted:,} masked values; "
        f"{impact.n_traces_removed:,} traces of the range were removed because of age."
    )


def _classes(done: "Tried") -> str:
    shown = done.trial.impact.classes[:_MOST_CLASSES]
    words = [words_of_both(item.change, "en") for item in shown]
    rows = [
        (
            item.change.key,
            item.change.fact_type,
            _said(item.change.before, before),
            _said(item.change.after, after),
            item.n_facts,
            item.n_traces,
            "yes" if item.change.key in done.acknowledged else "no",
            item.examples[0].trace_id if item.examples else None,
        )
        for item, (before, after) in zip(shown, words, strict=True)
    ]
    headers = ("key", "fact", "before", "after", "facts", "traces", "meant", "example")
    left = len(done.trial.impact.classes) - _MOST_CLASSES
    return table(headers, rows) + (f"\n... {left} more" if left > 0 else "")


def _said(said: "Said | None", words: str | None) -> str:
    if said is None:
        return "nothing"
    parts = (said.value, words, said.raw)
    spoken = " ".join(part for part in parts if part) or (said.reason or "a value")
    return plain(f"{said.kind.value}: {spoken}")[:60]


def _gate_lines(gate: Gate) -> list[str]:
    words = gate_words(gate, _say)
    lines = [f"{_MARKS[gate.state]:8} {gate.name.value:10} {words.title}: {words.said}"]
    if gate.state is GateState.MET:
        return lines
    lines.append(f"{'':19} {words.remedy}")
    lines += [f"{'':19} - {plain(item)}" for item in gate.items[:_MOST_ITEMS]]
    return lines


def _citing(found: "Sequence[Citing]") -> str:
    lines = [f"  {plain(item.case.case_id)}  {', '.join(item.fact_types)}" for item in found]
    if len(lines) > _MOST_ITEMS:
        lines[_MOST_ITEMS:] = [f"  and {len(lines) - _MOST_ITEMS} more"]
    n = filled("{n} {n:case rests|cases rest}", n=len(found))
    return "\n".join(
        [f"{n} on a changed fact; whether a model decides otherwise, it has to say:", *lines]
    )


def _verdict(gates: Sequence[Gate]) -> str:
    closed = [gate.name.value for gate in gates if not gate.is_open]
    if not closed:
        return "Every gate is open: it can be published."
    return f"Not to be published yet: {', '.join(closed)}."


def _say(key: str, **values: object) -> str:
    from dashboard.i18n import catalogue

    return filled(catalogue("en")[key], **values)


def _with_what(move: "Move", kept: "Sequence[KeptBacktest]") -> str | None:
    found = approval(published_with(move, kept))
    return "team of one" if found.is_team_of_one else plain(found.by) if found.by else None
