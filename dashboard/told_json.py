"""A trace told, as JSON: the stored rows, and the sentences beside them."""

from dataclasses import asdict
from typing import Any

from dashboard.incident_text import (
    Lang,
    evidence_text,
    hint_text,
    layer_of,
    next_action,
    step_text,
    verdict_text,
)
from dashboard.telling import Told
from metrics.incident import ADVICE, Diagnosis, Hint

__all__ = ["told_json"]


def told_json(told: Told, lang: Lang = "en") -> dict[str, Any]:
    """Everything that is told of a trace, as values that JSON can hold (ids of files as text)."""
    diagnosis = told.diagnosis
    return {
        "trace": asdict(told.trace),
        "verdict": verdict_text(told.trace, diagnosis, lang),
        "is_determined": diagnosis.is_determined,
        "hints": [_hint_json(hint, diagnosis, lang) for hint in diagnosis.hints],
        "base": diagnosis.base._asdict(),
        "steps": [
            step._asdict() | {"layer": layer_of(step), "text": step_text(step, lang)}
            for step in told.steps
        ],
        "noise": [asdict(row) for row in told.noise],
        "similar": {
            "n": told.similar.n,
            "days": [asdict(day) for day in told.similar.days],
            "trace_ids": told.similar.trace_ids,
        },
        "last_good_trace_id": told.last_good,
        "notes": [asdict(note) for note in told.notes],
    }


def _hint_json(hint: Hint, diagnosis: Diagnosis, lang: Lang) -> dict[str, Any]:
    advice = [
        {part: getattr(getattr(row, part), lang) for part in ("cause", "check", "cure")}
        | {"source": row.source}
        for row in ADVICE[hint.sign]
    ]
    return {
        **asdict(hint),
        "measured": hint.measured._asdict(),
        "text": hint_text(hint, lang),
        "evidence": evidence_text(hint, diagnosis.base, lang),
        "next_action": next_action(hint.error_type, lang),
        "advice": advice,
    }
