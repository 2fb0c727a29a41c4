"""Rules as the parser uses them: checked, resolved, immutable. `schema` reads them from YAML."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from enum import StrEnum
from fractions import Fraction
from typing import Protocol

from pipeline.observation.bands import Band
from pipeline.observation.expression import Expression
from pipeline.observation.fragment import ValueType, Words, words_in
from pipeline.observation.inputs import Context
from pipeline.observation.reading import Reading
from pipeline.observation.times import TimeFormat
from pipeline.vocabulary import ErrorClass


class Strategy(StrEnum):
    """How a list becomes one value."""

    LATEST_BY_TIME = "latest_by_time"
    MAX = "max"
    MIN = "min"
    FIRST = "first"
    LAST = "last"
    COUNT = "count"
    SUM = "sum"
    FILTER = "filter"
    """The taken values of the items that match `where`, joined."""
    JOIN = "join"


@dataclass(frozen=True, slots=True)
class FactType:
    """One member of the closed list of what can be said."""

    name: str
    label: Words
    position: int
    """Order in prompts."""
    is_critical: bool = False
    critical_for: frozenset[str] = frozenset()
    shows_age: bool = True
    """Whether concise prompts state how old the fact is."""
    unit: Words = ()
    refers_to: str | None = None
    """The entity type whose id the value is: relates the two entities."""

    def is_critical_for(self, intent: str | None) -> bool:
        """Whether noise and templates must leave the type alone under this intent."""
        return self.is_critical or intent in self.critical_for


@dataclass(frozen=True, slots=True)
class EnumRule:
    """A dictionary: raw value to code, and code to display text."""

    codes: Mapping[str, str]
    """Raw text, synonyms included, to code."""
    words: Mapping[str, Words]
    fallback: Mapping[str, Words]
    """Approved words for raw values outside the dictionary."""
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field becomes one fact."""

    name: str
    paths: tuple[tuple[str, ...], ...]
    """Places to look, in order; the first that holds something counts."""
    fact_type: str
    value_type: ValueType
    confidence: float | None = None
    """The owner's word; None leaves it to the operation."""
    enum: EnumRule | None = None
    formats: tuple[TimeFormat, ...] = ()
    zone: tzinfo | None = None
    scale: Fraction | None = None
    true_values: frozenset[str] = frozenset()
    false_values: frozenset[str] = frozenset()
    bands: tuple[Band, ...] = ()
    list_rule: "ListRule | None" = None
    is_optional: bool = False
    is_sensitive: bool = False
    ages_from_event: bool = False
    event_time: tuple[str, ...] | None = None
    """Path, inside the same record, of the time at which the value held."""


@dataclass(frozen=True, slots=True)
class ListRule:
    """How a list field becomes one value."""

    strategy: Strategy
    by: FieldRule | None
    """What items are ordered by."""
    take: FieldRule | None
    """What an item gives; None takes the item itself or, for count, nothing."""
    where: Mapping[str, frozenset[str]]
    separator: str


@dataclass(frozen=True, slots=True)
class EntityRule:
    """How an output says what it is about."""

    type: str
    paths: tuple[tuple[str, ...], ...]
    context_keys: tuple[str, ...]
    """Context values to fall back to; the fragment records that it did."""
    is_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Envelope:
    """Where the payload lies inside an answer, and what a code beside it means.

    Source: S4 §3.3: `data` first, `code` only when data is empty, `msg` never.
    """

    data: str = "data"
    code: str = "code"
    ok_codes: frozenset[str] = frozenset({"0", "200"})
    error_classes: Mapping[str, ErrorClass] = field(default_factory=dict)
    is_declared: bool = False


@dataclass(frozen=True, slots=True)
class ParserPin:
    """The one code that may read on after a rule file."""

    version: str
    """`<name of the rule file>@<version>`."""
    sha256: str
    """Over the UTF-8 text of its module."""


@dataclass(frozen=True, slots=True)
class ToolRules:
    """One rule file of one tool."""

    name: str
    file: str
    tools: frozenset[str]
    """Names of tools whose outputs it reads."""
    label: Words
    version: str
    entity: EntityRule | None
    envelope: Envelope
    required_keys: frozenset[str]
    """Keys by which a bare body is recognised."""
    fields: tuple[FieldRule, ...]
    intents: Mapping[str, frozenset[str]]
    """Field names read under an intent; every field under any other."""
    empty_words: Words = ()
    """Why an empty answer is empty, said so that the model can act on it (S4 §5.2)."""
    empty_fact_type: str | None = None
    contracts: frozenset[str] = frozenset()
    """Contract versions whose outputs it reads; empty reads those that no other file claims."""
    parser: ParserPin | None = None
    """Code without which nothing is read; None reads with whatever code there is, or none."""

    def fields_for(self, intent: str | None) -> tuple[FieldRule, ...]:
        """The fields that matter for an intent, in file order."""
        wanted = self.intents.get(intent or "")
        if wanted is None:
            return self.fields
        return tuple(rule for rule in self.fields if rule.name in wanted)


