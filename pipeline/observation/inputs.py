"""What goes into an observation: tool outputs, and the context they were asked for in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from pipeline.observation.fragment import EntityRef
from pipeline.vocabulary import ErrorClass

ANY_TOOL: Final = ""
"""The tool name of a bare body: every rule file whose required keys match reads it."""
UNKNOWN_TOOL: Final = "unknown"
"""The tool of facts about a bare body that nothing reads."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """One answer of one tool, as it came."""

    tool: str
    version: str | None
    """Contract version of the tool."""
    received_at: datetime | None
    """When it answered; naive times count as UTC. None gives facts without an age."""
    body: object
    """JSON value, text, bytes, or None."""
    error: ErrorClass | str | None = None
    """Class of the failure; a text that is no class counts as UPSTREAM. The body is then kept raw
    and never shown."""
    degradation: str | None = None
    """L1 or L2 when a fallback answered (S4 §3.2)."""


@dataclass(frozen=True, slots=True)
class Context:
    """Whom and what the question was about."""

    query_time: datetime | None = None
    """When it was asked, kept in UTC; ages count back from here. None gives no ages."""
    intent: str | None = None
    primary: EntityRef | None = None
    """The entity the question is about."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Everything else by name, such as `user_id`."""
    pseudonym_key: bytes | None = field(default=None, repr=False)
    """Secret for pseudonyms of sensitive ids. Without one they are hashed without a secret: not
    readable, but short ids can be guessed."""

    def __post_init__(self) -> None:
        if self.query_time is not None:
            object.__setattr__(self, "query_time", utc(self.query_time))

    @classmethod
    def from_mapping(cls, context: Mapping[str, object]) -> "Context":
        """Read the seed's dict: `query_timestamp`, `user_intent`, `target_<type>_id`, and the rest.

        Missing keys stay None; `primary` is the first `target_<type>_id` that holds something.
        """
        times = [context.get("query_timestamp"), context.get("query_time")]
        key = context.get("pseudonym_key")
        return cls(
            query_time=next((utc(time) for time in times if isinstance(time, datetime)), None),
            intent=_text(context.get("user_intent", context.get("intent"))),
            primary=_primary(context),
            values=_values(context),
            pseudonym_key=key if isinstance(key, bytes) else None,
        )


def utc(moment: datetime) -> datetime:
    """The moment in UTC; a naive one counts as UTC already."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


def scalar_text(value: object) -> str | None:
    """An id as text: strings as they are, integers in digits; None for anything else."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30:
        return str(value)
    return None


def _values(context: Mapping[str, object]) -> dict[str, str]:
    pairs = ((key, scalar_text(value)) for key, value in context.items())
    return {key: value for key, value in pairs if value is not None}


def _primary(context: Mapping[str, object]) -> EntityRef | None:
    for key, value in context.items():
        identity = scalar_text(value)
        if identity is not None and key.startswith("target_") and key.endswith("_id"):
            return EntityRef(key.removeprefix("target_").removesuffix("_id"), identity)
    return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
