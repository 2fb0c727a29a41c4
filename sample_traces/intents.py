"""What people ask for: the words of the request and the calls that would answer it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random
from types import MappingProxyType

from sample_traces.contracts import STAFF_CALLER
from sample_traces.draws import weighted
from sample_traces.shop import Case

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and the arguments to call it with."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Step:
    """One call that is needed, and the ways in which a model goes wrong about it."""

    best: Call
    alternative: Call | None = None
    """Another tool that would do as well."""
    confusable: Call | None = None
    """The tool that a model takes for the best one."""
    broken: Call | None = None
    """The best tool with arguments that its contract forbids."""
    narrower: Call | None = None
    """What the guard would let through where it stops the best call."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A request and what it needs: groups of steps, the steps of one group independent."""

    name: str
    utterance: str
    groups: tuple[tuple[Step, ...], ...]
    is_ambiguous: bool = False
    """Whether a model may swing between two tools over it."""
    asked_on: str = ""
    """The day of the request, as dates are written."""
    on_overdue: Call | None = None
    """What a model does unasked when the parcel seems overdue."""


def draw_intent(draws: Random, case: Case, caller: str) -> Intent:
    """The request of a task, from what its caller usually asks."""
    weights = STAFF_INTENTS if caller == STAFF_CALLER else CUSTOMER_INTENTS
    name = weighted(draws, weights)
    intent = _BUILDERS[name](draws, case)
    return replace(intent, name=name, asked_on=f"{case.asked_at:%Y-%m-%d}")


CUSTOMER_INTENTS = {
    "track_delivery": 30.0,
    "find_order": 20.0,
    "points": 8.0,
    "coupon_and_points": 10.0,
    "complaint": 9.0,
    "ticket_progress": 8.0,
    "refund": 9.0,
    "small_talk": 9.0,
}
STAFF_INTENTS = {"restock": 4.0, "sales": 2.0, "stock": 2.5, "cover": 6.0, "export": 2.5}


def _order_step(case: Case) -> Step:
    return Step(
        Call("query_order_status", {"order_no": case.order_no, "include_logistics": True}),
        confusable=Call("search_orders", {"keyword": case.order_no}),
        broken=Call("query_order_status", {"order_no": f"#{case.order_no}"}),
    )


def _search_step(case: Case) -> Step:
    guess = f"{case.asked_at:%Y%m%d}0001"
    return Step(
        Call("search_orders", {"keyword": case.goods}),
        confusable=Call("query_order_status", {"order_no": guess}),
    )


def _points_step(case: Case) -> Step:
    return Step(Call("get_user_points", {"user_id": case.user_id}))


def _track_delivery(draws: Random, case: Case) -> Intent:
    words = draws.choice(("我的订单 {0} 到哪了？", "帮我看下 {0} 什么时候能到", "{0} 发货了吗"))
    return Intent("", words.format(case.order_no), ((_order_step(case),),), is_ambiguous=True)


def _find_order(draws: Random, case: Case) -> Intent:
    words = draws.choice(("上周买的{0}发货了没有", "我买的{0}怎么还没到？", "查一下我那单{0}"))
    groups = ((_search_step(case),), (replace(_order_step(case), confusable=None, broken=None),))
    late = Call("create_ticket", {"order_no": case.order_no, "kind": "late"})
    return Intent("", words.format(case.goods), groups, is_ambiguous=True, on_overdue=late)


def _points(_: Random, case: Case) -> Intent:
    step = replace(
        _points_step(case),
        confusable=Call("check_coupon", {"coupon_code": "POINTS", "order_no": case.order_no}),
    )
    return Intent("", "我还有多少积分，什么时候过期？", ((step,),))


def _coupon_and_points(_: Random, case: Case) -> Intent:
    arguments = {"coupon_code": case.coupon_code, "order_no": case.order_no}
    coupon = Step(
        Call("check_coupon", arguments),
        broken=Call("check_coupon", {**arguments, "order_no": case.order_no[2:]}),
    )
    words = f"订单 {case.order_no} 能用券 {case.coupon_code} 吗？顺便看看我有多少积分"
    return Intent("", words, ((coupon, _points_step(case)),))


