"""Contracts: files, what a model sees of them, the check of arguments, import, differences, mock."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contracts import (
    TOOL_LISTS,
    Contract,
    ContractError,
    Danger,
    Registry,
    check_arguments,
    contract_differences,
    contract_json,
    import_contracts,
    mock_answer,
    mock_arguments,
    parse_contract,
    problems_text,
    read_contracts,
)
from pipeline.vocabulary import ErrorClass
from tests.contract_samples import QUERY_ORDER, contract


def write(folder: Path, *values: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for at, value in enumerate(values):
        (folder / f"{at}.json").write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return folder


def test_a_contract_file_is_read_whole_and_written_back_the_same(tmp_path: Path) -> None:
    found = read_contracts(write(tmp_path, QUERY_ORDER))["query_order_status"]

    assert contract_json(found) == QUERY_ORDER
    assert found.danger is Danger.READ
    assert found.errors["E9"].error_class is ErrorClass.TOO_LARGE
    assert found.may_repeat


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": ""}, "name"),
        ({"danger": "harmless"}, "danger"),
        ({"when_nott": "typo"}, "when_nott"),
        ({"quotas": {"per_day": 0}}, "quotas.per_day"),
        ({"errors": {"E1": "BROKEN"}}, "errors.E1"),
        ({"timeout_seconds": 9}, "timeout_seconds"),
        ({"fallback": {"default": 1, "tool": "x"}}, "fallback"),
        ({"input_schema": {"type": "strange"}}, "input_schema"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ContractError, match=told):
        parse_contract({**QUERY_ORDER, **change}, "orders.json")


def test_two_files_with_one_name_are_refused_and_so_is_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="another file has it too"):
        read_contracts(write(tmp_path / "two", QUERY_ORDER, QUERY_ORDER))
    with pytest.raises(ContractError, match="no such folder"):
        read_contracts(tmp_path / "none")
    with pytest.raises(ContractError, match=r"no \*\.json file"):
        read_contracts(write(tmp_path / "empty"))


@pytest.mark.parametrize("provider", sorted(TOOL_LISTS))
def test_a_model_sees_name_description_and_schema_and_nothing_internal(provider: str) -> None:
    listed = json.dumps(Registry([contract()]).tool_list(provider), ensure_ascii=False)

    assert "query_order_status" in listed
    assert "请先使用 search_orders" in listed
    assert "我的订单到哪了" in listed
    for hidden in ("caller_per_day", "peak", "E404", "orders\"", "timeout", "fallback"):  # fmt: skip
        assert hidden not in listed


def test_openai_anthropic_and_mcp_lists_have_their_shapes() -> None:
    registry = Registry([contract()])

    assert registry.tool_list("openai")[0]["function"]["parameters"]["required"] == ["order_no"]
    assert set(registry.tool_list("anthropic")[0]) == {"name", "description", "input_schema"}
    assert registry.tool_list("mcp")[0]["annotations"]["readOnlyHint"] is True
    with pytest.raises(ContractError, match="expected one of"):
        registry.tool_list("nobody")


@pytest.mark.parametrize(
    ("name", "description", "danger", "is_on_offer"),
    [
        ("delete_order", "删除订单。", None, False),
        ("refund_order", "为已支付订单退款。", None, False),
        ("export_orders", "批量导出订单。", None, False),
        ("refund_order", "为已支付订单退款。", Danger.MONEY, True),
        ("query_order", "按订单号查询，只读，不会删除任何数据。", None, True),
    ],
)
def test_dangerous_tools_are_on_offer_only_when_declared(
    name: str, description: str, danger: Danger | None, is_on_offer: bool
) -> None:
    registry = Registry([contract(name=name, description=description, danger=danger)])

    assert [c.name for c in registry.offered()] == ([name] if is_on_offer else [])
    assert (registry.get(name) is not None) is is_on_offer


def test_every_offending_field_is_named_with_format_and_example() -> None:
    schema = {
        "type": "object",
        "properties": {
            "order_no": QUERY_ORDER["input_schema"]["properties"]["order_no"],
            "kind": {"type": "string", "enum": ["late", "damaged"]},
            "amount": {"type": "number", "minimum": 0, "description": "示例：199.90"},
            "day": {"type": "string", "format": "date", "description": "示例：2024-01-07"},
            "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}},
        },
        "required": ["order_no", "kind"],
    }  # fmt: skip
    given_arguments = {
        "order_no": "#202611200815",
        "amount": "100",
        "day": "06/07/2024",
        "orderno": "x",
        "items": [{}],
    }

    problems = check_arguments(contract(input_schema=schema), given_arguments)

    assert {(p.field, p.kind) for p in problems} == {
        ("orderno", "unknown"),
        ("order_no", "pattern"),
        ("kind", "missing"),
        ("amount", "type"),
        ("day", "format"),
        ("items.0.sku", "missing"),
    }
    text = problems_text(problems)
    assert "示例：202611200815" in text
    assert "late, damaged" in text
    assert "YYYY-MM-DD" in text
    assert "#202611200815" not in text, "values are not repeated"


@pytest.mark.parametrize(
    ("arguments", "kinds"),
    [
        ({"order_no": "202611200815"}, []),
        ({"order_no": "202611200815\n"}, ["pattern"]),
        ({}, ["missing"]),
        ([], ["type"]),
        (None, ["type"]),
        ({"order_no": True, "include_logistics": 1}, ["type", "type"]),
    ],
)
def test_arguments_are_taken_as_they_are(arguments: object, kinds: list[str]) -> None:
    assert [p.kind for p in check_arguments(contract(), arguments, "en")] == kinds


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(JSON)
def test_any_arguments_are_judged_and_only_right_ones_pass(value: Any) -> None:
    problems = check_arguments(contract(), value)

    is_right = (
        isinstance(value, dict)
        and value.keys() <= {"order_no", "include_logistics"}
        and isinstance(value.get("order_no"), str)
        and len(value["order_no"]) == 12
        and value["order_no"].isascii()
        and value["order_no"].isdigit()
        and isinstance(value.get("include_logistics", False), bool)
    )
    assert (not problems) is is_right


def test_a_registry_is_swapped_whole_or_not_at_all() -> None:
    registry = Registry([contract()])
    before = registry.contracts

    registry.replace([contract(name="search_orders")])
    assert list(registry.contracts) == ["search_orders"]
    assert list(before) == ["query_order_status"]
    with pytest.raises(ContractError):
        registry.replace([contract(), contract()])
    assert list(registry.contracts) == ["search_orders"]
    assert registry.generation == 1
    assert registry.check("no_such_tool", {})[0].kind == "tool"


def test_differences_say_what_breaks_callers() -> None:
    schema = QUERY_ORDER["input_schema"]
    narrower = {
        **schema,
        "properties": {"order_no": {**schema["properties"]["order_no"], "pattern": "^[0-9]{10}$"}},
    }
    before = {"query_order_status": contract(), "gone": contract(name="gone")}
    after = {"query_order_status": contract(input_schema=narrower, when_not=None)}

    found = {(d.tool, d.field): d for d in contract_differences(before, after)}

    assert found["gone", ""].is_breaking
    pattern = found["query_order_status", "input_schema.properties.order_no.pattern"]
    assert pattern.is_breaking
    assert pattern.is_seen
    flag = found["query_order_status", "input_schema.properties.include_logistics"]
    assert flag.is_breaking
    assert not found["query_order_status", "when_not"].is_breaking
    assert list(contract_differences(after, after)) == []


def test_a_parameter_that_must_be_given_from_now_on_breaks_callers() -> None:
    schema = QUERY_ORDER["input_schema"]
    both = contract(input_schema={**schema, "required": ["order_no", "include_logistics"]})
    one = contract()

    def breaks(before: Contract, after: Contract) -> bool:
        (found,) = contract_differences({one.name: before}, {one.name: after})
        assert found.field == "input_schema.required"
        return found.is_breaking

    assert breaks(one, both)
    assert not breaks(both, one)


@pytest.mark.parametrize("seed", range(20))
def test_made_up_data_fits_its_schema_and_is_the_same_again(seed: int) -> None:
    tool = contract()

    assert not check_arguments(tool, mock_arguments(tool, seed))
    assert mock_answer(tool, seed) == mock_answer(tool, seed)
    assert mock_answer(tool, seed)["status"] == "shipped"


def test_what_cannot_be_made_up_is_said() -> None:
    with pytest.raises(ContractError, match="returns: missing"):
        mock_answer(contract(returns=None))
    odd = {"type": "string", "pattern": "^(?:a|b)+c$"}
    with pytest.raises(ContractError, match="give it an example"):
        mock_answer(contract(returns={"type": "object", "properties": {"x": odd}}))


OPENAPI = {
    "openapi": "3.1.0",
    "paths": {
        "/tickets/{ticket_no}": {
            "parameters": [{"name": "ticket_no", "in": "path", "required": True, "schema": {"type": "string"}}],
            "get": {
                "operationId": "queryTicket",
                "summary": "Query a ticket.",
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ticket"}}}}},
            },
            "delete": {"summary": "Remove it."},
        },
        "/tickets": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ticket"}}}}}},
    },
    "components": {"schemas": {"Ticket": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}}},
}  # fmt: skip


def test_openapi_becomes_contracts_with_what_http_says() -> None:
    found = {c.name: c for c in import_contracts(OPENAPI)}

    assert set(found) == {"query_ticket", "delete_ticket", "create_ticket"}
    query = found["query_ticket"]
    assert query.danger is Danger.READ
    assert query.required == frozenset({"ticket_no"})
    assert query.returns is not None
    assert query.returns["required"] == ["kind"]
    assert found["delete_ticket"].danger is Danger.DELETE
    assert found["create_ticket"].danger is None
    assert found["create_ticket"].required == frozenset({"kind"})


@pytest.mark.parametrize("provider", sorted(TOOL_LISTS))
def test_a_tool_list_comes_back_as_contracts(provider: str) -> None:
    listed = Registry([contract()]).tool_list(provider)
    for document in (listed, {"tools": listed}, {"jsonrpc": "2.0", "result": {"tools": listed}}):
        (found,) = import_contracts(document)
        assert found.name == "query_order_status"
        assert found.input_schema == QUERY_ORDER["input_schema"]
        assert "请先使用 search_orders" in found.description


@pytest.mark.parametrize(
    ("danger", "comes_back"),
    [
        (Danger.READ, Danger.READ),
        (Danger.WRITE, Danger.WRITE),
        (Danger.DELETE, Danger.DELETE),
        (Danger.MONEY, Danger.DELETE),
        (None, None),
    ],
)
@pytest.mark.parametrize("is_idempotent", [True, False])
def test_what_mcp_hints_at_is_declared(
    danger: Danger | None, comes_back: Danger | None, is_idempotent: bool
) -> None:
    listed = Registry([contract(danger=danger, is_idempotent=is_idempotent)]).tool_list("mcp")

    (found,) = import_contracts(listed)

    assert found.danger is comes_back
    assert found.is_idempotent is (True if is_idempotent and danger is not None else None)


def test_a_schema_that_points_elsewhere_fetches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("urllib.request.urlopen", lambda *args, **_: asked.append(args))
    elsewhere = {"type": "object", "properties": {"a": {"$ref": "http://10.0.0.7/schema.json"}}}

    assert check_arguments(contract(input_schema=elsewhere), {"a": 1}) == ()
    assert asked == []


def test_a_document_of_another_shape_is_refused() -> None:
    documents: tuple[object, ...] = ({}, [], 3, {"tools": "x"}, {"paths": {}})
    for document in documents:
        with pytest.raises(ContractError):
            import_contracts(document, "file.json")
