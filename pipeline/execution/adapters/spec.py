"""Adapters as data: how one tool is asked over HTTP, in a JSON file (S3 §2.1).

Where a place in an answer is named, it is a row of keys joined by dots: `data.items`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from pipeline.contracts.validation import schema_errors
from pipeline.execution.errors import AdapterError

SCHEMA_FILE: Final = "adapter.schema.json"
MAX_PAGES: Final = 5


@dataclass(frozen=True, slots=True)
class Parameter:
    """Where one argument goes."""

    name: str
    place: Literal["path", "query", "header", "body"] | None = None
    """None: the path where the address names it, else the query of a GET or DELETE, else the body."""
    form: str | None = None
    """`text`, `epoch_seconds`, `epoch_ms`, `comma` (a list as one text), `cents`."""


@dataclass(frozen=True, slots=True)
class Paging:
    """How further pages are asked for."""

    parameter: str
    next: str
    items: str
    max_pages: int = MAX_PAGES


@dataclass(frozen=True, slots=True)
class AdapterSpec:
    """How one tool is asked over HTTP."""

    name: str
    url: str
    method: str = "GET"
    auth_domain: str | None = None
    """Whose credentials are sent: an account with just the rights of its domain (S3 §7.1)."""
    auth_header: str = "authorization"
    auth_scheme: str = "Bearer"
    parameters: Mapping[str, Parameter] = field(default_factory=lambda: MappingProxyType({}))
    idempotency_header: str = "Idempotency-Key"
    paging: Paging | None = None
    root: str | None = None
    rename: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    keep: frozenset[str] | None = None
    error_field: str | None = None
    ok_codes: frozenset[str] = frozenset()


def read_adapters(folder: Path) -> dict[str, AdapterSpec]:
    """The adapters in the `*.json` files of a folder and below, by name; none without a folder.

    Raises:
        AdapterError: A file is no adapter, or two have one name; names file and field.
    """
    found: dict[str, AdapterSpec] = {}
    for path in sorted(folder.rglob("*.json")):
        try:
            value = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise AdapterError([f"is no JSON ({error}); correct it"], str(path)) from error
        spec = parse_adapter(value, path.stem, str(path))
        if spec.name in found:
            raise AdapterError(
                [f"name: {spec.name}: another file has it too; rename one"], str(path)
            )
        found[spec.name] = spec
    return found


def parse_adapter(value: object, name: str, where: str = "") -> AdapterSpec:
    """An adapter from its JSON object.

    Args:
        value: The object.
        name: When it names itself nothing.
        where: For messages.

    Raises:
        AdapterError: Names every field that is wrong.
    """
    problems = [_problem(error) for error in schema_errors(value, _schema())]
    if problems or not isinstance(value, Mapping):
        raise AdapterError(problems or ["expected an object with a url"], where)
    auth, result, errors = (value.get(key, {}) for key in ("auth", "result", "errors"))
    keep = result.get("keep")
    return AdapterSpec(
        name=value.get("name", name),
        url=value["url"],
        method=value.get("method", "GET"),
        auth_domain=auth.get("domain"),
        auth_header=auth.get("header", "authorization"),
        auth_scheme=auth.get("scheme", "Bearer"),
        parameters=MappingProxyType(
            {key: _parameter(key, inner) for key, inner in value.get("parameters", {}).items()}
        ),
        idempotency_header=value.get("idempotency_header", "Idempotency-Key"),
        paging=Paging(**value["paging"]) if "paging" in value else None,
        root=result.get("root"),
        rename=MappingProxyType(result.get("rename", {})),
        keep=None if keep is None else frozenset(keep),
        error_field=errors.get("field"),
        ok_codes=frozenset(map(str, errors.get("ok", ()))),
    )


def at(value: Any, place: str) -> Any:
    """What lies at a place of an answer; None where nothing does."""
    for key in place.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _parameter(key: str, value: Mapping[str, Any]) -> Parameter:
    return Parameter(value.get("name", key), value.get("in"), value.get("as"))


@cache
def _schema() -> dict[str, Any]:
    text = (files(__package__ or __name__) / SCHEMA_FILE).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _problem(error: Any) -> str:
    place = ".".join(str(part) for part in error.absolute_path) or "file"
    return f"{place}: {error.message}; correct it"
