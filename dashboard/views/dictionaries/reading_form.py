"""The form of how one field is read and what its fact is called: what differs from the file, as edits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from zoneinfo import available_timezones

import streamlit as st

from dashboard.i18n import t
from dashboard.views.dictionaries.edit import Edit, Place
from dashboard.views.dictionaries.keys_text import Block, Keys, Setting
from pipeline.observation import LANGUAGES
from pipeline.observation.fragment import words_in
from pipeline.observation.rules import FactType, Strategy

__all__ = ["Asked", "asked_edits"]

_TIMES: Final = frozenset({"date", "datetime"})
_FORMATS: Final = (
    "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d %b %Y", "%Y年%m月%d日",
    "%Y-%m-%d %H:%M:%S", "%Y/%m/%d %H:%M", "epoch_s", "epoch_ms",
)  # fmt: skip
"""Offered; ISO 8601 is always read, and any other can be written."""
_CHOOSE_BY: Final = frozenset({"latest_by_time", "max", "min"})
_TAKE_NOTHING: Final = frozenset({"count"})
_STRATEGIES: Final[Mapping[str, str]] = {
    Strategy.LATEST_BY_TIME: "dictionaries_strategy_latest",
    Strategy.MAX: "dictionaries_strategy_max",
    Strategy.MIN: "dictionaries_strategy_min",
    Strategy.FIRST: "dictionaries_strategy_first",
    Strategy.LAST: "dictionaries_strategy_last",
    Strategy.COUNT: "dictionaries_strategy_count",
    Strategy.SUM: "dictionaries_strategy_sum",
    Strategy.FILTER: "dictionaries_strategy_filter",
    Strategy.JOIN: "dictionaries_strategy_join",
}
_NAMES: Final = {
    "label": {"zh": "dictionaries_reading_label_zh", "en": "dictionaries_reading_label_en"},
    "unit": {"zh": "dictionaries_reading_unit_zh", "en": "dictionaries_reading_unit_en"},
}
_MAX_TEXT: Final = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form is about."""

    place: Place
    entry: Mapping[str, Any]
    """The field as it stands in the file."""
    fact: FactType
    names: Place | None
    """Where the fact's names stand; None where no file declares it."""
    paths: Sequence[str]
    """Where answers were seen to hold something."""
    key: str
    """Of the widgets; another one whenever the file's own word changes."""


def asked_edits(asked: Asked) -> list[tuple[Place, Edit]]:
    """Draw the form.

    Returns:
        What it says otherwise than the file, items of lists first; empty where nothing differs.
    """
    edits = [(asked.place, keys) for keys in _field(asked) if keys.settings]
    names = _names(asked)
    if asked.names is not None and names:
        edits.append((asked.names, Keys(names)))
    return list(edits)


def _field(asked: Asked) -> list[Keys]:
    entry, key = asked.entry, asked.key
    known = _many(entry.get("path")) or [str(entry["name"])]
    paths = _choices("dictionaries_reading_path", known, asked.paths, f"{key}_path")
    settings = _differing(entry, {"path": paths}, {"path": known})
    if entry["type"] == "list":
        return [*_list(entry, key), Keys(settings)]
    return [Keys(settings | _value(entry, str(entry["type"]), key))]


def _value(entry: Mapping[str, Any], kind: str, key: str) -> dict[str, Setting]:
    """How a single value is read: formats and zone of a time, the factor of a number."""
    if kind in _TIMES:
        known = _many(entry.get("formats"))
        formats = _choices("dictionaries_reading_formats", known, _FORMATS, f"{key}_formats")
        zone = _one(
            "dictionaries_reading_zone",
            entry.get("zone"),
            sorted(available_timezones()),
            f"{key}_zone",
            t("dictionaries_reading_none"),
        )
        return _differing(entry, {"formats": formats, "zone": zone}, {"formats": known})
    if kind == "number":
        return _differing(entry, {"scale": _scale(entry.get("scale"), key)})
    return {}


def _scale(known: float | None, key: str) -> float | None:
    found = st.number_input(
        t("dictionaries_reading_scale"),
        value=float(known or 1.0),
        format="%g",
        step=None,
        key=f"{key}_scale",
        help=t("dictionaries_reading_scale_help"),
    )
    return None if found == 1 and known is None else float(found)


