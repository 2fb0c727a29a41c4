"""Answers as a rule file describes them, and answers that no rule file describes.

Both are repeatable: a number decides everything, through SHA-256; no random source is touched.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final, TypeVar

from pipeline.observation.fragment import ValueType
from pipeline.observation.rules.model import FieldRule, ToolRules

Item = TypeVar("Item")
_PLAIN: Final[dict[ValueType, object]] = {
    ValueType.STRING: "text",
    ValueType.NUMBER: 1,
    ValueType.BOOLEAN: True,
    ValueType.DATE: "2024-06-15",
    ValueType.DATETIME: "2024-06-11T14:05:44Z",
}
_STRANGE: Final[tuple[object, ...]] = (
    None, "", " ", "0", "-1", "null", "中文", "\ud800", "\x00", "\u202e", "{{ 7 * 7 }}", "a" * 5_000,
    True, False, 0, -1, 10**40, 0.1, -0.0, float("nan"), float("inf"), 1e308, [], {}, [[]],
    [None], [{}], {"": None}, {"a": {"b": {"c": []}}}, b"\xff\x00", b"{}", object, (1, 2),
    "2024-02-30", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2024-06-11T25:61:00Z",
)  # fmt: skip


def ordinary_answer(rules: ToolRules) -> dict[str, Any]:
    """An answer in which every field of the rule file holds what it declares, outside any envelope."""
    answer: dict[str, Any] = {}
    for rule in rules.fields:
        _put(answer, rule.paths[0], _list_value(rule) if rule.list_rule else _value(rule))
    if rules.entity is not None:
        _put(answer, rules.entity.paths[0], "12345")
    return answer


def strange_answer(rules: ToolRules, seed: int, number: int) -> object:
    """One of endlessly many answers that are wrong in some way; the same for equal arguments."""
    draws = _Draws(seed, number)
    answer = ordinary_answer(rules)
    for _ in range(draws.below(4)):
        _spoil(answer, draws)
    wrapped = _wrapped(answer, rules, draws)
    return _encoded(wrapped, draws)


class _Draws:
    """Numbers that depend on what they were made from alone."""

    def __init__(self, *key: object) -> None:
        self._key = json.dumps(key)
        self._count = 0

    def below(self, bound: int) -> int:
        self._count += 1
        digest = hashlib.sha256(f"{self._key}:{self._count}".encode("ascii")).digest()
        return int.from_bytes(digest[:8], "big") % bound

    def one_of(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]


def _put(answer: dict[str, Any], path: Sequence[str], value: object) -> None:
    for step in path[:-1]:
        inner = answer.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        answer = inner
    answer[path[-1]] = value


def _value(rule: FieldRule) -> object:
    if rule.value_type is ValueType.ENUM and rule.enum is not None:
        return next(iter(rule.enum.codes))
    if rule.bands:
        return 1
    if rule.value_type is ValueType.BOOLEAN and rule.true_values:
        return min(rule.true_values)
    return _PLAIN.get(rule.value_type, "text")


def _list_value(rule: FieldRule) -> list[object]:
    listed = rule.list_rule
    parts = [] if listed is None else [part for part in (listed.by, listed.take) if part]
    if any(not part.paths[0] for part in parts):
        return [_value(parts[0])]
    item: dict[str, Any] = {}
    for part in parts:
        _put(item, part.paths[0], _value(part))
    for key, wanted in listed.where.items() if listed else ():
        _put(item, key.split("."), min(wanted))
    return [item]


def _spoil(answer: dict[str, Any], draws: _Draws) -> None:
    if not answer:
        return
    key = draws.one_of(sorted(answer))
    inner = answer[key]
    if isinstance(inner, list) and inner and isinstance(inner[0], dict) and draws.below(2):
        answer[key] = [*inner, dict(inner[0]), draws.one_of(_STRANGE)]
        _spoil(answer[key][0], draws)
    elif isinstance(inner, dict) and draws.below(2):
        _spoil(inner, draws)
    elif draws.below(4) == 0:
        del answer[key]
    else:
        answer[key] = draws.one_of(_STRANGE)


def _wrapped(answer: dict[str, Any], rules: ToolRules, draws: _Draws) -> object:
    envelope = rules.envelope
    forms: tuple[object, ...] = (
        answer,
        answer,
        [answer],
        [answer, draws.one_of(_STRANGE), answer],
        {envelope.data: answer, envelope.code: draws.one_of(_STRANGE)},
        {envelope.data: draws.one_of(_STRANGE), envelope.code: 500},
        draws.one_of(_STRANGE),
    )
    return draws.one_of(forms)


def _encoded(answer: object, draws: _Draws) -> object:
    """As a value mostly, sometimes as text, as bytes, or as text that ends too early."""
    form = draws.below(8)
    if form > 2:
        return answer
    text = json.dumps(answer, default=str)
    if form == 0:
        return text
    return text.encode() if form == 1 else text[: draws.below(len(text) + 1)]
