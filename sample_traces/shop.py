"""The shop's books: what a task is about, and what each system answers when asked."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from types import MappingProxyType

from pipeline.vocabulary import ErrorClass
from sample_traces.draws import weighted
from sample_traces.timeline import SHANGHAI, NewStatus
from sample_traces.units import NS_PER_SECOND

GOODS = (
    "保温杯", "蓝牙耳机", "羽绒服", "空气炸锅", "儿童积木", "跑步鞋",
    "电动牙刷", "咖啡豆", "露营帐篷", "机械键盘", "护手霜", "台灯",
)  # fmt: skip
PROVINCES = ("Jiangsu", "Zhejiang", "Shandong", "Guangdong", "Sichuan", "Hubei")
STATUS_WEIGHTS = {"pending": 2.0, "shipped": 6.0, "delivered": 4.0, "cancelled": 0.7}
EVENTS = (
    "Package picked up",
    "In transit to destination",
    "Arrived at Hangzhou sorting centre, waiting for the night line-haul to the destination city",
    "Out for delivery, the courier will call before handing over at the address on the label",
)
CITIES = ("Shenzhen, CN", "Guangzhou, CN", "Hangzhou, CN", "Nanjing, CN")
MAX_EXPORT_ROWS = 1000

JsonObject = dict[str, object]


@dataclass(frozen=True, slots=True)
class Case:
    """What one task is about, as the shop's books have it."""

    asked_at: datetime
    user_id: str
    order_no: str
    is_own_order: bool
    goods: str
    is_found: bool
    """Whether a search for the goods finds the order."""
    order_status: str
    order_body: Mapping[str, object]
    amount: float
    points: int
    coupon_code: str
    is_coupon_valid: bool
    ticket_no: str
    is_ticket_known: bool
    provinces: tuple[str, ...]
    stock: tuple[JsonObject, ...]
    sales: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system says: a result, or the class of its refusal."""

    result: JsonObject | None
    error_class: ErrorClass | None = None
    http_status: int = 200


def draw_case(
    draws: Random, at_ns: int, user_id: str, new_statuses: Sequence[NewStatus] = ()
) -> Case:
    """A case of a user who asks at this moment; some orders have a status that is new."""
    asked_at = datetime.fromtimestamp(at_ns // NS_PER_SECOND, SHANGHAI)
    order_no = (
        f"{asked_at - timedelta(days=draws.randrange(1, 9)):%Y%m%d}{draws.randrange(10**4):04d}"
    )
    order_status = weighted(draws, STATUS_WEIGHTS)
    novelty = draws.random()
    for new in new_statuses:
        order_status = new.status if novelty < new.share else order_status
    provinces = tuple(draws.sample(PROVINCES, 3))
    stock = tuple(_stock(draws, name) for name in provinces)
    return Case(
        asked_at=asked_at,
        user_id=user_id,
        order_no=order_no,
        is_own_order=draws.random() > 0.03,
        goods=draws.choice(GOODS),
        is_found=draws.random() > 0.1,
        order_status=order_status,
        order_body=MappingProxyType(_order_body(draws, asked_at, order_no, order_status)),
        amount=draws.randrange(1900, 89900) / 100,
        points=draws.randrange(20, 5200),
        coupon_code=f"NOV50-{draws.randrange(16**4):04X}",
        is_coupon_valid=draws.random() > 0.25,
        ticket_no=f"T{asked_at:%Y%m%d}{draws.randrange(10**4):04d}",
        is_ticket_known=draws.random() > 0.08,
        provinces=provinces,
        stock=stock,
        sales=tuple(_sales(draws, row) for row in stock),
    )


def answer(case: Case, tool: str, arguments: Mapping[str, object]) -> Answer:
    """What the system behind `tool` says to these arguments, when it says anything."""
    if not _is_order_no(arguments.get("order_no", case.order_no)):
        return Answer(None, ErrorClass.INVALID_ARGUMENT, 400)
    return _SYSTEMS[tool](case, arguments)


def _is_order_no(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9]{12}", value) is not None


def _query_order_status(case: Case, arguments: Mapping[str, object]) -> Answer:
    if arguments["order_no"] != case.order_no:
        return _NOT_FOUND
    body = dict(case.order_body)
    if not arguments.get("include_logistics"):
        body.pop("logistics_info", None)
    return Answer(body)


def _search_orders(case: Case, arguments: Mapping[str, object]) -> Answer:
    is_number = arguments["keyword"] == case.order_no
    if not case.is_own_order or not (case.is_found or is_number):
        return Answer({"orders": [], "total": 0})
    row = {"order_id": case.order_no, "goods": case.goods, "status": case.order_status}
    return Answer({"orders": [row], "total": 1})


def _get_user_points(case: Case, arguments: Mapping[str, object]) -> Answer:
    return Answer(
        {
            "user_id": arguments["user_id"],
            "points_balance": case.points,
            "points_expire": "2026-12-31",
        }
    )


def _check_coupon(case: Case, arguments: Mapping[str, object]) -> Answer:
    coupon = {
        "code": arguments["coupon_code"],
        "status": "valid" if case.is_coupon_valid else "below_minimum_amount",
        "valid_until": f"{case.asked_at + timedelta(days=1 + case.points % 30):%Y-%m-%d}",
        "discount": 50,
    }
    return Answer({"user_id": case.user_id, "coupons": [coupon]})


def _create_ticket(case: Case, _: Mapping[str, object]) -> Answer:
    return Answer({"ticket_no": case.ticket_no, "ticket_status": "open"})


def _query_ticket(case: Case, arguments: Mapping[str, object]) -> Answer:
    if not case.is_ticket_known or arguments["ticket_no"] != case.ticket_no:
        return _NOT_FOUND
    return Answer(
        {"ticket_no": case.ticket_no, "ticket_status": "processing", "handler": "售后二组"}
    )


def _refund_order(case: Case, _: Mapping[str, object]) -> Answer:
    if case.order_status == "cancelled":
        return Answer(None, ErrorClass.PERMISSION, 403)
    return Answer({"order_id": case.order_no, "refund_status": "accepted", "amount": case.amount})


def _inventory_check(case: Case, _: Mapping[str, object]) -> Answer:
    return Answer({"data": list(case.stock)})


def _sales_summary(case: Case, arguments: Mapping[str, object]) -> Answer:
    if arguments["group_by"] == "city":
        return Answer(None, ErrorClass.TOO_LARGE, 413)
    return Answer({"data": list(case.sales)})


def _export_orders(case: Case, arguments: Mapping[str, object]) -> Answer:
    name = f"orders-{arguments.get('date', f'{case.asked_at:%Y-%m-%d}')}.csv"
    return Answer({"file": name, "rows": 200 + case.points % 700})


_NOT_FOUND = Answer(None, ErrorClass.NOT_FOUND, 404)
_SYSTEMS: Mapping[str, Callable[[Case, Mapping[str, object]], Answer]] = MappingProxyType(
    {
        "query_order_status": _query_order_status,
        "search_orders": _search_orders,
        "get_user_points": _get_user_points,
        "check_coupon": _check_coupon,
        "create_ticket": _create_ticket,
        "query_ticket": _query_ticket,
        "refund_order": _refund_order,
        "inventory_check": _inventory_check,
        "sales_summary": _sales_summary,
        "export_orders": _export_orders,
    }
)


def _order_body(draws: Random, asked_at: datetime, order_no: str, status: str) -> JsonObject:
    body: JsonObject = {"order_id": order_no, "status": status}
    days = -draws.randrange(0, 3) if status == "delivered" else draws.choice((0, 0, 1, 2))
    body["estimated_delivery"] = f"{asked_at + timedelta(days=days):%Y-%m-%d}"
    if status not in ("pending", "cancelled"):
        body["tracking_number"] = f"SF{draws.randrange(10**9):09d}CN"
        body["logistics_info"] = _logistics(draws, asked_at)
    return body


def _logistics(draws: Random, asked_at: datetime) -> list[JsonObject]:
    """Two events, oldest first; now and then the newest has no time, or none of them has."""
    newest = draws.randrange(1, len(EVENTS))
    rows: list[JsonObject] = []
    for back, event in ((30, EVENTS[0]), (draws.randrange(1, 20), EVENTS[newest])):
        time = asked_at - timedelta(hours=back)
        rows.append({"time": time.isoformat(), "location": draws.choice(CITIES), "event": event})
    n_timeless = draws.choices((0, 1, 2), (0.87, 0.1, 0.03))[0]
    for row in rows[len(rows) - n_timeless :]:
        del row["time"]
    return rows


def _stock(draws: Random, province: str) -> JsonObject:
    return {
        "province": province,
        "current_stock": draws.randrange(40, 200) * 100,
        "min_safe_level": 10000,
        "avg_daily_sales": draws.randrange(20, 90) * 10,
    }


def _sales(draws: Random, stock: JsonObject) -> JsonObject:
    """The warehouse's own count of a province; its daily sales are rarely another number."""
    daily = int(str(stock["avg_daily_sales"])) + (10 if draws.random() < 0.012 else 0)
    return {
        "province": stock["province"],
        "amount": draws.randrange(200, 1600) * 100,
        "avg_daily_sales": daily,
    }
