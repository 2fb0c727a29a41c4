"""One entry of a dictionary changed in its YAML text; everything else stays as it was written.

The text is spliced at the places that the YAML parser reports, so comments, order and layout stay.
Whatever comes out is loaded and compared with what was meant before anybody gets it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from dashboard.errors import DictionaryEditError
from dashboard.views.dictionaries.yaml_text import Meaning, Synonym, edited_text
from pipeline.observation import RuleSet, load_rules

_DRAFT: Final = "draft"


@dataclass(frozen=True, slots=True)
class Place:
    """One enum field of one rule file."""

    file: str
    field: str


Edit = Meaning | Synonym
"""One entry of a dictionary."""


def edited(texts: Mapping[str, str], place: Place, edit: Edit) -> dict[str, str]:
    """The files with one entry of one dictionary changed.

    Args:
        texts: All rule files, YAML text by name.
        place: Which dictionary.
        edit: What to change; a raw value that is there already gets the new words or code.

    Returns:
        The same files; only the one named by `place` differs, and only in that entry.

    Raises:
        RuleFileError: The files cannot be used, before or after; names file, path and problem.
        DictionaryEditError: There is no such dictionary, or its layout cannot be edited in place.
    """
    before = load_rules(texts, _DRAFT)
    wanted = _with_edit(before, place, edit)
    changed = {**texts, place.file: edited_text(texts[place.file], place.field, edit)}
    after = load_rules(changed, _DRAFT)
    # Formulas are not comparable; they stand in files that did not change.
    if replace(after, sha256=before.sha256, derived=before.derived) != wanted:
        raise DictionaryEditError(
            f"{place.file}: {place.field}: {edit.raw!r} cannot be entered in place; "
            "change the file as YAML"
        )
    return changed


def _with_edit(rules: RuleSet, place: Place, edit: Edit) -> RuleSet:
    """The rule set as the edit means it."""
    tools = []
    is_found = False
    for tool in rules.tools:
        fields = list(tool.fields)
        for index, rule in enumerate(fields):
            if tool.file == place.file and rule.name == place.field and rule.enum is not None:
                is_found = True
                key = edit.raw.casefold() if rule.enum.ignores_case else edit.raw
                words = dict(rule.enum.words)
                if isinstance(edit, Meaning):
                    words[edit.raw] = tuple(sorted(edit.words.items()))
                code = edit.raw if isinstance(edit, Meaning) else edit.code
                enum = replace(rule.enum, codes={**rule.enum.codes, key: code}, words=words)
                fields[index] = replace(rule, enum=enum)
        tools.append(replace(tool, fields=tuple(fields)))
    if not is_found:
        raise DictionaryEditError(
            f"{place.file}: {place.field}: there is no such dictionary; choose another field"
        )
    return replace(rules, tools=tuple(tools))
