"""Which dictionary a recorded value belongs to, whether it knows it, and what it might mean."""

import difflib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dashboard.views.dictionaries.edit import Place
from pipeline.observation import RuleSet
from pipeline.observation.rules import EnumRule, FieldRule, ToolRules

_CUT: Final = "…"
_LIKENESS: Final = 0.8
"""How alike two words must be to be suggested, in [0, 1]; `shiped` and `shipped` are 0.92,
`refunding` and `pending` 0.75."""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """One enum field and where it is written."""

    place: Place
    tool: ToolRules
    rule: FieldRule
    enum: EnumRule

    def knows(self, raw: str) -> bool:
        """Whether a raw value has a code or an approved fallback."""
        key = self._folded(raw)
        return key in self.enum.codes or key in self.enum.fallback

    def meaning_of(self, raw: str) -> str:
        """The code that a value is read as; the value itself where only a fallback knows it."""
        return self.enum.codes.get(self._folded(raw), raw)

    @property
    def codes(self) -> tuple[str, ...]:
        """What raw values are read as, in the order of the file."""
        own = [code for raw, code in self.enum.codes.items() if raw == self._folded(code)]
        return tuple(dict.fromkeys(own))

    def synonyms_of(self, code: str) -> tuple[str, ...]:
        """Other raw values that are read as this code."""
        own = self._folded(code)
        return tuple(raw for raw, known in self.enum.codes.items() if known == code and raw != own)

    def _folded(self, text: str) -> str:
        return text.casefold() if self.enum.ignores_case else text


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a raw value might mean."""

    code: str | None
    """A code of the same dictionary that is written alike; None without one."""
    is_same_word: bool
    """Whether only case, width, or dashes differ from that code."""
    words: Mapping[str, str]
    """Words that another dictionary, or another version, has for the value; empty without any."""
    version: str | None = None
    """The other version in which the value had a meaning; None where none of them knew it."""


def dictionaries(rules: RuleSet) -> tuple[Dictionary, ...]:
    """Every dictionary of a rule set, in the order of its files."""
    return tuple(
        Dictionary(Place(tool.file, rule.name), tool, rule, rule.enum)
        for tool in rules.tools
        for rule in tool.fields
        if rule.enum is not None
    )


def dictionary_of(rules: RuleSet, tool_name: str, fact_type: str) -> Dictionary | None:
    """The dictionary that reads a tool's values of one fact type; None when none does."""
    return next(
        (
            found
            for found in dictionaries(rules)
            if tool_name in found.tool.tools and found.rule.fact_type == fact_type
        ),
        None,
    )


def raw_value(raw: str | None) -> str | None:
    """The text that a dictionary looks up, of the JSON text that a fact keeps.

    Returns:
        None for lists, objects, null, numbers with a fraction, and what was cut or masked: no
        dictionary can hold them.
    """
    if raw is None or raw.endswith(_CUT):
        return None
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return value or None if isinstance(value, str) else None


def suggestion(
    rules: RuleSet, found: Dictionary, raw: str, others: Mapping[str, RuleSet] | None = None
) -> Suggestion:
    """What a raw value might mean: by its spelling, and by what others say.

    Args:
        rules: In which the dictionary is.
        found: The dictionary.
        raw: The value.
        others: Other versions by name, the newest first: one of them may have known the value.
    """
    folded = {_folded(code): code for code in found.codes}
    same = folded.get(_folded(raw))
    near = difflib.get_close_matches(_folded(raw), folded, n=1, cutoff=_LIKENESS)
    code = same or (folded[near[0]] if near else None)
    words = _words_elsewhere(rules, found, raw)
    for version, other in (others or {}).items():
        again = next((d for d in dictionaries(other) if d.place == found.place), None)
        if again is None or not again.knows(raw):
            continue
        known = again.meaning_of(raw)
        is_here = known in found.codes and known != raw
        return Suggestion(
            known if is_here else code, is_here, dict(again.enum.words.get(known, words)), version
        )
    return Suggestion(code, same is not None, words)


def _words_elsewhere(rules: RuleSet, found: Dictionary, raw: str) -> dict[str, str]:
    for other in dictionaries(rules):
        if other.place != found.place and raw in other.enum.words:
            return dict(other.enum.words[raw])
    return {}


def _folded(text: str) -> str:
    kept = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in kept if char.isalnum())
