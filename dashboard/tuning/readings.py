"""One field over recorded answers, by two sets of rules: what each raw value is read as."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from typing import Final, NamedTuple

from pipeline.observation import (
    Context,
    FragmentKind,
    RuleSet,
    SemanticFragment,
    ToolOutput,
    parse,
)
from pipeline.observation.payload import decode, unwrap
from pipeline.observation.rules import ToolRules
from replay_store.rules_inference import RecordedAnswer

__all__ = ["Became", "ReadValue", "answer_paths", "readings", "rules_of"]

MAX_DEPTH: Final = 4
"""Keys of a path that is offered."""


class Became(StrEnum):
    """What a change makes of the reading of one raw value."""

    LOST = "lost"
    """It was read and is not any more."""
    READ = "read"
    """It was not read and is now."""
    OTHER = "other"
    """It is read as something else."""
    UNREAD = "unread"
    """It is read neither before nor after."""
    SAME = "same"


@dataclass(frozen=True, slots=True)
class ReadValue:
    """One raw value, what it was read as, and what it would be read as."""

    raw: str
    """JSON text, cut where it is long."""
    before: SemanticFragment | None
    """None where nothing is said of it."""
    after: SemanticFragment | None
    n: int
    """How often it came."""

    @property
    def became(self) -> Became:
        """What the change makes of it."""
        was, is_now = _is_read(self.before), _is_read(self.after)
        if was != is_now:
            return Became.READ if is_now else Became.LOST
        if not was:
            return Became.UNREAD
        return Became.SAME if _said(self.before) == _said(self.after) else Became.OTHER


class _Said(NamedTuple):
    kind: FragmentKind
    value: object
    words: object
    reason: str | None


def rules_of(rules: RuleSet, file: str) -> ToolRules | None:
    """The rules of one file; None where it has none for a tool."""
    return next((tool for tool in rules.tools if tool.file == file), None)


def readings(
    answers: Iterable[tuple[str, RecordedAnswer]],
    before: RuleSet,
    after: RuleSet,
    file: str,
    field: str,
) -> list[ReadValue]:
    """The distinct raw values of one field, what a change makes of the most important ones first.

    Args:
        answers: Recorded answers with the names of their tools; those that the file does not read
            are left out.
        before: The rules to compare with; the field need not be there.
        after: The rules to try.
        file: The rule file.
        field: One of its fields.

    Returns:
        Values that are lost first, then those that are read now or otherwise; within these the most
        frequent ones. Empty where no answer has the field; answers without it are left out.
    """
    old, new = _only(before, file, field), _only(after, file, field)
    found: dict[tuple[object, ...], ReadValue] = {}
    for tool, answer in answers:
        if not any(rules.file == file for rules in after.readers(tool, answer.contract_version)):
            continue
        output = ToolOutput(tool, answer.contract_version, None, answer.body)
        for was, now in _paired(_read(output, old), _read(output, new)):
            raw = next((f.raw for f in (now, was) if f is not None and f.raw is not None), "")
            if _is_missing(was) and _is_missing(now):
                continue
            known = found.get(key := (raw, _said(was), _said(now)))
            n = answer.n_occurrences + (0 if known is None else known.n)
            found[key] = ReadValue(raw, was, now, n)
    order = list(Became)
    return sorted(found.values(), key=lambda item: (order.index(item.became), -item.n, item.raw))


def answer_paths(
    answers: Iterable[tuple[str, RecordedAnswer]], rules: ToolRules
) -> tuple[str, ...]:
    """The dotted paths at which recorded answers hold something, sorted: where a field can be read."""
    paths: set[str] = set()
    for tool, answer in answers:
        if tool in rules.tools:
            for record in unwrap(decode(answer.body)[0], rules).records:
                paths.update(_paths(record, ""))
    return tuple(sorted(paths))


def _paths(record: Mapping[object, object], under: str, depth: int = 1) -> Iterator[str]:
    for key, value in record.items():
        if not isinstance(key, str) or not key or "." in key:
            continue
        yield f"{under}{key}"
        if isinstance(value, Mapping) and depth < MAX_DEPTH:
            yield from _paths(value, f"{under}{key}.", depth + 1)


def _only(rules: RuleSet, file: str, field: str) -> RuleSet:
    """The rules reading one field of one file, which says something of every record."""
    found = rules_of(rules, file)
    if found is None:
        return replace(rules, tools=())
    fields = tuple(replace(rule, is_optional=False) for rule in found.fields if rule.name == field)
    return replace(rules, tools=(replace(found, fields=fields, intents={}),))


def _read(output: ToolOutput, rules: RuleSet) -> list[SemanticFragment]:
    if not rules.tools or not rules.tools[0].fields:
        return []
    wanted = rules.tools[0].fields[0].fact_type
    return [item for item in parse(output, rules, Context()) if item.type == wanted]


def _paired(
    old: Iterable[SemanticFragment], new: Iterable[SemanticFragment]
) -> Iterator[tuple[SemanticFragment | None, SemanticFragment | None]]:
    """What both say of the same entity, in the order of the answer."""
    by_entity: dict[object, tuple[list[SemanticFragment], list[SemanticFragment]]] = defaultdict(
        lambda: ([], [])
    )
    for side, fragments in enumerate((old, new)):
        for fragment in fragments:
            by_entity[fragment.entity][side].append(fragment)
    for was, now in by_entity.values():
        yield from zip_longest(was, now)


def _is_missing(fragment: SemanticFragment | None) -> bool:
    return fragment is None or fragment.reason == "missing"


def _is_read(fragment: SemanticFragment | None) -> bool:
    return fragment is not None and fragment.kind is FragmentKind.FACT


def _said(fragment: SemanticFragment | None) -> _Said | None:
    if fragment is None:
        return None
    return _Said(fragment.kind, fragment.value, fragment.words, fragment.reason)
