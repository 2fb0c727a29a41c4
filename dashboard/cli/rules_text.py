"""What the commands about rules and observations print."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.cli.tables import plain, table
from dashboard.plurals import filled

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.observation import Observation, Prompt, SemanticFragment
    from pipeline.observation.noise_log import NoiseRecord
    from pipeline.observation.rules.check import CheckedRules
    from pipeline.observation.rules.generate import GeneratedFile
    from pipeline.observation.rules.model import Parser

__all__ = [
    "Written",
    "checked_json",
    "checked_text",
    "observed_json",
    "observed_text",
    "written_text",
]

_FACTS = ("type", "value", "kind", "confidence", "entity", "source", "reason")


class Written(NamedTuple):
    """One generated file as it was written."""

    path: "Path"
    file: "GeneratedFile"
    orphans_path: "Path | None"
    """Where code went that the rule file has no place for any more; None without any."""


def checked_text(checked: "CheckedRules") -> str:
    """Errors, then warnings, then what was done, each on a line of its own."""
    lines = [f"error    {plain(str(error))}" for error in checked.errors]
    lines += [
        f"warning  {plain(f'{found.file}: {found.field}: {found.problem}')}"
        for found in checked.warnings
    ]
    lines += [f"parser   {plain(str(found))} sha256 {found.sha256}" for found in _parsers(checked)]
    lines.append(
        filled(
            "{n} {n:file|files}: {errors} {errors:error|errors}, {warnings} {warnings:warning|warnings}.",
            n=checked.n_files,
            errors=len(checked.errors),
            warnings=len(checked.warnings),
        )
    )
    if checked.n_inputs:
        lines.append(
            f"Each rule file read {checked.n_inputs} generated answers twice "
            f"(seed {checked.seed}, {checked.n_hooks} hooks)."
        )
    else:
        lines.append("No answer was tried: correct the errors first.")
    return "\n".join(lines)


def checked_json(checked: "CheckedRules") -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "errors": [
            {"file": e.file, "path": e.path, "problem": e.problem, "allowed": list(e.allowed)}
            for e in checked.errors
        ],
        "warnings": [asdict(found) for found in checked.warnings],
        "n_files": checked.n_files,
        "n_hooks": checked.n_hooks,
        "n_inputs": checked.n_inputs,
        "seed": checked.seed,
        "version": None if checked.rules is None else checked.rules.version,
        "parsers": [{"parser": str(p), "sha256": p.sha256} for p in _parsers(checked)],
    }


def _parsers(checked: "CheckedRules") -> "Sequence[Parser]":
    return () if checked.rules is None else checked.rules.parsers


def written_text(written: Sequence[Written]) -> str:
    """One line a file: how much of it was generated, and what the owner has to do."""
    lines = []
    for item in written:
        share = 1 - item.file.n_kept_lines / item.file.n_lines
        lines.append(
            f"{plain(str(item.path))}: {item.file.n_lines} lines, {share:.0%} of them generated"
        )
        if item.orphans_path is not None:
            names = ", ".join(sorted(item.file.orphans))
            lines.append(
                f"{plain(str(item.orphans_path))}: your code for {plain(names)}, "
                "which the rule file no longer has"
            )
    return "\n".join(lines)


def observed_text(observation: "Observation", raw: Sequence[tuple[str, str]]) -> str:
    """Raw outputs, facts, prompts, and the noise between them."""
    parts = [_section(f"Raw: {name}", plain(text)) for name, text in raw]
    parts.append(_section("Facts", _facts(observation.fragments)))
    if observation.noisy is not None:
        parts.append(_section("Noise", _noise(observation.noise)))
    signals = observation.clean.resolved.signals
    parts += [_section(f"Signal: {signal.name}", plain(signal.tool)) for signal in signals]
    parts += [_prompt(key.variant, prompt) for key, prompt in observation.prompts.items()]
    return "\n\n".join(parts)


def observed_json(observation: "Observation", raw: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The same as JSON values."""
    from pipeline.observation import fragment_row

    return {
        "raw": [{"output": name, "text": text} for name, text in raw],
        "facts": [fragment_row(fragment) for fragment in observation.fragments],
        "signals": [signal.name.value for signal in observation.clean.resolved.signals],
        "noise": [asdict(record) for record in observation.noise],
        "prompts": [
            {
                "template": prompt.template,
                "language": prompt.language,
                "variant": key.variant,
                "text": prompt.text,
                "n_tokens": prompt.n_tokens,
                "token_counter": prompt.token_counter,
                "broken": [cell.key for cell in prompt.broken],
            }
            for key, prompt in observation.prompts.items()
        ],
    }


def _section(title: str, body: str) -> str:
    return f"== {plain(title)}\n{body}"


def _prompt(variant: str, prompt: "Prompt") -> str:
    exact = "" if prompt.is_token_count_exact else ", estimated"
    name = f"{prompt.template} {prompt.language} {variant}"
    title = f"Prompt: {name}, {prompt.n_tokens} tokens{exact}"
    shown = _section(title, "\n".join(plain(line) for line in prompt.text.splitlines()))
    if not prompt.broken:
        return shown
    keys = plain(", ".join(cell.key for cell in prompt.broken))
    return f"{shown}\n\n{_section('Broken template, these are not shown in full', keys)}"


def _facts(fragments: "Sequence[SemanticFragment]") -> str:
    rows = [
        (
            fragment.type,
            _cut(fragment.text or fragment.value),
            fragment.kind,
            f"{fragment.confidence:.2f}",
            _cut(fragment.entity),
            fragment.source,
            fragment.reason,
        )
        for fragment in fragments
    ]
    return table(_FACTS, rows)


def _noise(records: "Sequence[NoiseRecord]") -> str:
    if not records:
        return "No fact was disturbed."
    rows = [(r.kind, r.fact_type, r.original_value, r.injected_value, r.reason) for r in records]
    return table(("kind", "type", "before", "after", "reason"), rows)


def _cut(value: object) -> str | None:
    if value is None:
        return None
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"
