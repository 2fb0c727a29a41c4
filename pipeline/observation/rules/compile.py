"""From rule files as written to rules as used: names resolved, dictionaries and bounds checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.observation.errors import RuleFileError
from pipeline.observation.fragment import TOOL_RESULT, FragmentKind
from pipeline.observation.rules.fields import compile_fields
from pipeline.observation.rules.model import (
    EntityRule,
    Envelope,
    FactType,
    ParserPin,
    ToolRules,
)
from pipeline.observation.rules.parts import FieldPlace, dotted, words_of
from pipeline.observation.rules.schema import (
    EntitySpec,
    EnvelopeSpec,
    FactTypeSpec,
    ToolFile,
)

RESERVED: Final = frozenset({TOOL_RESULT, *FragmentKind, "CONFLICT"})
"""Names that no fact type may have."""


@dataclass(slots=True)
class TypeTable:
    """The closed list of fact types while it is being read."""

    types: dict[str, FactType]
    aliases: dict[str, str]

    def declare(self, file: str, specs: Mapping[str, FactTypeSpec]) -> None:
        """Add declared types.

        Raises:
            RuleFileError: A name is reserved or declared twice.
        """
        for name, spec in specs.items():
            path = f"fact_types.{name}"
            if name in RESERVED:
                raise RuleFileError(file, path, f"{name} is reserved")
            if name in self.types:
                raise RuleFileError(file, path, f"{name} is declared twice")
            self.types[name] = _fact_type(name, spec, len(self.types))
            self.aliases |= dict.fromkeys(spec.aliases, name)

    def resolve(self, place: FieldPlace, written: str | None) -> str:
        """The fact type of a field: as written, else by alias, else its own name in capitals.

        Raises:
            RuleFileError: The written name is not declared.
        """
        if written is not None:
            self.require(place.file, f"{place.path}.fact_type", written)
            return written
        for alias in (f"{place.tool}.{place.name}", place.name):
            if alias in self.aliases:
                return self.aliases[alias]
        return self._default(place)

    def require(self, file: str, path: str, name: str) -> None:
        """Check that a type is declared.

        Raises:
            RuleFileError: It is not; the error lists those that are.
        """
        if name not in self.types:
            raise RuleFileError(file, path, f"{name} is no fact type", sorted(self.types))

    def _default(self, place: FieldPlace) -> str:
        kept = [char if char.isascii() and char.isalnum() else "_" for char in place.name.upper()]
        name = "".join(kept)
        if not name[0].isalpha() or name in RESERVED:
            raise RuleFileError(
                place.file, place.path, f"{place.name!r} names no fact type", ["fact_type: NAME"]
            )
        if name not in self.types:
            self.types[name] = _fact_type(name, FactTypeSpec(), len(self.types))
        return name


def compile_tool(file: str, spec: ToolFile, table: TypeTable) -> ToolRules:
    """One tool's rules.

    Raises:
        RuleFileError: A name, dictionary, list or bound in it makes no sense.
    """
    fields = compile_fields(file, spec, table)
    names = {rule.name for rule in fields}
    for intent, wanted in spec.intents.items():
        for index, name in enumerate(wanted):
            if name not in names:
                path = f"intents.{intent}[{index}]"
                raise RuleFileError(file, path, f"{name} is no field", sorted(names))
    if spec.empty is not None and spec.empty.fact_type is not None:
        table.require(file, "empty.fact_type", spec.empty.fact_type)
    entity = _entity(spec)
    return ToolRules(
        name=spec.name,
        file=file,
        tools=frozenset([spec.name, *spec.tools]),
        label=words_of(spec.label),
        version=spec.version,
        entity=entity,
        envelope=_envelope(spec.envelope),
        required_keys=frozenset(spec.required_keys) or _required_keys(entity),
        fields=fields,
        intents={intent: frozenset(wanted) for intent, wanted in spec.intents.items()},
        empty_words=words_of(spec.empty.reason) if spec.empty else (),
        empty_fact_type=spec.empty.fact_type if spec.empty else None,
        contracts=frozenset(spec.contracts),
        parser=_pin(spec),
    )


def _fact_type(name: str, spec: FactTypeSpec, position: int) -> FactType:
    return FactType(
        name=name,
        label=words_of(spec.label),
        position=position,
        is_critical=spec.critical,
        critical_for=frozenset(spec.critical_for),
        shows_age=spec.shows_age,
        unit=words_of(spec.unit),
        refers_to=spec.refers_to,
    )


def _pin(spec: ToolFile) -> ParserPin | None:
    if spec.parser is None:
        return None
    return ParserPin(f"{spec.name}@{spec.parser.version}", spec.parser.sha256)


def _entity(spec: ToolFile) -> EntityRule | None:
    """The declared entity, else the one required input that is an id (`order_id`)."""
    if spec.entity is None:
        ids = [i.name for i in spec.input_schema if i.required and i.name.endswith("_id")]
        if len(ids) != 1:
            return None
        spec_entity = EntitySpec(type=ids[0].removesuffix("_id"), id=[ids[0]])
    else:
        spec_entity = spec.entity
    kind = spec_entity.type
    return EntityRule(
        type=kind,
        paths=tuple(dotted(path) for path in spec_entity.id),
        context_keys=tuple(spec_entity.context) or (f"target_{kind}_id", f"{kind}_id"),
        is_sensitive=spec_entity.sensitive,
    )


def _envelope(spec: EnvelopeSpec | None) -> Envelope:
    if spec is None:
        return Envelope()
    return Envelope(
        spec.data, spec.code, frozenset(spec.ok_codes), spec.error_classes, is_declared=True
    )


def _required_keys(entity: EntityRule | None) -> frozenset[str]:
    return frozenset() if entity is None else frozenset([entity.paths[0][0]])
