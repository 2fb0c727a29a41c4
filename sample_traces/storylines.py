"""Which runs of the world show which story, and what is said of it.

Owns the words of the six stories and the choice of their traces among the runs; `stories` gives
the recorded result to others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sample_traces.progress import RunRecord
from sample_traces.stories import Story
from sample_traces.timeline import Timeline
from sample_traces.truth import TraceTruth

N_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Storyline:
    """A story before it is cast: its words, its cause, and how to recognise a run that shows it."""

    key: str
    condition: str
    metric: str
    title_en: str
    title_zh: str
    shows_en: str
    shows_zh: str
    is_shown_by: Callable[[TraceTruth], bool]
    is_best_shown_by: Callable[[TraceTruth], bool] = bool
    """Among the runs that show it, those to be told of first; all of them by default."""
    tool: str | None = None
    rule: str | None = None


def _has_late_ticket(truth: TraceTruth) -> bool:
    """Whether the model found the order at once, and then opened a ticket nobody asked for."""
    late = ["search_orders", "query_order_status", "create_ticket"]
    return truth["intent"] == "find_order" and truth["tools"] == late


STORYLINES = (
    Storyline(
        key="contract_broken",
        condition="contract sentence lost",
        metric="selection_accuracy",
        tool="query_order_status",
        title_en="A contract lost a sentence",
        title_zh="契约少了一句话",
        shows_en="Tool-selection accuracy is below 85 %: since version 1.3.0 of query_order_status "
        "no longer says when to search first, the model guesses order numbers.",
        shows_zh="工具选择准确率低于 85%：query_order_status 1.3.0 不再说明何时该先搜索，模型开始猜订单号。",
        is_shown_by=lambda t: (
            t["intent"] == "find_order"
            and t["tools"] == ["query_order_status", "search_orders", "query_order_status"]
            and t["statuses"] == ["error", "ok", "ok"]
        ),
    ),
    Storyline(
        key="slow_downstream",
        condition="order system slow",
        metric="latency_p95_call",
        tool="query_order_status",
        title_en="The order system is slow",
        title_zh="订单系统变慢",
        shows_en="P95 of calls is above the 8 s budget, attempts run into their 3 s limit, and the "
        "retry rate is a multiple of the week before.",
        shows_zh="调用 P95 超过 8 秒预算，单次尝试顶到 3 秒上限，重试率是前一周的数倍。",
        is_shown_by=lambda t: (
            t["tools"] == ["query_order_status"]
            and t["attempts"] >= 3
            and t["statuses"] == ["error"]
        ),
    ),
    Storyline(
        key="guard_rule_off",
        condition="confirmation rule off",
        metric="guard_hits",
        tool="refund_order",
        rule="money_confirmation",
        title_en="A guard rule fell silent",
        title_zh="一条拦截规则失声",
        shows_en="money_confirmation is no longer evaluated while refunds go on: refunds without a "
        "confirmation token go through.",
        shows_zh="money_confirmation 不再被评估而退款照常：没有确认令牌的退款被放行。",
        is_shown_by=lambda t: (
            t["tools"] == ["query_order_status", "refund_order"]
            and t["statuses"] == ["ok", "ok"]
            and t["unconfirmed_refunds"] > 0
        ),
    ),
    Storyline(
        key="new_status",
        condition="new order status",
        metric="unknown_share",
        tool="query_order_status",
        title_en="A status that no dictionary knows",
        title_zh="字典里没有的新状态",
        shows_en="The share of UNKNOWN facts rises from 0: the order system sends `refunding`, and "
        "the model reads “unknown status”.",
        shows_zh="UNKNOWN 事实占比从 0 上升：订单系统开始返回 refunding，模型读到“未知状态”。",
        is_shown_by=lambda t: (
            t["tools"] in (["query_order_status"], ["search_orders", "query_order_status"])
            and set(t["statuses"]) == {"ok"}
            and t["unknown_facts"] > 0
        ),
    ),
    Storyline(
        key="ping_pong",
        condition="tools that send for each other",
        metric="steps_per_task",
        tool="search_orders",
        title_en="Two tools send for each other",
        title_zh="两个工具互相踢皮球",
        shows_en="Steps per task are over 1.3 times the week before: search_orders 1.2.0 asks to "
        "check with query_order_status and to search again, so the model swings between them.",
        shows_zh="每任务步数超过前一周的 1.3 倍：search_orders 1.2.0 要求核对后再搜索，模型在两者之间来回。",
        is_shown_by=lambda t: (
            6 <= len(t["tools"]) < 8 and len(set(t["tools"])) == 2 and set(t["statuses"]) == {"ok"}
        ),
    ),
    Storyline(
        key="noise_only",
        condition="noise drill too strong",
        metric="noise_exposure",
        tool="query_order_status",
        title_en="Only the noise log explains it",
        title_zh="只有噪声日志能解释",
        shows_en="Noise exposure rises from 0. In some tasks the model opens a ticket for a late "
        "parcel that is not late, or tells a wrong balance: tools, guard and model did nothing "
        "wrong; the noise log shows that JITTER_DATE moved the date, JITTER_NUM the points.",
        shows_zh="噪声暴露从 0 上升。有的任务里模型为没有迟到的包裹登记迟到工单，或报错积分：工具、拦截、模型都没有错，"
        "噪声日志显示 JITTER_DATE 移动了日期，JITTER_NUM 改了积分。",
        is_shown_by=lambda t: (
            t["is_misled"]
            and set(t["statuses"]) == {"ok"}
            and (_has_late_ticket(t) or t["tools"] == ["get_user_points"])
        ),
        is_best_shown_by=_has_late_ticket,
    ),
)


def cast(records: Sequence[RunRecord], timeline: Timeline) -> tuple[Story, ...]:
    """Each story with the earliest runs that show it; stories this timeline lacks are left out."""
    conditions = {condition.name: condition for condition in timeline.conditions}
    found = []
    for line in STORYLINES:
        condition = conditions.get(line.condition)
        if condition is None:
            continue
        shown = [r for r in records if condition.holds(r.start_time_ns) and _shows(r, line)]
        shown.sort(key=lambda r: (_n_other_stories(r, line), r.start_time_ns))
        found.append(
            Story(
                key=line.key,
                title_en=line.title_en,
                title_zh=line.title_zh,
                shows_en=line.shows_en,
                shows_zh=line.shows_zh,
                metric=line.metric,
                tool=line.tool,
                rule=line.rule,
                condition=line.condition,
                start=condition.start,
                end=condition.end,
                trace_ids=tuple(record.trace_id for record in shown[:N_EXAMPLES]),
            )
        )
    return tuple(found)


def _shows(record: RunRecord, line: Storyline) -> bool:
    truth = record.truth
    return truth["is_finished"] and not truth["run_failed"] and line.is_shown_by(truth)


def _n_other_stories(record: RunRecord, line: Storyline) -> int:
    """How much else there is to see in a run: noise, unknown facts, repeats, a lesser example."""
    truth = record.truth
    is_noisy = truth["noise_rows"] > 0 and line.key != "noise_only"
    is_unknown = truth["unknown_facts"] > 0 and line.key != "new_status"
    is_slow = truth["calls_tried_again"] > 0 and line.key != "slow_downstream"
    return is_noisy + is_unknown + is_slow + 4 * (not line.is_best_shown_by(truth))
