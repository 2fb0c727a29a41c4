"""Contracts in files: one JSON object each, checked by `contract.schema.json` beside this module."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pipeline.contracts.errors import ContractError
from pipeline.contracts.examples import format_of
from pipeline.contracts.model import (
    ATTEMPT_TIMEOUT_SECONDS,
    NOTHING,
    Contract,
    Danger,
    ErrorRule,
    Fallback,
    Quotas,
)
from pipeline.contracts.validation import schema_errors, schema_problem
from pipeline.vocabulary import ErrorClass

SCHEMA_FILE: Final = "contract.schema.json"
SEEN: Final = frozenset({"name", "version", "description", "when", "when_not", "input_schema"})
"""The fields by which a model's view of a tool changes, and its version."""


def read_contracts(folder: Path, *, seen_only: bool = False) -> dict[str, Contract]:
    """The contracts in the `*.json` files of a folder and below, by name.

    Args:
        folder: Where they lie.
        seen_only: Read only what a model sees, so that files with other fields of a team's own
            can be compared too.

    Raises:
        ContractError: No folder, no file, no contract, or two with one name; names the file.
    """
    if not folder.is_dir():
        raise ContractError(["no such folder: expected contract files; name another"], str(folder))
    found: dict[str, Contract] = {}
    for path in sorted(folder.rglob("*.json")):
        contract = read_contract(path, seen_only=seen_only)
        if contract.name in found:
            problem = f"name: {contract.name}: another file has it too; rename one"
            raise ContractError([problem], str(path))
        found[contract.name] = contract
    if not found:
        raise ContractError(["no *.json file in it: expected contracts; name another"], str(folder))
    return found


def read_contract(path: Path, *, seen_only: bool = False) -> Contract:
    """The contract in one file; see `read_contracts`.

    Raises:
        ContractError: Unreadable, no JSON, or no contract; names file and field.
    """
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ContractError([f"is no JSON ({error}); correct it"], str(path)) from error
    if seen_only and isinstance(value, Mapping):
        value = {name: value[name] for name in value if name in SEEN}
    return parse_contract(value, str(path))


def parse_contract(value: object, where: str = "") -> Contract:
    """A contract from its JSON object.

    Raises:
        ContractError: Names every field that is wrong.
    """
    if not isinstance(value, Mapping):
        raise ContractError(["no contract: expected an object with a name; add it"], where)
    problems = [_problem(error) for error in schema_errors(value, contract_schema())]
    schema = value.get("input_schema", {})
    if isinstance(schema, Mapping) and (wrong := schema_problem(schema)) is not None:
        problems.append(f"input_schema: {wrong}: expected a JSON Schema; correct it")
    if problems:
        raise ContractError(problems, where)
    return _contract(value)


def contract_json(contract: Contract) -> dict[str, Any]:
    """The contract as its file has it; what is not said is left out."""
    quotas = {name: getattr(contract.quotas, name) for name in Quotas.__slots__}
    fallback = contract.fallback
    found = {
        "name": contract.name,
        "version": contract.version,
        "description": contract.description or None,
        "when": list(contract.when),
        "when_not": contract.when_not,
        "input_schema": dict(contract.input_schema),
        "returns": contract.returns,
        "errors": {code: _error_json(rule) for code, rule in contract.errors.items()},
        "danger": contract.danger,
        "quotas": {name: value for name, value in quotas.items() if value is not None},
        "sla_p95_ms": contract.sla_p95_ms,
        "idempotent": contract.is_idempotent,
        "timeout_seconds": contract.timeout_seconds,
        "fallback": None if fallback is None else _fallback_json(fallback),
        "sensitive": sorted(contract.sensitive),
        "domain": contract.domain,
        "adapter": contract.adapter,
        "parser_version": contract.parser_version,
    }
    if contract.timeout_seconds == ATTEMPT_TIMEOUT_SECONDS:
        del found["timeout_seconds"]
    return {name: value for name, value in found.items() if value not in (None, [], {})}


@cache
def contract_schema() -> dict[str, Any]:
    """The JSON Schema of a contract file."""
    text = (files(__package__ or __name__) / SCHEMA_FILE).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _contract(value: Mapping[str, Any]) -> Contract:
    danger, fallback = value.get("danger"), value.get("fallback")
    return Contract(
        name=value["name"],
        description=value.get("description", ""),
        input_schema=value.get("input_schema", {"type": "object", "properties": {}}),
        version=value.get("version"),
        when=tuple(value.get("when", ())),
        when_not=value.get("when_not"),
        returns=value.get("returns"),
        errors=MappingProxyType(
            {code: _error_rule(rule) for code, rule in value.get("errors", NOTHING).items()}
        ),
        danger=None if danger is None else Danger(danger),
        quotas=Quotas(**value.get("quotas", {})),
        sla_p95_ms=value.get("sla_p95_ms"),
        is_idempotent=value.get("idempotent"),
        timeout_seconds=value.get("timeout_seconds", ATTEMPT_TIMEOUT_SECONDS),
        fallback=None if fallback is None else Fallback(**fallback),
        sensitive=frozenset(value.get("sensitive", ())),
        domain=value.get("domain"),
        adapter=value.get("adapter"),
        parser_version=value.get("parser_version"),
    )


def _error_rule(value: str | Mapping[str, str]) -> ErrorRule:
    if isinstance(value, str):
        return ErrorRule(ErrorClass(value))
    return ErrorRule(ErrorClass(value["class"]), value.get("advice"))


def _error_json(rule: ErrorRule) -> object:
    if rule.advice is None:
        return rule.error_class.value
    return {"class": rule.error_class.value, "advice": rule.advice}


def _fallback_json(fallback: Fallback) -> dict[str, Any]:
    if fallback.tool is not None:
        return {"tool": fallback.tool}
    return {"default": fallback.default}


def _problem(error: Any) -> str:
    if error.validator == "additionalProperties":
        known = ", ".join(error.schema["properties"])
        return f"{error.message.split(' does not')[0]}: no such field; expected one of {known}"
    place = ".".join(str(part) for part in error.absolute_path)
    if not place:
        return "no contract: expected an object with a name; add it"
    if wanted := format_of(error.schema, "en"):
        return f"{place}: expected {wanted}; correct it"
    return f"{place}: {error.message}; correct it"
