"""Rule files as they are written: pydantic models that refuse what they do not know.

The seed's `order_status_api` (S0 §3.1) is valid as it stands; everything else is optional.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from pipeline.vocabulary import ErrorClass


def _key(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else value


def _one_or_many(value: object) -> object:
    return [value] if isinstance(value, str) else value


Key = Annotated[str, BeforeValidator(_key), Field(min_length=1, max_length=200)]
Text = str | dict[str, str]
"""Display text: one for every language, or one a language (`{zh: 已发货, en: Shipped}`)."""
Paths = Annotated[list[Key], BeforeValidator(_one_or_many), Field(min_length=1)]
Keys = Annotated[list[Key], BeforeValidator(_one_or_many)]
Confidence = Annotated[float, Field(gt=0, lt=1)]
DataType = Literal["enum", "string", "number", "boolean", "date", "datetime", "list"]
ScalarType = Literal["enum", "string", "number", "boolean", "date", "datetime"]
StrategyName = Literal[
    "latest_by_time", "max", "min", "first", "last", "count", "sum", "filter", "join"
]
FactName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]


class Strict(BaseModel):
    """A mapping whose unknown keys are errors that list the known ones."""

    model_config = ConfigDict(extra="forbid", strict=False, frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            known = [field.alias or name for name, field in cls.model_fields.items()]
            for key in data:
                if key not in known:
                    raise PydanticCustomError(
                        "unknown_key",
                        "unknown key {key}",
                        {"key": repr(key), "allowed": sorted(known)},
                    )
        return data


class BandSpec(Strict):
    """`from`/`below` for [from, below), `above`/`up_to` for (above, up_to]."""

    code: Key
    label: Text | None = None
    from_: float | None = Field(default=None, alias="from")
    below: float | None = None
    above: float | None = None
    up_to: float | None = None


class ValueSpec(Strict):
    """How a scalar is read."""

    values: list[Key] | None = None
    mapping: dict[Key, Text] = {}
    synonyms: dict[Key, Key] = {}
    fallback_mapping: dict[Key, Text] = {}
    ignore_case: bool = False
    formats: Keys = []
    zone: str | None = None
    scale: float | None = None
    true_values: list[Key] = []
    false_values: list[Key] = []


class ItemSpec(ValueSpec):
    """One field of a list's items."""

    name: Key
    type: ScalarType
    path: Paths | None = None


class OutputSpec(ValueSpec):
    """One field of an output."""

    name: Key
    type: DataType
    fact_type: FactName | None = None
    path: Paths | None = None
    confidence: Confidence | None = None
    item_schema: list[ItemSpec] | None = None
    item_type: ScalarType | None = None
    extract_strategy: StrategyName | None = None
    by: str | None = None
    take: str | None = None
    where: dict[Key, Keys] = {}
    separator: str = "; "
    bands: list[BandSpec] = []
    optional: bool | None = None
    sensitive: bool = False
    age_from: Literal["answer", "event"] = "answer"
    event_time: Key | None = None


class InputSpec(Strict):
    """One parameter of the tool."""

    name: Key
    type: Literal["string", "number", "integer", "boolean", "date", "datetime", "array", "object"]
    required: bool = False
    description: str | None = None


class EntitySpec(Strict):
    """What the output is about."""

    type: Key
    id: Paths
    context: Keys = []
    sensitive: bool = False


class EnvelopeSpec(Strict):
    """Where data and code lie, and what codes mean."""

    data: Key = "data"
    code: Key = "code"
    ok_codes: list[Key] = ["0", "200"]
    error_classes: dict[Key, ErrorClass] = {}


class EmptySpec(Strict):
    """What an empty answer is told to mean."""

    reason: Text
    fact_type: FactName | None = None


class FactTypeSpec(Strict):
    """One member of the closed list of fact types."""

    label: Text | None = None
    aliases: list[Key] = []
    critical: bool = False
    critical_for: list[Key] = []
    shows_age: bool = True
    unit: Text | None = None
    refers_to: Key | None = None


class ParserSpec(Strict):
    """The code that has to read on after the rules, by version and content."""

    version: Key
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ToolFile(Strict):
    """A rule file about one tool."""

    name: Key
    label: Text | None = None
    version: Key = "0"
    tools: list[Key] = []
    contracts: Keys = []
    """Contract versions that it reads; a file of the same name may read others."""
    input_schema: list[InputSpec] = []
    entity: EntitySpec | None = None
    envelope: EnvelopeSpec | None = None
    required_keys: list[Key] = []
    fact_types: dict[FactName, FactTypeSpec] = {}
    output_schema: Annotated[list[OutputSpec], Field(min_length=1)]
    intents: dict[Key, list[Key]] = {}
    empty: EmptySpec | None = None
    parser: ParserSpec | None = None
    """Without that very code nothing is read: rules are published, code is deployed."""


class DerivedSpec(Strict):
    """A fact by formula."""

    fact_type: FactName
    formula: str
    bands: list[BandSpec] = []


class RelationSpec(Strict):
    """Facts of `entity` are shown with the `belongs_to` they belong to."""

    entity: Key
    belongs_to: Key
    context: Key | None = None


class DomainFile(Strict):
    """The rule file about no single tool: fact types, formulas, relations."""

    domain: Key
    entities: dict[Key, Text] = {}
    """Display names of entity types."""
    fact_types: dict[FactName, FactTypeSpec] = {}
    derived: list[DerivedSpec] = []
    relations: list[RelationSpec] = []
