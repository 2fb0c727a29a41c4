"""A replay case: one recorded situation, what was done in it, and what is right in it.

The fields are the keys of its JSON, in their order. Whatever a kind does not need is left out; what
it does need is checked in `case_json`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal, TypeAlias

from pipeline.vocabulary import NO_CALL

FORMAT: Final = "toolsight-replay-case/1"

Arguments: TypeAlias = Mapping[str, Any]
"""JSON values by parameter."""


class _Strict:
    """A key that is no field is an error: a misspelt one would silently check nothing."""

    __slots__ = ()
    __pydantic_config__: ClassVar = {"extra": "forbid"}


class CaseKind(StrEnum):
    """What a case guards."""

    DECISION = "decision"
    """Which tool is chosen: a change of contracts, of the model or its instructions."""
    OBSERVATION = "observation"
    """What the model reads of tool outputs: a change of rules, parsers or templates."""
    ADAPTER = "adapter"
    """What a tool answers, given what its upstream answered: a change of the adapter."""
    END_TO_END = "end_to_end"
    """A whole task: which tools are chosen on the way, what the model has read in the end."""


@dataclass(frozen=True, slots=True)
class Origin(_Strict):
    """The trace a case was taken from."""

    trace_id: str
    """32 lower hex digits."""
    span_id: str | None = None
    """Of the observation."""
    turn_index: int | None = None
    call_index: int | None = None
    """Of the decision; without one it asked for no call."""


@dataclass(frozen=True, slots=True)
class Passage(_Strict):
    """One piece of what the model was given."""

    role: str
    """system, user, assistant, tool, or whatever the agent calls it."""
    text: str
    kind: Literal["text", "call", "answer"] = "text"
    """An earlier call (its arguments as JSON text), or what one answered."""
    name: str | None = None
    """The tool of a call."""


@dataclass(frozen=True, slots=True)
class Offered(_Strict):
    """One tool as the model saw it."""

    name: str
    description: str | None = None
    input_schema: Arguments | None = None
    """JSON Schema of its arguments."""
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Chosen(_Strict):
    """One choice: a tool and its arguments, or no call at all."""

    tool: str
    """NO_CALL for none."""
    arguments: Arguments | None = None
    """None when nobody says: they are then not judged."""

    @property
    def is_call(self) -> bool:
        """Whether a tool was called."""
        return self.tool != NO_CALL


@dataclass(frozen=True, slots=True)
class Recorded(_Strict):
    """What one call answered, or what an adapter's upstream did. It answers; no tool is called."""

    tool: str
    body: Any = None
    """JSON value or text."""
    arguments: Arguments | None = None
    """Of the call; None matches any."""
    version: str | None = None
    """Contract version of the tool."""
    received_at: str | None = None
    """When it answered, ISO 8601."""
    error: str | None = None
    """Class of the failure."""
    degradation: str | None = None
    """L1 or L2 when a fallback answered."""


@dataclass(frozen=True, slots=True)
class ArgumentRule(_Strict):
    """What one argument must be."""

    values: tuple[Any, ...] = ()
    """Any of these is right."""
    pattern: str | None = None
    """A regular expression that the whole text must match."""
    is_ignored: bool = False
    """Anything is right, such as for free text."""
    is_optional: bool = False
    """May be left out."""


@dataclass(frozen=True, slots=True)
class Gold(_Strict):
    """What is right: for a decision the tool, for a task the tools on the way."""

    need: Literal["CALL", "NO_CALL"]
    best: tuple[str, ...] = ()
    """Any of these is right; of a whole task all of them are needed."""
    acceptable: tuple[str, ...] = ()
    """Not best, but they do."""
    forbidden: tuple[str, ...] = ()
    """Wrong, and named so in the result."""
    arguments: Mapping[str, Mapping[str, ArgumentRule]] = field(default_factory=dict)
    """By tool and parameter; a tool that is not in it may be given any arguments."""
    is_ordered: bool = True
    """Of a whole task: whether the calls are right only in this order."""


@dataclass(frozen=True, slots=True)
class ExpectedFact(_Strict):
    """One statement that must be read."""

    entity: str
    """`order:202611200815`."""
    type: str
    source: str
    """`tool.field`."""
    kind: str = "FACT"
    value: Any = None
    """Dates as `["date", "2026-11-28"]`."""


@dataclass(frozen=True, slots=True)
class ExpectedPrompt(_Strict):
    """One text that must come out."""

    text: str
    template: str = "concise"
    language: str = "zh"


@dataclass(frozen=True, slots=True)
class Expected(_Strict):
    """What must come out besides the choice."""

    facts: tuple[ExpectedFact, ...] | None = None
    """All of them: another one is a change. None does not look at facts."""
    prompt: ExpectedPrompt | None = None
    answer: Any = None
    """Of an adapter: what the tool answers."""


@dataclass(frozen=True, slots=True)
class Case(_Strict):
    """One replay case."""

    case_id: str
    """Letters, digits and `._-`, at most 120: it is also the name of its file."""
    kind: CaseKind
    format: Literal["toolsight-replay-case/1"] = FORMAT
    title: str | None = None
    note: str | None = None
    """Why the case is there."""
    time: str | None = None
    """When it was made, RFC 3339 with offset."""
    is_retired: bool = False
    """Kept for its history; not run any more."""
    origin: Origin | None = None
    input: tuple[Passage, ...] = ()
    """What the model was given up to the decision, oldest first."""
    context: Mapping[str, Any] | None = None
    """Of an observation: query time, intent, primary entity, values."""
    offered: tuple[Offered, ...] = ()
    """In the order in which they were offered; of a whole task those of its first turn."""
    recorded: tuple[Recorded, ...] = ()
    """What tools (of an adapter: its upstream) answered, in order."""
    chosen: Chosen | None = None
    """What was chosen when it was recorded; None when no choice is known."""
    gold: Gold | None = None
    expected: Expected | None = None

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that this case covers, each once."""
        gold = self.gold
        named = () if gold is None else (*gold.best, *gold.acceptable, *gold.forbidden)
        chosen = (self.chosen.tool,) if self.chosen is not None and self.chosen.is_call else ()
        return tuple(dict.fromkeys([*named, *chosen, *(item.tool for item in self.recorded)]))
