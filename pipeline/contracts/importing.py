"""Contracts drafted from what exists: OpenAPI, MCP `tools/list`, tool lists of OpenAI and Anthropic.

What the source does not say is left out: a draft has findings, and lint lists them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pipeline.contracts.errors import ContractError
from pipeline.contracts.files import parse_contract
from pipeline.contracts.model import Contract

_METHODS: Final = {
    "get": ("query", "read", None),
    "post": ("create", None, None),
    "put": ("update", "write", True),
    "patch": ("update", "write", None),
    "delete": ("delete", "delete", True),
}
"""Verb for a name, danger and idempotency that HTTP says; POST says nothing (RFC 9110 §9.2)."""
_MAX_REFS: Final = 20
Json = Mapping[str, Any]


def import_contracts(value: object, where: str = "") -> tuple[Contract, ...]:
    """The contracts in a document, known by its shape.

    Raises:
        ContractError: Of no known shape, or a tool in it cannot be read.
    """
    drafts = list(_drafts(value, where))
    if not drafts:
        raise ContractError(
            ["no tools in it: expected OpenAPI, MCP tools/list or a tool list"], where
        )
    return tuple(parse_contract(draft, f"{where}: {draft.get('name')}") for draft in drafts)


def _drafts(value: object, where: str) -> Iterator[dict[str, Any]]:
    if isinstance(value, Mapping) and isinstance(value.get("paths"), Mapping):
        yield from _openapi(value)
        return
    for tool in _tools(value, where):
        function = tool.get("function", tool)
        schema = next(
            (
                function[key]
                for key in ("parameters", "inputSchema", "input_schema")
                if key in function
            ),
            {"type": "object", "properties": {}},
        )
        draft = {
            "name": function.get("name"),
            "description": function.get("description") or "",
            "input_schema": schema,
            **_hints(tool.get("annotations")),
        }
        if isinstance(returns := tool.get("outputSchema"), Mapping):
            draft["returns"] = returns
        yield draft


def _tools(value: object, where: str) -> list[Json]:
    """The tools of a list, of `{"tools": [...]}`, or of a JSON-RPC answer around it."""
    if isinstance(value, Mapping) and isinstance(value.get("result"), Mapping):
        value = value["result"]
    found = value.get("tools") if isinstance(value, Mapping) else value
    if not isinstance(found, list) or not all(isinstance(tool, Mapping) for tool in found):
        raise ContractError(
            ["unknown shape: expected OpenAPI, MCP tools/list or a tool list"], where
        )
    return found


def _hints(annotations: object) -> dict[str, Any]:
    """What MCP's annotations declare; they are hints of the server about itself."""
    if not isinstance(annotations, Mapping):
        return {}
    found: dict[str, Any] = {}
    if annotations.get("readOnlyHint") is True:
        found["danger"] = "read"
    elif annotations.get("destructiveHint") is True:
        found["danger"] = "delete"
    elif annotations.get("readOnlyHint") is False:
        found["danger"] = "write"
    if annotations.get("idempotentHint") is True:
        found["idempotent"] = True
    return found


def _openapi(document: Json) -> Iterator[dict[str, Any]]:
    for path, item in document["paths"].items():
        for method, operation in item.items() if isinstance(item, Mapping) else ():
            if method in _METHODS and isinstance(operation, Mapping):
                shared = item.get("parameters", [])
                yield _operation(document, path, method, operation, shared)


def _operation(
    document: Json, path: str, method: str, operation: Json, shared: list[Json]
) -> dict[str, Any]:
    verb, danger, is_idempotent = _METHODS[method]
    properties: dict[str, Any] = {}
    required: list[str] = []
    for raw in [*shared, *operation.get("parameters", [])]:
        parameter = _resolved(document, raw)
        schema = dict(_resolved(document, parameter.get("schema", {})))
        if parameter.get("description"):
            schema.setdefault("description", parameter["description"])
        properties[parameter["name"]] = schema
        if parameter.get("required"):
            required.append(parameter["name"])
    body = _json_schema(document, _resolved(document, operation.get("requestBody", {})))
    properties |= body.get("properties", {})
    required += body.get("required", [])
    draft: dict[str, Any] = {
        "name": _snake(operation.get("operationId") or f"{verb}_{_noun(path)}"),
        "description": operation.get("description") or operation.get("summary") or "",
        "input_schema": {
            "type": "object",
            "properties": properties,
            "required": list(dict.fromkeys(required)),
        },
    }
    draft |= {} if danger is None else {"danger": danger}
    draft |= {} if is_idempotent is None else {"idempotent": is_idempotent}
    if answer := _answer(document, operation):
        draft["returns"] = answer
    return draft


def _answer(document: Json, operation: Json) -> Json:
    for status, raw in operation.get("responses", {}).items():
        if str(status).startswith("2"):
            return _json_schema(document, _resolved(document, raw))
    return {}


def _json_schema(document: Json, holder: Json) -> Json:
    content = holder.get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    inlined: Json = _inlined(document, schema, 0)
    return inlined


def _inlined(document: Json, value: Any, depth: int) -> Any:
    """The schema with its references filled in; a circle ends as an open object."""
    if depth > _MAX_REFS:
        return {"type": "object"}
    if isinstance(value, Mapping):
        if "$ref" in value:
            return _inlined(document, _resolved(document, value), depth + 1)
        return {key: _inlined(document, inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_inlined(document, inner, depth + 1) for inner in value]
    return value


def _resolved(document: Json, value: Json) -> Json:
    for _ in range(_MAX_REFS):
        reference = value.get("$ref")
        if reference is None:
            return value
        found: Any = document
        for part in str(reference).removeprefix("#/").split("/"):
            found = found.get(part, {}) if isinstance(found, Mapping) else {}
        value = found
    return {}


def _snake(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"\W+", "_", spaced).strip("_").lower()


def _noun(path: str) -> str:
    parts = [part for part in path.split("/") if part and not part.startswith("{")]
    return parts[-1].rstrip("s") if parts else "root"
