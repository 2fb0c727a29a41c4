"""What the agent tells the user in the end: the facts it was shown, in plain Chinese."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pipeline.vocabulary import CallStatus
from sample_traces.policy import Outcome

STATUS_WORDS = MappingProxyType(
    {"pending": "待支付", "shipped": "已发货", "delivered": "已签收", "cancelled": "已取消"}
)
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
    if outcome.status is not CallStatus.OK or not isinstance(outcome.shown, dict):
        return ""
    say = _SENTENCES.get(outcome.choice.call.tool)
    return say(outcome.shown) if say is not None else ""


def _order(shown: Mapping[str, object]) -> str:
    status = str(shown.get("status", ""))
    words = f"订单 {shown.get('order_id')} {STATUS_WORDS.get(status, '状态未知')}"
    if "estimated_delivery" in shown:
        words += f"，预计 {shown['estimated_delivery']} 送达"
    return words + "。"


def _search(shown: Mapping[str, object]) -> str:
    return "没有找到相关订单。" if shown.get("total") == 0 else ""


def _points(shown: Mapping[str, object]) -> str:
    if "points_balance" not in shown:
        return "积分暂时查不到。"
    return f"您有 {shown['points_balance']} 积分，{shown.get('points_expire')} 到期。"


def _coupon(shown: Mapping[str, object]) -> str:
    return "这张券可以用于该订单。" if shown.get("valid") else "这张券不能用于该订单。"


def _ticket(shown: Mapping[str, object]) -> str:
    words = {"open": "已登记", "processing": "正在处理"}
    return f"工单 {shown.get('ticket_no')} {words.get(str(shown.get('ticket_status')), '')}。"


def _refund(shown: Mapping[str, object]) -> str:
    return f"退款 {shown.get('amount')} 元已受理。"


def _rows(shown: Mapping[str, object]) -> str:
    rows = shown.get("data")
    if not isinstance(rows, list):
        return "库存暂用缓存数据，请稍后核对。"
    told = (f"{row['province']} {row.get('amount', row.get('current_stock'))}" for row in rows[:3])
    return "；".join(told) + "。"


def _file(shown: Mapping[str, object]) -> str:
    return f"已导出 {shown.get('file')}，共 {shown.get('rows')} 行。"


_SENTENCES: Mapping[str, Callable[[Mapping[str, object]], str]] = MappingProxyType(
    {
        "query_order_status": _order,
        "search_orders": _search,
        "get_user_points": _points,
        "check_coupon": _coupon,
        "create_ticket": _ticket,
        "query_ticket": _ticket,
        "refund_order": _refund,
        "inventory_check": _rows,
        "sales_summary": _rows,
        "export_orders": _file,
    }
)
