"""What the records of one scope share: resource and instrumentation scope."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from replay_store.json_object import JsonObject

SERVICE_NAME: Final = "service.name"
SCOPE_ATTRIBUTES: Final = "otel.scope.attributes"
"""Where the attributes of the scope are kept, in `resource`: there is no column of their own."""


@dataclass(frozen=True, slots=True)
class Group:
    """Resource and scope of a run of spans or log records."""

    resource: Mapping[str, Any]
    service_name: str | None
    scope_name: str | None
    scope_version: str | None
    is_repaired: bool = False
    """Whether the resource or scope had to be escaped, which repairs each record of theirs."""


def group(
    resource: Mapping[str, Any],
    scope_name: str | None,
    scope_version: str | None,
    scope_attributes: Mapping[str, Any],
    *,
    is_repaired: bool = False,
) -> Group:
    """The group; empty names are None, scope attributes go into the resource under one key."""
    service = resource.get(SERVICE_NAME)
    if scope_attributes:
        resource = {**resource, SCOPE_ATTRIBUTES: scope_attributes}
    return Group(
        resource=_written(resource),
        service_name=str(service) if service not in (None, "") else None,
        scope_name=scope_name or None,
        scope_version=scope_version or None,
        is_repaired=is_repaired,
    )


def _written(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    """The resource with its JSON, which all its records share; as it is when it must be mended."""
    try:
        return JsonObject(resource)
    except TypeError:
        return resource
