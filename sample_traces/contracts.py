"""The shop's tools: what the model reads of each, and how the system behind it behaves."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from sample_traces.timeline import ContractRelease, Timeline


@dataclass(frozen=True, slots=True)
class Contract:
    """One tool at one version."""

    name: str
    version: str
    description: str
    properties: Mapping[str, Mapping[str, object]]
    required: Sequence[str]
    host: str
    median_ms: float
    """Median of one attempt; log-normal around it."""
    sigma: float = 0.45
    unavailable_rate: float = 0.008
    """Share of attempts answered by 503 in ordinary times."""
    is_idempotent: bool = True
    """False where a second try could do the work twice."""
    fallback: str | None = None
    """L1 (a declared default) or L2 (a cached answer) when every try failed; never for writes."""

    def definition(self) -> dict[str, object]:
        """What the model sees of the tool, in the form of `gen_ai.tool.definitions`."""
        return {
            "type": "function",
            "name": self.name,
            "description": self.description,
            "parameters": {
                "type": "object",
                "properties": dict(self.properties),
                "required": list(self.required),
            },
        }


def _text(description: str, **more: object) -> dict[str, object]:
    return {"type": "string", "description": description, **more}


ORDER_NO = _text("12 位数字，示例：202611200815")
_TICKET_KINDS = ["damaged", "missing", "late", "other"]

CONTRACTS: Mapping[str, Contract] = MappingProxyType(
    {
        contract.name: contract
        for contract in (
            Contract(
                "query_order_status",
                "1.2.0",
                "按订单号查询订单的状态与物流，只读。只有商品名等模糊信息时请先用 search_orders，"
                "不要猜测订单号。",
                {"order_no": ORDER_NO, "include_logistics": {"type": "boolean", "default": False}},
                ["order_no"],
                "orders.shop.example",
                median_ms=250,
                sigma=0.6,
            ),
            Contract(
                "search_orders",
                "1.1.0",
                "按商品名或手机尾号搜索订单，只读。"
                "已知 12 位订单号时不要用，请用 query_order_status。",
                {"keyword": _text("商品名或手机尾号，示例：保温杯")},
                ["keyword"],
                "search.shop.example",
                median_ms=380,
            ),
            Contract(
                "get_user_points",
                "1.0.0",
                "查询用户的积分余额与到期日，只读。查优惠券请用 check_coupon。",
                {"user_id": _text("用户代号，示例：u_3f9a1c20")},
                ["user_id"],
                "members.shop.example",
                median_ms=90,
                fallback="L2",
            ),
            Contract(
                "check_coupon",
                "2.0.1",
                "校验优惠券能否用于订单，只读。不查询积分。",
                {"coupon_code": _text("券码，示例：NOV50-7K2Q"), "order_no": ORDER_NO},
                ["coupon_code", "order_no"],
                "promo.shop.example",
                median_ms=140,
            ),
            Contract(
                "create_ticket",
                "1.4.0",
                "登记一张售后工单，写操作。询问进度请用 query_ticket。",
                {"order_no": ORDER_NO, "kind": _text("问题类别", enum=_TICKET_KINDS)},
                ["order_no", "kind"],
                "tickets.shop.example",
                median_ms=420,
                unavailable_rate=0.02,
            ),
            Contract(
                "query_ticket",
                "1.0.2",
                "按工单号查询处理进度，只读。没有工单号时不要用。",
                {"ticket_no": _text("工单号，示例：T20261120017")},
                ["ticket_no"],
                "tickets.shop.example",
                median_ms=160,
            ),
            Contract(
                "refund_order",
                "1.0.0",
                "为已支付订单退款，资金类写操作，必须带用户确认的 confirm_token。"
                "只是询问能否退款时不要用。",
                {"order_no": ORDER_NO, "confirm_token": _text("一次性确认令牌，示例：C-8F2K")},
                ["order_no"],
                "pay.shop.example",
                median_ms=650,
                unavailable_rate=0.03,
                is_idempotent=False,
            ),
            Contract(
                "inventory_check",
                "3.1.0",
                "查询各省库存与安全线，只读，最多 5 个省。销量请用 sales_summary。",
                {"provinces": {"type": "array", "items": {"type": "string"}, "maxItems": 5}},
                ["provinces"],
                "stock.shop.example",
                median_ms=520,
                fallback="L1",
            ),
            Contract(
                "sales_summary",
                "2.2.0",
                "按区域汇总一段时间的销售额，只读。库存请用 inventory_check。",
                {
                    "start_date": _text("示例：2026-11-20", format="date"),
                    "end_date": _text("示例：2026-11-26", format="date"),
                    "group_by": _text("汇总粒度", enum=["province", "city"]),
                },
                ["start_date", "end_date", "group_by"],
                "warehouse.shop.example",
                median_ms=780,
                sigma=0.5,
            ),
            Contract(
                "export_orders",
                "1.0.0",
                "导出订单明细，高危操作，单次不超过 1000 行。查看单个订单时不要用。",
                {"scope": _text("范围", enum=["all", "day"]), "date": _text("示例：2026-11-26")},
                ["scope"],
                "warehouse.shop.example",
                median_ms=1100,
                is_idempotent=False,
            ),
        )
    }
)
CUSTOMER_TOOLS = (
    "query_order_status",
    "search_orders",
    "get_user_points",
    "check_coupon",
    "create_ticket",
    "query_ticket",
    "refund_order",
)
STAFF_TOOLS = (
    "sales_summary",
    "inventory_check",
    "query_order_status",
    "search_orders",
    "query_ticket",
    "export_orders",
)
STAFF_CALLER = "ops_console"


class Catalogue:
    """The contracts in force at one moment."""

    def __init__(self, timeline: Timeline, at_ns: int) -> None:
        releases = timeline.effects(ContractRelease, at_ns)
        self._releases = {release.tool: release for release in releases}

    def contract(self, tool: str) -> Contract:
        """The contract of a tool, as last released."""
        contract = CONTRACTS[tool]
        release = self._releases.get(tool)
        if release is None:
            return contract
        return replace(contract, version=release.version, description=release.description)

    def definitions(self, caller: str) -> str:
        """The tools on offer to a caller, as the JSON text of `gen_ai.tool.definitions`."""
        names = STAFF_TOOLS if caller == STAFF_CALLER else CUSTOMER_TOOLS
        return compact_json([self.contract(name).definition() for name in names])


def compact_json(value: object) -> str:
    """JSON without spaces, Chinese kept readable."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
