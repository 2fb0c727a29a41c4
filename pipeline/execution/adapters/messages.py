"""From arguments to an HTTP request, and from an answer to a result, by an adapter's data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from urllib.parse import quote

from pipeline.execution.adapters.spec import AdapterSpec, Parameter, at
from pipeline.execution.errors import ToolError
from pipeline.vocabulary import ErrorClass

_IN_QUERY: Final = frozenset({"GET", "DELETE"})
_SLOT: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(slots=True)
class HttpRequest:
    """What is sent, apart from who asks."""

    url: str
    query: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)


def http_request(spec: AdapterSpec, arguments: Mapping[str, Any]) -> HttpRequest:
    """The request for some arguments.

    Values in the path are quoted whole: none can reach another address.

    Raises:
        ToolError: A value cannot be put into the form that the system wants, or the address needs
            one that was not given.
    """
    request = HttpRequest(spec.url)
    for name, value in arguments.items():
        parameter = spec.parameters.get(name, Parameter(name))
        if value is not None:
            value = _formed(value, parameter.form, name)
        _put(request, spec, parameter, value)
    if (slot := _SLOT.search(request.url)) is not None:
        raise ToolError(ErrorClass.INVALID_ARGUMENT, f"{slot[1]}: missing in the address")
    return request


def turn_page(request: HttpRequest, spec: AdapterSpec, token: Any) -> None:
    """Ask for another page: the token goes where the adapter's other parameters go."""
    name = "" if spec.paging is None else spec.paging.parameter
    _put(request, spec, spec.parameters.get(name, Parameter(name)), token)


def result_of(spec: AdapterSpec, body: Any) -> Any:
    """The answer proper: from its root, renamed, only what is kept."""
    value = body if spec.root is None else at(body, spec.root)
    return _renamed(spec, value)


def code_of(spec: AdapterSpec, body: Any) -> str | None:
    """The error code in an answer; None where there is none, or one that is no error."""
    if spec.error_field is None:
        return None
    found = at(body, spec.error_field)
    return None if found is None or str(found) in spec.ok_codes else str(found)


def _put(request: HttpRequest, spec: AdapterSpec, parameter: Parameter, value: Any) -> None:
    place = _place(request, spec, parameter)
    if place == "body":
        request.body[parameter.name] = value
    elif value is None:
        return  # null has no form in an address or a header: as if it were not given
    elif place == "path":
        request.url = request.url.replace(_slot(parameter), quote(str(value), safe=""))
    elif place == "header":
        request.headers[parameter.name] = str(value)
    else:
        request.query[parameter.name] = value


def _place(request: HttpRequest, spec: AdapterSpec, parameter: Parameter) -> str:
    if parameter.place is not None:
        return parameter.place
    if _slot(parameter) in request.url:
        return "path"
    return "query" if spec.method in _IN_QUERY else "body"


def _slot(parameter: Parameter) -> str:
    return f"{{{parameter.name}}}"


def _formed(value: Any, form: str | None, name: str) -> Any:
    try:
        match form:
            case "text":
                return str(value)
            case "comma":
                return ",".join(map(str, value))
            case "cents":
                return int((Decimal(str(value)) * 100).to_integral_exact())
            case "epoch_seconds":
                return int(_moment(value).timestamp())
            case "epoch_ms":
                return int(_moment(value).timestamp() * 1000)
    except (ValueError, TypeError, InvalidOperation) as error:
        raise ToolError(ErrorClass.INVALID_ARGUMENT, f"{name}: cannot be made {form}") from error
    return value


def _moment(value: Any) -> datetime:
    """A naive time counts as UTC."""
    found = datetime.fromisoformat(value)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _renamed(spec: AdapterSpec, value: Any) -> Any:
    if isinstance(value, list):
        return [_renamed(spec, inner) for inner in value]
    if not isinstance(value, Mapping):
        return value
    renamed = {spec.rename.get(name, name): inner for name, inner in value.items()}
    if spec.keep is None:
        return renamed
    return {name: inner for name, inner in renamed.items() if name in spec.keep}