def _complaint(draws: Random, case: Case) -> Intent:
    kind, words = draws.choice(
        (("damaged", "收到就是坏的"), ("missing", "少了一件"), ("late", "太慢了"))
    )
    look = replace(_order_step(case), alternative=Call("search_orders", {"keyword": case.goods}))
    write = Step(Call("create_ticket", {"order_no": case.order_no, "kind": kind}))
    return Intent(
        "", f"订单 {case.order_no} 的{case.goods}{words}，帮我登记一下", ((look,), (write,))
    )


def _ticket_progress(_: Random, case: Case) -> Intent:
    step = Step(
        Call("query_ticket", {"ticket_no": case.ticket_no}),
        confusable=Call("create_ticket", {"order_no": case.order_no, "kind": "other"}),
        broken=Call("query_ticket", {"ticket_no": case.ticket_no[1:]}),
    )
    return Intent("", f"工单 {case.ticket_no} 处理得怎么样了？", ((step,),))


def _refund(draws: Random, case: Case) -> Intent:
    arguments: dict[str, object] = {"order_no": case.order_no}
    words = f"订单 {case.order_no} 不想要了，给我退款"
    if draws.random() < 0.5:
        token = f"C-{draws.randrange(16**4):04X}"
        arguments["confirm_token"] = token
        words += f"，我已确认，令牌 {token}"
    look = Step(
        Call("query_order_status", {"order_no": case.order_no}),
        confusable=Call("search_orders", {"keyword": case.order_no}),
    )
    return Intent("", words, ((look,), (Step(Call("refund_order", arguments)),)))


def _small_talk(draws: Random, _: Case) -> Intent:
    words = (
        "人工客服几点上班？",
        "你们支持货到付款吗",
        "谢谢，没事了",
        "退货运费谁出？",
        "你是机器人吗",
    )
    return Intent("", draws.choice(words), ())


def _week(case: Case) -> dict[str, object]:
    last = case.asked_at - timedelta(days=1)
    return {"start_date": f"{last - timedelta(days=6):%Y-%m-%d}", "end_date": f"{last:%Y-%m-%d}"}


def _sales_step(case: Case) -> Step:
    week = _week(case)
    return Step(
        Call("sales_summary", {**week, "group_by": "province"}),
        confusable=Call("inventory_check", {"provinces": list(case.provinces)}),
        broken=Call("sales_summary", {**week, "group_by": "city"}),
    )


def _stock_step(case: Case) -> Step:
    return Step(
        Call("inventory_check", {"provinces": list(case.provinces)}),
        confusable=Call("sales_summary", {**_week(case), "group_by": "province"}),
    )


def _restock(_: Random, case: Case) -> Intent:
    words = f"把 {'、'.join(case.provinces)} 近七天的销售额汇总，再看要不要补货"
    return Intent("", words, ((_sales_step(case),), (replace(_stock_step(case), confusable=None),)))


def _sales(_: Random, case: Case) -> Intent:
    return Intent("", f"近七天 {'、'.join(case.provinces)} 各卖了多少？", ((_sales_step(case),),))


def _stock(_: Random, case: Case) -> Intent:
    return Intent("", f"{'、'.join(case.provinces)} 的库存还够吗", ((_stock_step(case),),))


def _cover(_: Random, case: Case) -> Intent:
    steps = (replace(_stock_step(case), confusable=None), replace(_sales_step(case), broken=None))
    return Intent("", f"{'、'.join(case.provinces)} 的库存按现在的销量够卖几天？", (steps,))


def _export(draws: Random, case: Case) -> Intent:
    day = f"{case.asked_at:%Y-%m-%d}"
    one_day = Call("export_orders", {"scope": "day", "date": day})
    if draws.random() < 0.55:
        step = Step(Call("export_orders", {"scope": "all"}), narrower=one_day)
        return Intent("", "把全部客户的订单明细导出来", ((step,),))
    return Intent("", f"导出 {day} 的订单明细", ((Step(one_day),),))


_BUILDERS: Mapping[str, Callable[[Random, Case], Intent]] = MappingProxyType(
    {
        "track_delivery": _track_delivery,
        "find_order": _find_order,
        "points": _points,
        "coupon_and_points": _coupon_and_points,
        "complaint": _complaint,
        "ticket_progress": _ticket_progress,
        "refund": _refund,
        "small_talk": _small_talk,
        "restock": _restock,
        "sales": _sales,
        "stock": _stock,
        "cover": _cover,
        "export": _export,
    }
)
