"""What one raw value was read as: what rules give, and what hooks of domain owners give in its place."""

from dataclasses import dataclass

from pipeline.observation.fragment import ConfidenceOrigin, FragmentKind, Value, Words


@dataclass(frozen=True, slots=True)
class Reading:
    """What a raw value was read as."""

    kind: FragmentKind
    value: Value
    origin: ConfidenceOrigin
    words: Words = ()
    reason: str | None = None

    @property
    def is_value(self) -> bool:
        """Whether there is a value to build on."""
        return self.kind is FragmentKind.FACT


def unparsed(reason: str) -> Reading:
    """A value that could not be read."""
    return Reading(FragmentKind.UNPARSED, None, ConfidenceOrigin.UNPARSED, reason=reason)
