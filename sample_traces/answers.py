"""What the agent tells the user in the end: the facts it was shown, in plain Chinese."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pipeline.vocabulary import CallStatus
from sample_traces.policy import Facts, Outcome

_SMALL_TALK = "人工客服每天 9:00 到 21:00 在线。还有什么可以帮您？"
_SORRY = "抱歉，暂时没有查到结果，请稍后再试或联系人工客服。"


def closing(outcomes: Sequence[Outcome]) -> str:
    """The last words of a run, from how its calls ended."""
    if not outcomes:
        return _SMALL_TALK
    last = outcomes[-1]
    if last.status is CallStatus.BLOCKED:
        return f"这一步我不能直接办理：{last.shown}"
    told = dict.fromkeys(_sentence(outcome) for outcome in outcomes)
    return "".join(sentence for sentence in told if sentence) or _SORRY


def _sentence(outcome: Outcome) -> str:
    tool = outcome.choice.call.tool
    if outcome.status is not CallStatus.OK:
        return ""
    if tool in _OF_FACTS:
        return _OF_FACTS[tool](outcome.facts)
    say = _OF_RESULTS.get(tool)
    return say(outcome.shown) if say is not None and isinstance(outcome.shown, Mapping) else ""


def _one(facts: Facts, fact_type: str) -> str:
    return "".join(facts.get(fact_type, {}).values())


def _order(facts: Facts) -> str:
    order_no = "".join(facts.get("STATUS", {}))
    words = f"订单 {order_no} {_one(facts, 'STATUS') or '状态未知'}"
    promised = _one(facts, "EST_DELIVERY")
    return f"{words}，预计 {promised} 送达。" if promised else f"{words}。"


def _points(facts: Facts) -> str:
    points, expiry = _one(facts, "USER_POINTS"), _one(facts, "POINTS_EXPIRY")
    if not points:
        return "积分暂时查不到。"
    return f"您有 {points} 积分，{expiry} 到期。" if expiry else f"您有 {points} 积分。"


def _coupon(facts: Facts) -> str:
    return "这张券不能用于该订单。" if _one(facts, "COUPON_COUNT") == "0" else "这张券可以使用。"


def _stock(facts: Facts) -> str:
    told = [
        f"{province} 库存 {stock} 件，{facts.get('STOCK_STATUS', {}).get(province, '')}"
        for province, stock in facts.get("STOCK_LEVEL", {}).items()
    ]
    short = [name for name, word in facts.get("STOCK_STATUS", {}).items() if word != "充足"]
    advice = f"{'、'.join(short)} 需要补货。" if short else "不用补货。"
    return "；".join(told) + "。" + advice if told else "库存暂时查不到。"


def _sales(facts: Facts) -> str:
    told = [f"{province} {amount} 元" for province, amount in facts.get("SALES_AMOUNT", {}).items()]
    return "；".join(told) + "。" if told else ""


def _search(shown: Mapping[str, object]) -> str:
    return "没有找到相关订单。" if shown.get("total") == 0 else ""


def _ticket(shown: Mapping[str, object]) -> str:
    words = {"open": "已登记", "processing": "正在处理"}
    return f"工单 {shown.get('ticket_no')} {words.get(str(shown.get('ticket_status')), '')}。"


def _refund(shown: Mapping[str, object]) -> str:
    return f"退款 {shown.get('amount')} 元已受理。"


def _file(shown: Mapping[str, object]) -> str:
    return f"已导出 {shown.get('file')}，共 {shown.get('rows')} 行。"


_OF_FACTS: Mapping[str, Callable[[Facts], str]] = MappingProxyType(
    {
        "query_order_status": _order,
        "get_user_points": _points,
        "check_coupon": _coupon,
        "inventory_check": _stock,
        "sales_summary": _sales,
    }
)
_OF_RESULTS: Mapping[str, Callable[[Mapping[str, object]], str]] = MappingProxyType(
    {
        "search_orders": _search,
        "create_ticket": _ticket,
        "query_ticket": _ticket,
        "refund_order": _refund,
        "export_orders": _file,
    }
)
