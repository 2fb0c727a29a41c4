"""The seed's contract (S3 §3.1), whole, for tests that need one."""

from dataclasses import replace
from typing import Any

from pipeline.contracts import Contract, parse_contract

QUERY_ORDER: dict[str, Any] = {
    "name": "query_order_status",
    "version": "1.2.0",
    "description": "根据订单号查询当前状态与物流节点。本接口只读，不产生任何业务变更。",
    "when": ["我的订单到哪了"],
    "when_not": "若用户只提供了商品名、手机号，请先使用 search_orders，不要猜测订单号格式。",
    "input_schema": {
        "type": "object",
        "properties": {
            "order_no": {
                "type": "string",
                "pattern": "^[0-9]{12}$",
                "description": "12 位纯数字订单号，格式示例：202611200815",
            },
            "include_logistics": {
                "type": "boolean",
                "default": False,
                "description": "是否返回物流节点明细",
            },
        },
        "required": ["order_no"],
    },
    "returns": {
        "type": "object",
        "properties": {"order_no": {"type": "string", "pattern": "^[0-9]{12}$"}, "status": {"enum": ["shipped"]}},
        "required": ["status"],
    },
    "errors": {"E404": "NOT_FOUND", "E9": {"class": "TOO_LARGE", "advice": "请缩小范围。"}},
    "danger": "read",
    "quotas": {"peak_per_second": 100, "caller_per_day": 500},
    "sla_p95_ms": 1200,
    "fallback": {"default": {"status": "unknown"}},
    "sensitive": ["order_no"],
    "domain": "orders",
    "timeout_seconds": 2,
}  # fmt: skip


def contract(**changes: object) -> Contract:
    return replace(parse_contract(QUERY_ORDER), **changes)  # type: ignore[arg-type]
