"""One piece of evidence: what one field of one tool output says about one entity."""

import hashlib
import json
import math
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

Value: TypeAlias = str | int | float | bool | date | datetime | None
Words: TypeAlias = tuple[tuple[str, str], ...]
"""Display text by language, sorted; the language `""` stands for any."""

ANY_LANGUAGE: Final = ""
TOOL_RESULT: Final = "TOOL_RESULT"
"""The reserved type of facts about an answer as a whole: failed, empty, not readable."""


_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
_quoted: Final = json.encoder.encode_basestring_ascii
_BOOLEANS: Final = {False: "false", True: "true"}


class FragmentKind(StrEnum):
    """What a piece of evidence amounts to."""

    FACT = "FACT"
    UNKNOWN = "UNKNOWN"
    """Read, but the dictionary has no meaning for it; the raw value is kept."""
    UNPARSED = "UNPARSED"
    """Not readable as the declared type."""
    EMPTY = "EMPTY"
    """The tool answered that there is nothing; not an error."""
    FAILED = "FAILED"
    """The call failed; `value` is an `ErrorClass`."""
    DEGRADED = "DEGRADED"
    """A value that a fallback answered with; never an ordinary fact."""
    DERIVED = "DERIVED"
    """Computed by a declared formula from facts that are present."""


VALUED: Final = frozenset({FragmentKind.FACT, FragmentKind.DERIVED, FragmentKind.DEGRADED})
"""Kinds whose `value` speaks about the entity."""


class ConfidenceOrigin(StrEnum):
    """Where a confidence comes from.

    A confidence is a weight for the reader, never an accuracy. Source: S0 §5.2; evaluation
    practice for UNMAPPED, FALLBACK, UNPARSED and DERIVED.
    """

    DECLARED = "declared"
    """Written in the rule file: the owner's word stands."""
    CONTEXT = "context"
    GET = "get"
    CONVERSION = "conversion"
    """Parsed or mapped."""
    AGGREGATE = "aggregate"
    """Chosen or computed from a list."""
    FALLBACK = "fallback"
    """Mapped by an approved fallback."""
    UNMAPPED = "unmapped"
    UNPARSED = "unparsed"
    DERIVED = "derived"
    """The smallest confidence of the inputs times 0.95."""
    STATED = "stated"
    """A statement about the answer itself: failed or empty."""
    NOISE = "noise"
    """Lowered by controlled noise."""


CONFIDENCE: Final = {
    ConfidenceOrigin.CONTEXT: 0.99,
    ConfidenceOrigin.GET: 0.95,
    ConfidenceOrigin.CONVERSION: 0.90,
    ConfidenceOrigin.AGGREGATE: 0.85,
    ConfidenceOrigin.FALLBACK: 0.7,
    ConfidenceOrigin.UNMAPPED: 0.3,
    ConfidenceOrigin.UNPARSED: 0.1,
    ConfidenceOrigin.STATED: 0.95,
}
"""What each operation is worth where the rule file is silent. Source: S0 §5.2, §5.1, §4.2."""


class ValueType(StrEnum):
    """How a value may be read, shown and disturbed."""

    ENUM = "enum"
    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"


class EntityRef(NamedTuple):
    """What a fact is about, such as `("order", "12345")`."""

    type: str
    id: str

    def __str__(self) -> str:
        return f"{self.type}:{self.id}"