def _items(entry: Mapping[str, Any], key: str) -> tuple[list[Keys], dict[str, Setting]]:
    """How the items of a list are read, and which of them count, each under its name."""
    found: list[Keys] = []
    known = entry.get("where") or {}
    where: dict[str, Setting] = {}
    kinds = {str(item["name"]): item for item in entry.get("item_schema") or ()}
    for name in dict.fromkeys([*kinds, *known]):
        with st.container(border=True, gap="small", key=f"{key}_item_{name}"):
            st.caption(t("dictionaries_reading_item"))
            st.text(name)
            if name in kinds:
                kind = str(kinds[name]["type"])
                found.append(Keys(_value(kinds[name], kind, f"{key}_{name}"), item=name))
            wanted = _many(known.get(name))
            values = _choices("dictionaries_reading_where", wanted, (), f"{key}_where_{name}")
        if values:
            where[name] = list(values)
    return found, where


def _list(entry: Mapping[str, Any], key: str) -> list[Keys]:
    """Which item of a list counts, and what it gives; how its items are read first."""
    strategies = [str(strategy) for strategy in Strategy]
    strategy = st.selectbox(
        t("dictionaries_reading_strategy"),
        strategies,
        strategies.index(str(entry["extract_strategy"])),
        key=f"{key}_strategy",
        format_func=lambda name: t(_STRATEGIES[name]),
    )
    names = [str(item["name"]) for item in entry.get("item_schema") or ()]
    settings: dict[str, Setting] = {"extract_strategy": strategy}
    first = t("dictionaries_reading_auto")
    if names and strategy in _CHOOSE_BY:
        settings["by"] = _one("dictionaries_reading_by", entry.get("by"), names, f"{key}_by", first)
    if names and strategy not in _TAKE_NOTHING:
        settings["take"] = _one(
            "dictionaries_reading_take", entry.get("take"), names, f"{key}_take", first
        )
    items, where = _items(entry, key)
    known: dict[str, Setting] = {
        name: _many(values) for name, values in (entry.get("where") or {}).items()
    }
    return [*items, Keys(_differing(entry, settings | {"where": where}, {"where": known}))]


def _names(asked: Asked) -> dict[str, Setting]:
    """Label and unit of the fact in every language of prompts."""
    if asked.names is None:
        return {}
    named: dict[str, Setting] = {}
    for part, words in (("label", asked.fact.label), ("unit", asked.fact.unit)):
        known = {lang: words_in(words, lang) or "" for lang in LANGUAGES}
        columns = st.columns(len(LANGUAGES), gap="small")
        said = {
            lang: column.text_input(
                t(_NAMES[part][lang]),
                known[lang],
                max_chars=_MAX_TEXT,
                key=f"{asked.key}_{part}_{lang}",
            ).strip()
            for lang, column in zip(LANGUAGES, columns, strict=True)
        }
        if said != known:
            named[part] = {lang: text for lang, text in said.items() if text} or None
    return named


def _differing(
    entry: Mapping[str, Any],
    settings: Mapping[str, Setting],
    known: Mapping[str, Setting] | None = None,
) -> dict[str, Setting]:
    """The settings that say otherwise than the file, in which one value may stand without brackets."""
    now = dict(entry) | dict(known or {})
    return {key: value for key, value in settings.items() if value != now.get(key)}


def _choices(label: str, known: Sequence[str], offered: Sequence[str], key: str) -> list[str]:
    """Several texts in an order; others than those offered can be written."""
    options = list(dict.fromkeys([*known, *offered]))
    found = st.multiselect(t(label), options, list(known), key=key, accept_new_options=True)
    return [str(item).strip() for item in found if str(item).strip()]


def _one(
    label: str, known: str | None, offered: Sequence[str], key: str, without: str
) -> str | None:
    """One of several, or none, and what that means."""
    options = list(dict.fromkeys([*([known] if known else ()), *offered]))
    found = st.selectbox(
        t(label),
        options,
        None if known is None else options.index(known),
        key=key,
        placeholder=without,
    )
    return None if found is None else str(found)


def _many(value: Any) -> list[str]:
    """A text or a list of texts as a list, as the rules take both."""
    if value is None:
        return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def names_place(texts: Mapping[str, Mapping[str, Any]], fact_type: str) -> Place | None:
    """Where a fact type is declared, by the files as plain values; None where none declares it."""
    for file, data in texts.items():
        if isinstance((data.get(Block.FACT_TYPE.value) or {}).get(fact_type), dict):
            return Place(file, fact_type, Block.FACT_TYPE)
    return None
