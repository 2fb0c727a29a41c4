"""What the forms did, as JSON values: kept with a draft, to be done again on another base."""

from collections.abc import Iterable, Mapping
from typing import Any

from dashboard.views.dictionaries.bands_text import Threshold
from dashboard.views.dictionaries.edit import Edit, Place
from dashboard.views.dictionaries.keys_text import Block, Keys
from dashboard.views.dictionaries.yaml_text import Meaning, Synonym

Made = tuple[Place, Edit]


def edits_to_json(edits: Iterable[Made], written: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The entries in order, one object each; then the files that were written as text."""
    made = [_to_json(place, edit) for place, edit in edits]
    return [*made, *({"written": file} for file in sorted(written))]


def edits_from_json(values: Iterable[Mapping[str, Any]]) -> tuple[Made, ...]:
    """The entries again; what another release wrote and this one does not know is left out."""
    found = []
    for value in values:
        edit = _edit(value)
        if edit is not None:
            block = Block(value.get("block", Block.FIELD))
            found.append((Place(value["file"], value["field"], block), edit))
    return tuple(found)


def written_from_json(values: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The files that were written as text."""
    return frozenset(str(value["written"]) for value in values if "written" in value)


def _to_json(place: Place, edit: Edit) -> dict[str, Any]:
    at = {"file": place.file, "field": place.field, "block": place.block.value}
    match edit:
        case Meaning(raw, words):
            return at | {"raw": raw, "words": dict(words)}
        case Synonym(raw, code):
            return at | {"raw": raw, "code": code}
        case Threshold(index, number):
            return at | {"threshold": index, "value": number}
        case Keys(settings, item):
            return at | {"keys": dict(settings), "item": item}


def _edit(value: Mapping[str, Any]) -> Edit | None:
    if "words" in value:
        return Meaning(value["raw"], dict(value["words"]))
    if "code" in value:
        return Synonym(value["raw"], value["code"])
    if "threshold" in value:
        return Threshold(int(value["threshold"]), str(value["value"]))
    if "keys" in value:
        return Keys(dict(value["keys"]), value.get("item"))
    return None