@dataclass(frozen=True, slots=True)
class SemanticFragment:
    """One piece of evidence; immutable, comparable, with a stable id."""

    type: str
    """One of the rule set's closed list of fact types, or `TOOL_RESULT`."""
    kind: FragmentKind
    value: Value
    """Typed; None for UNKNOWN and UNPARSED. Enums hold their code, `words` their display text."""
    confidence: float
    """In [0, 1), never 1."""
    confidence_origin: ConfidenceOrigin
    source: str
    """`tool.field`; of a statement about a whole answer the tool alone."""
    entity: EntityRef
    tool: str
    words: Words = ()
    value_type: ValueType = ValueType.STRING
    is_optional: bool = False
    """The rule file lets the field be absent: only then may noise drop it."""
    is_entity_from_context: bool = False
    """The output did not name its entity; the context did."""
    ages_from_event: bool = False
    """The age runs from `valid_at` instead of from `observed_at`."""
    observed_at: datetime | None = None
    """When the tool answered, UTC; None when nobody said. Not part of the id."""
    valid_at: datetime | None = None
    """Business time, UTC: when the event happened, the day that is meant."""
    raw: str | None = None
    """What the field held, as bounded JSON text; masked when the field is sensitive."""
    reason: str | None = None
    """A short closed key: `unmapped`, `missing`, `not_json`, `too_large`, ..."""
    derived_from: tuple[str, ...] = ()
    """Ids of the facts a derived one was computed from."""
    contract_version: str | None = None
    rule_version: str | None = None
    """Dictionary version, then `/<rule file>@<its version>`."""
    parser_version: str | None = None
    """Version of the code that read it: `rules@1`, or `<name>@<version>` of a code parser."""
    fact_id: str = field(init=False, default="")
    """32 hex digits over the content: equal for equal statements, whenever observed and by
    whichever version read."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence < 1.0:
            raise ValueError(f"confidence {self.confidence!r}: must lie in [0, 1)")
        digest = hashlib.sha256(self.canonical().encode("ascii")).hexdigest()[:32]
        object.__setattr__(self, "fact_id", digest)

    @property
    def text(self) -> str | None:
        """The display text in the first language that has one; None without any."""
        return self.words[0][1] if self.words else None

    def canonical(self) -> str:
        """The content as ASCII JSON, without versions and without the time of observation.

        An array in the order of the fields, put together by hand: every fact pays for it.
        """
        text = _quoted
        words = ",".join(f"[{text(language)},{text(shown)}]" for language, shown in self.words)
        derived_from = ",".join(map(text, self.derived_from))
        return (
            f"[{text(self.type)},{text(self.kind)},"
            f"{_plain(self.value)},[{words}],{_plain(self.confidence)},{text(self.confidence_origin)},"
            f"{text(self.source)},[{text(self.entity[0])},{text(self.entity[1])}],"
            f"{text(self.value_type)},{_BOOLEANS[self.is_optional]},"
            f"{_BOOLEANS[self.is_entity_from_context]},{_BOOLEANS[self.ages_from_event]},"
            f"{_or_null(iso(self.valid_at))},{_or_null(self.raw)},{_or_null(self.reason)},"
            f"[{derived_from}]]"
        )


def _plain(value: Value) -> str:
    if type(value) is str:
        return _quoted(value)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)
    if type(value) is date:
        return f'["date","{value.isoformat()}"]'
    return _ENCODER.encode(tagged(value))


def _or_null(text: str | None) -> str:
    return "null" if text is None else _quoted(text)


def tagged(value: Value) -> object:
    """The value as JSON, with dates told apart from text: `["date", "2024-06-15"]`."""
    if isinstance(value, datetime):
        return ["datetime", value.isoformat()]
    if isinstance(value, date):
        return ["date", value.isoformat()]
    return value


def untagged(value: object) -> Value:
    """The value that `tagged` wrote.

    Raises:
        ValueError: It is none of the forms that `tagged` writes.
    """
    if isinstance(value, list) and len(value) == 2:
        name, text = value
        if name == "datetime":
            return datetime.fromisoformat(text)
        if name == "date":
            return date.fromisoformat(text)
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(f"value {value!r}: expected a scalar, a date or a datetime")


def iso(moment: datetime | None) -> str | None:
    """ISO 8601 text of a moment; None stays None."""
    return None if moment is None else moment.isoformat()


def words_in(words: Words, language: str) -> str | None:
    """The display text for a language, else the one for any language, else the first."""
    if not words:
        return None
    known = dict(words)
    return known.get(language, known.get(ANY_LANGUAGE, words[0][1]))
