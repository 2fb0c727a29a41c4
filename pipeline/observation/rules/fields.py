"""Field rules: dictionaries, formats and list strategies, checked while they are read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pipeline.observation.errors import RuleFileError
from pipeline.observation.expression import exact
from pipeline.observation.fragment import ValueType
from pipeline.observation.rules.model import EnumRule, FieldRule, ListRule, Strategy
from pipeline.observation.rules.parts import FieldPlace, compile_bands, dotted, words_of
from pipeline.observation.rules.schema import ItemSpec, OutputSpec, ToolFile, ValueSpec
from pipeline.observation.times import ALLOWED_FORMATS, TimeFormat, compile_format

if TYPE_CHECKING:
    from datetime import tzinfo

_ORDERED: Final = frozenset({ValueType.NUMBER, ValueType.DATE, ValueType.DATETIME})


class FactTypes(Protocol):
    """What names fact types."""

    def resolve(self, place: FieldPlace, written: str | None) -> str:
        """The fact type of a field."""
        ...


def compile_fields(file: str, spec: ToolFile, types: FactTypes) -> tuple[FieldRule, ...]:
    """All fields of one rule file.

    Raises:
        RuleFileError: A field makes no sense, or two have one name.
    """
    fields: list[FieldRule] = []
    for index, output in enumerate(spec.output_schema):
        place = FieldPlace(file, spec.name, f"output_schema[{index}]", output.name)
        if any(output.name == known.name for known in fields):
            raise RuleFileError(file, f"{place.path}.name", f"{output.name} stands twice")
        fields.append(_field(place, output, types))
    return tuple(fields)


def _field(place: FieldPlace, spec: OutputSpec, types: FactTypes) -> FieldRule:
    fact_type = types.resolve(place, spec.fact_type)
    if spec.bands and spec.type != "number":
        raise RuleFileError(place.file, f"{place.path}.bands", "only numbers have them", ["number"])
    rule = _list_field(place, spec) if spec.type == "list" else _scalar(place, spec, spec.type)
    bands = compile_bands(place.file, f"{place.path}.bands", spec.bands)
    return replace(
        rule,
        name=spec.name,
        paths=tuple(dotted(path) for path in (spec.path or [spec.name])),
        fact_type=fact_type,
        value_type=ValueType.ENUM if bands else rule.value_type,
        confidence=spec.confidence,
        bands=bands,
        is_optional=spec.type == "list" if spec.optional is None else spec.optional,
        is_sensitive=spec.sensitive,
        ages_from_event=spec.age_from == "event",
        event_time=dotted(spec.event_time) if spec.event_time else None,
    )


def _scalar(place: FieldPlace, spec: ValueSpec, type_name: str) -> FieldRule:
    return FieldRule(
        name=place.name,
        paths=(),
        fact_type="",
        value_type=ValueType(type_name),
        enum=_enum(place, spec) if type_name == "enum" else None,
        formats=_formats(place, spec.formats),
        zone=_zone(place, spec.zone),
        scale=None if spec.scale is None else exact(spec.scale),
        true_values=frozenset(spec.true_values),
        false_values=frozenset(spec.false_values),
    )


def _enum(place: FieldPlace, spec: ValueSpec) -> EnumRule:
    values = spec.values if spec.values is not None else list(spec.mapping)
    if not values:
        allowed = ["values: [...]", "mapping: {...}"]
        raise RuleFileError(place.file, place.path, "an enum without values", allowed)
    for code in spec.mapping:
        if code not in values:
            path = f"{place.path}.mapping.{code}"
            raise RuleFileError(place.file, path, f"{code} is not among the values", values)
    for raw, code in spec.synonyms.items():
        if code not in values:
            path = f"{place.path}.synonyms.{raw}"
            raise RuleFileError(place.file, path, f"{code} is not among the values", values)
    fold = str.casefold if spec.ignore_case else str
    codes = {fold(raw): code for raw, code in spec.synonyms.items()}
    codes |= {fold(code): code for code in values}
    return EnumRule(
        codes=codes,
        words={code: words_of(text) for code, text in spec.mapping.items()},
        fallback={fold(raw): words_of(text) for raw, text in spec.fallback_mapping.items()},
        ignores_case=spec.ignore_case,
    )


def _formats(place: FieldPlace, texts: Sequence[str]) -> tuple[TimeFormat, ...]:
    formats = []
    for index, text in enumerate(texts):
        if text == "iso":
            continue
        try:
            formats.append(compile_format(text))
        except ValueError as error:
            path = f"{place.path}.formats[{index}]"
            raise RuleFileError(place.file, path, str(error), ALLOWED_FORMATS) from error
    return tuple(formats)


def _zone(place: FieldPlace, name: str | None) -> "tzinfo | None":
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        path = f"{place.path}.zone"
        allowed = ["UTC", "Asia/Shanghai", "other IANA names"]
        raise RuleFileError(place.file, path, f"{name!r} is no time zone", allowed) from error


def _list_field(place: FieldPlace, spec: OutputSpec) -> FieldRule:
    if spec.extract_strategy is None:
        path = f"{place.path}.extract_strategy"
        raise RuleFileError(place.file, path, "a list needs one", list(Strategy))
    strategy = Strategy(spec.extract_strategy)
    items = _items(place, spec)
    by = _ordering(place, spec, strategy, items)
    take = _taken(place, spec, by, items)
    value_type = ValueType.STRING if take is None else take.value_type
    if strategy in (Strategy.COUNT, Strategy.SUM):
        value_type = ValueType.NUMBER
    elif strategy in (Strategy.JOIN, Strategy.FILTER):
        value_type = ValueType.STRING
    if strategy is Strategy.SUM and (take is None or take.value_type is not ValueType.NUMBER):
        raise RuleFileError(place.file, f"{place.path}.take", "a sum takes numbers", ["number"])
    where = {key: frozenset(values) for key, values in spec.where.items()}
    rule = ListRule(strategy, by, take, where, spec.separator)
    return replace(_scalar(place, spec, "string"), value_type=value_type, list_rule=rule)


def _items(place: FieldPlace, spec: OutputSpec) -> dict[str, FieldRule]:
    items = {}
    for index, item in enumerate(spec.item_schema or []):
        inner = replace(place, path=f"{place.path}.item_schema[{index}]", name=item.name)
        items[item.name] = _item(inner, item)
    return items


def _item(place: FieldPlace, spec: ItemSpec) -> FieldRule:
    paths = tuple(dotted(path) for path in (spec.path or [spec.name]))
    return replace(_scalar(place, spec, spec.type), paths=paths)


def _ordering(
    place: FieldPlace, spec: OutputSpec, strategy: Strategy, items: dict[str, FieldRule]
) -> FieldRule | None:
    """What orders the items: as written, else the first time (latest) or ordered item."""
    if spec.by is not None:
        return _named(place, "by", spec.by, items)
    if strategy is Strategy.LATEST_BY_TIME:
        kinds = frozenset({ValueType.DATE, ValueType.DATETIME})
    elif strategy in (Strategy.MAX, Strategy.MIN):
        kinds = _ORDERED
    else:
        return None
    found = next((item for item in items.values() if item.value_type in kinds), None)
    if found is None and items:
        path = f"{place.path}.item_schema"
        raise RuleFileError(place.file, path, f"{strategy} needs an item of type", sorted(kinds))
    return found if found is not None else _itself(place, spec)


def _taken(
    place: FieldPlace, spec: OutputSpec, by: FieldRule | None, items: dict[str, FieldRule]
) -> FieldRule | None:
    """What an item gives: as written, else the first item that is not the order, else the order."""
    if spec.take is not None:
        return _named(place, "take", spec.take, items)
    if not items:
        return _itself(place, spec)
    if spec.extract_strategy in ("max", "min"):
        return by
    return next((item for item in items.values() if item is not by), by)


def _named(place: FieldPlace, key: str, name: str, items: dict[str, FieldRule]) -> FieldRule:
    if name not in items:
        path = f"{place.path}.{key}"
        raise RuleFileError(place.file, path, f"{name} is not in item_schema", sorted(items))
    return items[name]


def _itself(place: FieldPlace, spec: OutputSpec) -> FieldRule:
    return replace(_scalar(place, spec, spec.item_type or "string"), paths=((),))