@dataclass(frozen=True, slots=True)
class DerivedRule:
    """A fact by declared formula over present facts of one entity; never an imputation."""

    fact_type: str
    expression: Expression
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """Facts of one entity type shown with the entity they belong to."""

    type: str
    belongs_to: str
    context_key: str | None
    """The context value that names the related entity; None relates by facts only."""


class Parser(Protocol):
    """Code of a domain owner that reads on after the rules of one file; `str()` is its version."""

    @property
    def name(self) -> str:
        """`name` of the rule file."""
        ...

    @property
    def sha256(self) -> str | None:
        """Over the text of its module; None when it was not loaded from one."""
        ...

    def read(self, rule: FieldRule, raw: object, reading: Reading, context: Context) -> Reading:
        """What the code makes of a value that the rules read; never raises."""
        ...


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Everything the pipeline knows about one domain; immutable, with a version."""

    version: str
    sha256: str
    """Over the names and texts of its files."""
    fact_types: Mapping[str, FactType]
    tools: tuple[ToolRules, ...]
    derived: tuple[DerivedRule, ...] = ()
    relations: tuple[Relation, ...] = ()
    entity_labels: Mapping[str, Words] = field(default_factory=dict)
    parsers: tuple[Parser, ...] = ()
    """Code that reads on after the rules; of several for one rule file the last one counts."""
    sensitive_types: frozenset[str] = field(init=False, default=frozenset())
    """Entity types whose ids are shown as pseudonyms only."""

    def __post_init__(self) -> None:
        entities = (rules.entity for rules in self.tools if rules.entity is not None)
        found = frozenset(entity.type for entity in entities if entity.is_sensitive)
        object.__setattr__(self, "sensitive_types", found)

    def for_tool(self, name: str) -> tuple[ToolRules, ...]:
        """The rule files that know a tool, of every contract version; empty when none does."""
        return tuple(rules for rules in self.tools if name in rules.tools)

    def readers(self, tool: str, contract: str | None) -> tuple[ToolRules, ...]:
        """The rule files that read a tool's outputs under a contract version: one of each name."""
        return _of_contract(self.for_tool(tool), contract)

    def readers_of_bare(self) -> tuple[ToolRules, ...]:
        """The rule files to choose from when nobody says which tool answered."""
        return _of_contract(self.tools, None)

    def with_parsers(self, *parsers: Parser) -> "RuleSet":
        """The same rules with code that reads on; older versions stay beside newer ones."""
        kept = tuple(known for known in self.parsers if str(known) not in {str(p) for p in parsers})
        return replace(self, parsers=(*kept, *parsers))

    def parser_of(self, name: str) -> Parser | None:
        """The newest code for a rule file; None when the rules read alone."""
        return next((parser for parser in reversed(self.parsers) if parser.name == name), None)

    def lacks_parser(self, tool: ToolRules) -> bool:
        """Whether a rule file pins code that is not here, or is here with another content."""
        if tool.parser is None:
            return False
        found = self.parser_of(tool.name)
        return (found and (str(found), found.sha256)) != (tool.parser.version, tool.parser.sha256)

    def unpinned(self) -> "RuleSet":
        """The same rules, read with whatever code there is: for trials of code that is being written."""
        return replace(self, tools=tuple(replace(tool, parser=None) for tool in self.tools))

    def pinned_to(self, parser_version: str) -> "RuleSet":
        """The same rules with this version of the code only; none of it for rules alone."""
        return replace(self, parsers=tuple(p for p in self.parsers if str(p) == parser_version))

    def label(self, fact_type: str, language: str) -> str:
        """The display name of a fact type; its own name without one."""
        known = self.fact_types.get(fact_type)
        return (words_in(known.label, language) if known else None) or fact_type

    def tool_label(self, tool: str, language: str) -> str:
        """The display name of a tool; its own name without one."""
        for rules in self.for_tool(tool):
            return words_in(rules.label, language) or tool
        return tool

    def entity_label(self, entity_type: str, language: str) -> str:
        """The display name of an entity type; its own name without one."""
        return words_in(self.entity_labels.get(entity_type, ()), language) or entity_type

    def is_sensitive(self, entity_type: str) -> bool:
        """Whether ids of this entity type are shown as pseudonyms only."""
        return entity_type in self.sensitive_types


def _of_contract(files: Iterable[ToolRules], contract: str | None) -> tuple[ToolRules, ...]:
    """Of the files of each name the one that claims the contract, else the last that claims none.

    When every file of a name claims other contracts, its last one reads: better than not at all.
    """
    by_name: dict[str, list[ToolRules]] = {}
    for rules in files:
        by_name.setdefault(rules.name, []).append(rules)
    chosen = []
    for versions in by_name.values():
        claiming = [rules for rules in versions if contract in rules.contracts]
        open_ones = [rules for rules in versions if not rules.contracts]
        chosen.append((claiming or open_ones or versions)[-1])
    return tuple(chosen)
