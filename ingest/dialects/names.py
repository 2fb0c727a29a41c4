"""The attribute names of one dialect as one table, and the reading that every table shares."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ingest.dialects.claim import Claim, Offer, ToolSign
from ingest.dialects.messages import Message, joined_text, read_conversation
from ingest.dialects.offers import read_offers
from ingest.dialects.results import read_result
from ingest.dialects.usage import read_usage
from ingest.dialects.values import Keys, items, number, parsed, text
from ingest.dialects.view import SpanView
from pipeline.vocabulary import CallStatus, Role

_TEXTS: Final = (
    "agent_name",
    "session_id",
    "user_id",
    "task_id",
    "provider",
    "request_model",
    "response_model",
    "response_id",
    "finish_reason",
    "error_type",
)
_TOKENS: Final = ("input_tokens", "output_tokens", "cached_input_tokens")


@dataclass(frozen=True, slots=True)
class Names:
    """One dialect: its name, by which attributes it is known, and what it calls things.

    Every table of keys is in order of precedence. A field of `Claim` may appear in `fields`.
    """

    dialect: str
    marks: Sequence[str] = ()
    """Prefixes of attribute names; a span without any of them does not speak this dialect."""
    scopes: Sequence[str] = ()
    """Instrumentation scopes whose every span speaks it."""
    span_prefix: str | None = None
    """How the names of its spans begin, where nothing else tells them."""
    kind: Keys = ()
    """Attributes whose value says what the span is."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """That value, lower case, to its role; values that are not here say nothing."""
    fields: Mapping[str, Keys] = field(default_factory=dict)
    usage: Keys = ()
    """Attributes that hold a whole usage object."""
    inputs: Keys = ()
    """What a model was shown: messages, or the request around them."""
    outputs: Keys = ()
    offers: Keys = ()
    tool_name: Keys = ()
    is_named_by_span: bool = False
    """Whether a tool's name is the name of its span."""
    tool_call_id: Keys = ()
    arguments: Keys = ()
    result: Keys = ()


@dataclass(frozen=True, slots=True)
class Dialect:
    """A table and what only code can say: who speaks, as what, and what it adds."""

    names: Names
    role: Callable[[SpanView], Role | None]
    read: Callable[[SpanView, Role], Claim]

    def is_spoken(self, scope: str | None, prefix: str | None, keys: str) -> bool:
        """Whether a span carries one of the dialect's attributes, its prefix or its scope.

        Args:
            scope: Name of the span's instrumentation scope.
            prefix: The prefix of some dialect with which the span's name begins.
            keys: Its attribute names, a line break before each.
        """
        names = self.names
        if scope in names.scopes or (prefix is not None and prefix == names.span_prefix):
            return True
        return any(f"\n{mark}" in keys for mark in names.marks)


def by_table(names: Names) -> Dialect:
    """A dialect that is nothing but its table."""
    return Dialect(
        names,
        lambda view: role_by_table(view, names),
        lambda view, role: read_by_table(view, role, names),
    )


def role_by_table(view: SpanView, names: Names) -> Role | None:
    """What a span is, by the value of the dialect's own attribute; None when it says nothing."""
    kind = parsed(view.first(names.kind))
    return names.roles.get(kind.lower()) if isinstance(kind, str) else None


def read_by_table(view: SpanView, role: Role, names: Names) -> Claim:
    """What the attributes of a table say of a span whose role is decided."""
    claim = Claim(names.dialect)
    for name, keys in view.fields(names.dialect, names.fields):
        if name in _TEXTS:
            setattr(claim, name, text(_plain(view.first(keys))))
    if role is Role.MODEL:
        _read_model(view, claim, names)
    elif role is Role.TOOL:
        claim.tool = read_tool(view, names)
    return claim


def read_tool(view: SpanView, names: Names) -> ToolSign:
    """The run of a tool that a span is."""
    name = text(_plain(view.first(names.tool_name)))
    result = next((view.attributes[key] for key in names.result if key in view.attributes), None)
    returned = read_result(result)
    call_id = text(_plain(view.first(names.tool_call_id))) or returned.tool_call_id
    return ToolSign(
        name or (view.span.name if names.is_named_by_span else None),
        call_id.strip() or None if call_id else None,
        view.first(names.arguments),
        returned.result,
        None if returned.flag is CallStatus.OK else returned.flag,
    )


def tell(claim: Claim, inputs: Sequence[Message], outputs: Sequence[Message]) -> None:
    """Fill in what a model turn was shown and what it answered."""
    claim.shown, claim.said = inputs, outputs
    claim.requests = [call for message in outputs for call in message.calls]
    claim.answers = [answer for message in inputs for answer in message.answers]
    claim.is_output_visible = bool(outputs) or None
    claim.output_text = joined_text(outputs) or None


def offers_of(value: Any) -> tuple[Offer, ...] | None:
    """The catalogue in an attribute: definitions, or a request that carries them as `tools`."""
    content = parsed(value)
    if isinstance(content, dict):
        content = content.get("tools")
    return tuple(read_offers(items(content))) or None


def _read_model(view: SpanView, claim: Claim, names: Names) -> None:
    for name in _TOKENS:
        setattr(claim, name, number(view.first(names.fields.get(name, ()))))
    usage = read_usage(view.first(names.usage))
    for name, value in usage._asdict().items():
        if getattr(claim, name) is None:
            setattr(claim, name, value)
    inputs = read_conversation(view.first(names.inputs))
    tell(claim, inputs, read_conversation(view.first(names.outputs)))
    claim.offers = offers_of(view.first(names.offers))


def _plain(value: Any) -> Any:
    """JSON text of a string as that string: some platforms quote every value."""
    return parsed(value) if isinstance(value, str) and value[:1] == '"' else value
