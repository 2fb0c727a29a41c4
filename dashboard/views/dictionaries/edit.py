"""One entry of a rule file changed in its YAML text; everything else stays as it was written.

The text is spliced at the places that the YAML parser reports, so comments, order and layout stay.
Whatever comes out is loaded and compared with what was meant before anybody gets it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from dashboard.errors import DictionaryEditError
from dashboard.views.dictionaries.bands_text import Threshold, threshold_text
from dashboard.views.dictionaries.keys_text import Block, Keys, keys_text, with_keys
from dashboard.views.dictionaries.yaml_text import Meaning, Synonym, edited_text
from pipeline.observation import RuleSet, load_rules
from pipeline.observation.bands import Band
from pipeline.observation.rules import FieldRule
from pipeline.observation.rules.yaml_text import read_yaml

_DRAFT: Final = "draft"


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of one rule file: a field, a derived fact, or what a fact is called."""

    file: str
    field: str
    """Its name; that of the fact type where it is no field."""
    block: Block = Block.FIELD


Edit = Meaning | Synonym | Threshold | Keys
"""One entry of a dictionary, one threshold, or some keys of an entry."""


_Spliced = Meaning | Synonym | Threshold
"""Edits that are compared as rules: what they mean does not depend on the file's layout."""


def edited(texts: Mapping[str, str], place: Place, edit: Edit) -> dict[str, str]:
    """The files with one entry changed.

    Args:
        texts: All rule files, YAML text by name.
        place: Which dictionary, thresholds, or other entry.
        edit: What to change; a raw value that is there already gets the new words or code.

    Returns:
        The same files; only the one named by `place` differs, and only in that entry.

    Raises:
        RuleFileError: The files cannot be used, before or after; names file, path and problem.
        DictionaryEditError: There is no such place, or its layout cannot be edited in place.
    """
    if isinstance(edit, Keys):
        return _with_keys(texts, place, edit)
    before = load_rules(texts, _DRAFT)
    wanted = _with_edit(before, place, edit)
    changed = {**texts, place.file: _edited_text(texts[place.file], place, edit)}
    after = load_rules(changed, _DRAFT)
    if _comparable(after) != _comparable(wanted):
        what = repr(edit.value if isinstance(edit, Threshold) else edit.raw)
        raise DictionaryEditError(
            f"{place.file}: {place.field}: {what} cannot be entered in place; "
            "change the file as YAML"
        )
    return changed


def _with_keys(texts: Mapping[str, str], place: Place, edit: Keys) -> dict[str, str]:
    """The files with some keys of one entry set, whatever the file's layout; compared as values."""
    if place.file not in texts:
        raise _nowhere(place)
    before = read_yaml(place.file, texts[place.file])
    wanted = with_keys(before, place.block, place.field, edit)
    if wanted is None:
        raise _nowhere(place)
    changed = {**texts, place.file: keys_text(texts[place.file], place.block, place.field, edit)}
    load_rules(changed, _DRAFT)
    if read_yaml(place.file, changed[place.file]) != wanted:
        raise DictionaryEditError(
            f"{place.file}: {place.field}: {', '.join(edit.settings)} cannot be entered in place; "
            "change the file as YAML"
        )
    return changed


def _edited_text(text: str, place: Place, edit: _Spliced) -> str:
    if isinstance(edit, Threshold):
        is_derived = place.block is Block.DERIVED
        return threshold_text(text, place.field, edit, is_derived=is_derived)
    return edited_text(text, place.field, edit)


def _comparable(rules: RuleSet) -> object:
    """All that a rule set says; a formula by its text."""
    derived = [(rule.fact_type, rule.expression.text, rule.bands) for rule in rules.derived]
    return replace(rules, sha256="", derived=()), derived


def _with_edit(rules: RuleSet, place: Place, edit: _Spliced) -> RuleSet:
    """The rule set as the edit means it."""
    if place.block is Block.DERIVED:
        return _with_derived(rules, place, edit)
    tools = []
    is_found = False
    for tool in rules.tools:
        fields = list(tool.fields)
        for index, rule in enumerate(fields):
            if tool.file == place.file and rule.name == place.field and _takes(rule, edit):
                is_found = True
                fields[index] = _field_with(rule, edit)
        tools.append(replace(tool, fields=tuple(fields)))
    if not is_found:
        raise _nowhere(place)
    return replace(rules, tools=tuple(tools))


def _with_derived(rules: RuleSet, place: Place, edit: _Spliced) -> RuleSet:
    derived = list(rules.derived)
    for index, rule in enumerate(derived):
        if rule.fact_type == place.field and isinstance(edit, Threshold):
            derived[index] = replace(rule, bands=moved_bands(rule.bands, edit))
            return replace(rules, derived=tuple(derived))
    raise _nowhere(place)


def moved_bands(bands: tuple[Band, ...], edit: Threshold) -> tuple[Band, ...]:
    """The intervals with one threshold moved.

    Raises:
        DictionaryEditError: There is no such threshold, or it is no number.
    """
    found = list(bands)
    if edit.index + 1 >= len(found):
        raise DictionaryEditError(
            f"threshold {edit.index + 1}: there are {max(len(found) - 1, 0)}; choose one of them"
        )
    try:
        value = Fraction(edit.value)
    except (ValueError, ZeroDivisionError) as error:
        raise DictionaryEditError(
            f"threshold: {edit.value!r}: expected a number, such as 0.8"
        ) from error
    found[edit.index] = replace(found[edit.index], high=value)
    found[edit.index + 1] = replace(found[edit.index + 1], low=value)
    return tuple(found)


def _takes(rule: FieldRule, edit: _Spliced) -> bool:
    return bool(rule.bands) if isinstance(edit, Threshold) else rule.enum is not None


def _field_with(rule: FieldRule, edit: _Spliced) -> FieldRule:
    if isinstance(edit, Threshold):
        return replace(rule, bands=moved_bands(rule.bands, edit))
    assert rule.enum is not None  # noqa: S101  # only such a field takes the edit
    key = edit.raw.casefold() if rule.enum.ignores_case else edit.raw
    words = dict(rule.enum.words)
    if isinstance(edit, Meaning):
        words[edit.raw] = tuple(sorted(edit.words.items()))
    code = edit.raw if isinstance(edit, Meaning) else edit.code
    return replace(rule, enum=replace(rule.enum, codes={**rule.enum.codes, key: code}, words=words))


def _nowhere(place: Place) -> DictionaryEditError:
    return DictionaryEditError(
        f"{place.file}: {place.field}: there is no such entry to change; choose another field"
    )
