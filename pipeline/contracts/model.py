"""What one tool promises, as its contract file says it (S3 §2.1, §3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from pipeline.vocabulary import ErrorClass

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
ATTEMPT_TIMEOUT_SECONDS: Final = 3.0


class Danger(StrEnum):
    """What a call can do to the world (S3 §7.1)."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    BULK = "bulk"
    """Changes or takes out many things at once."""
    MONEY = "money"


CONFIRMED: Final = frozenset({Danger.DELETE, Danger.BULK, Danger.MONEY})
"""Levels that are never on offer unless declared, and that need a person's confirmation."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """How much of a tool may be used; None where nothing limits it."""

    peak_per_second: float | None = None
    """What the system behind it took in a load test; 70 % of it is let through (S3 §4.3)."""
    caller_per_second: float | None = None
    """Let through for one caller."""
    per_day: int | None = None
    """Calls of all callers on one calendar day (S3 §6.2)."""
    caller_per_day: int | None = None


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """What one error of the system behind a tool means."""

    error_class: ErrorClass
    advice: str | None = None
    """What the model is to do; the class's own advice when None."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """What answers when every try of a read failed (S4 §3.2)."""

    default: Any = None
    """L1: this value."""
    tool: str | None = None
    """L2: another tool, asked with the same arguments."""


@dataclass(frozen=True, slots=True)
class Contract:
    """One tool at one version."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    version: str | None = None
    when: tuple[str, ...] = ()
    """How users put it who need this tool."""
    when_not: str | None = None
    """When not to use it, and what to use instead."""
    returns: Mapping[str, Any] | None = None
    """JSON Schema of what the model is shown of the answer."""
    errors: Mapping[str, ErrorRule] = field(default_factory=lambda: NOTHING)
    """By the code or HTTP status that the system answers with."""
    danger: Danger | None = None
    """None where the contract does not declare it."""
    quotas: Quotas = Quotas()
    sla_p95_ms: float | None = None
    """What was agreed: 95 of 100 calls, waits and retries included, are done by then (S4 §4.3)."""
    is_idempotent: bool | None = None
    """Whether a second try does the work once. None: only a declared read is."""
    timeout_seconds: float = ATTEMPT_TIMEOUT_SECONDS
    fallback: Fallback | None = None
    sensitive: frozenset[str] = frozenset()
    """Parameters that no span, log or prompt may hold."""
    domain: str | None = None
    """Whose credentials its calls use."""
    adapter: str | None = None
    """Name of the adapter file; the tool's own name when None."""
    parser_version: str | None = None
    """Of the rules that read its answers."""

    @property
    def shown_description(self) -> str:
        """What the model reads: the description, when to use the tool and when not."""
        said = [f"适用：{'；'.join(self.when)}。"] if self.when else []
        if self.when and self.description.isascii():
            said = [f"Use it when asked: {'; '.join(self.when)}."]
        return " ".join(part for part in (self.description, *said, self.when_not) if part)

    @property
    def properties(self) -> Mapping[str, Any]:
        """The parameters by name; none where the schema has none."""
        found = self.input_schema.get("properties")
        return found if isinstance(found, Mapping) else NOTHING

    @property
    def required(self) -> frozenset[str]:
        """Names of the parameters that must be given."""
        found = self.input_schema.get("required")
        return frozenset(found) if isinstance(found, list | tuple) else frozenset()

    @property
    def is_read(self) -> bool:
        """Whether it is declared to change nothing."""
        return self.danger is Danger.READ

    @property
    def may_repeat(self) -> bool:
        """Whether a try whose outcome is unknown may be followed by another (S3 §4.1)."""
        return self.is_read if self.is_idempotent is None else self.is_idempotent
