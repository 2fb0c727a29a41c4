"""What differs between two sets of contracts, and whom it breaks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.contracts.files import contract_json
from pipeline.contracts.model import Contract

_SEEN: frozenset[str] = frozenset({"name", "description", "when", "when_not", "input_schema"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of one contract that differs."""

    tool: str
    field: str
    """`description`, `input_schema.properties.order_no.pattern`; empty for a whole contract."""
    before: Any
    """None where it was absent."""
    after: Any
    is_breaking: bool
    """Whether calls that were right are no longer."""

    @property
    def is_seen(self) -> bool:
        """Whether the model sees it: such a change needs a replay case (S3 §6.2)."""
        return self.field == "" or self.field.split(".")[0] in _SEEN


def contract_differences(
    before: Mapping[str, Contract], after: Mapping[str, Contract]
) -> Iterator[Difference]:
    """Every field that differs, by tool; a new version number alone counts too."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            is_gone = new is None
            yield Difference(name, "", _json(old), _json(new), is_breaking=is_gone)
            continue
        for field, one, other in _leaves("", contract_json(old), contract_json(new)):
            yield Difference(name, field, one, other, is_breaking=_breaks(field, one, other))


def _json(contract: Contract | None) -> Any:
    return None if contract is None else contract_json(contract)


def _leaves(place: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in [*one, *(key for key in other if key not in one)]:
            inner = f"{place}.{key}" if place else str(key)
            yield from _leaves(inner, one.get(key), other.get(key))
    elif one != other or isinstance(one, bool) is not isinstance(other, bool):
        yield place, one, other


def _breaks(field: str, before: Any, after: Any) -> bool:
    """A parameter gone or newly required, a narrower type, enum, pattern or bound."""
    if not field.startswith("input_schema"):
        return False
    key = field.rsplit(".", 1)[-1]
    if key == "required":
        return bool(set(after or ()) - set(before or ()))
    if key == "enum":
        return before is None or bool(
            after is not None and set(map(repr, before)) - set(map(repr, after))
        )
    if _is_parameter(field):
        return after is None
    if key in ("description", "examples", "example", "default", "title"):
        return False
    return after is not None


def _is_parameter(field: str) -> bool:
    return field.split(".")[-2:-1] == ["properties"]
