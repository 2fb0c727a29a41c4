"""Alerts in words, in both languages: one sentence a cause, with places for its figures."""

from typing import Final

from metrics.alerts.alert import Alert, AlertKey, Cause
from metrics.definitions import DEFINITIONS
from metrics.words import Text

__all__ = ["CAUSES", "HELP", "figure_name", "help_text"]

_CHECKS: Final = {
    "guard_canary": Text("Guard canary", "护栏探针"),
    "noise_on_whitelist": Text("Noise on critical facts", "关键事实上的噪声"),
    "degradation": Text("Degraded answers in a row", "连续降级应答"),
    "ingest": Text("Ingest", "数据接入"),
}
_NAMES: Final = {item.key: item.name for item in DEFINITIONS} | _CHECKS

CAUSES: Final = {
    Cause.ROSE: Text(
        "{figure} of {part} is {value} where {baseline} is usual (n = {n}).",
        "{part}的{figure}为 {value}，平时为 {baseline}（n = {n}）。",
    ),
    Cause.FELL: Text(
        "{figure} of {part} fell to {value} from {baseline} (n = {n}).",
        "{part}的{figure}由 {baseline} 降至 {value}（n = {n}）。",
    ),
    Cause.OVER_LIMIT: Text(
        "{figure} of {part} is {value}, over the limit of {limit} (n = {n}).",
        "{part}的{figure}为 {value}，超过上限 {limit}（n = {n}）。",
    ),
    Cause.BELOW_LIMIT: Text(
        "{figure} of {part} is {value}, below {limit} ({n} newest judged).",
        "{part}的{figure}为 {value}，低于 {limit}（最近评判的 {n} 个）。",
    ),
    Cause.EVALUATIONS_STOPPED: Text(
        "{part} is not evaluated any more: {n} calls went by without it.",
        "{part}已不再被评估：{n} 次调用未经过它。",
    ),
    Cause.HITS_STOPPED: Text(
        "{part} hits nothing any more: {n} evaluations without a hit where {baseline} of them hit.",
        "{part}不再命中：{n} 次评估无一命中，此前命中率为 {baseline}。",
    ),
    Cause.CANARY_NOT_BLOCKED: Text(
        "{part} let its canary through: it runs and does not bite.",
        "{part}放行了探针：规则在运行却不拦截。",
    ),
    Cause.NOTHING_ARRIVES: Text(
        "Nothing has arrived for {n} hours in which something always did.",
        "已有 {n} 小时没有任何数据到达，而这些时段平时总有数据。",
    ),
    Cause.WHITELISTED_NOISE: Text(
        "Noise touched {part} {n} times, although it is critical for the intent.",
        "噪声扰动了 {part}：{n} 次，而它对该意图是关键事实。",
    ),
    Cause.DEGRADED_IN_A_ROW: Text(
        "{part} was answered by a default value {n} times in a row.",
        "{part}连续 {n} 次以默认值应答。",
    ),
}

HELP: Final = {
    Cause.ROSE: Text(
        "Compared with the same hours of earlier weeks; two windows in a row.",
        "与往周同一时段相比；连续两个窗口。",
    ),
    Cause.FELL: Text(
        "Compared with the same hours of earlier weeks; two windows in a row.",
        "与往周同一时段相比；连续两个窗口。",
    ),
    Cause.OVER_LIMIT: Text("Tested against a fixed limit.", "对固定上限做检验。"),
    Cause.BELOW_LIMIT: Text(
        "A bet against the limit that may be looked at every day.",
        "可每日查看的序贯检验。",
    ),
    Cause.EVALUATIONS_STOPPED: Text(
        "Its calls go on: look whether the rule still runs.",
        "调用仍在继续：请检查规则是否还在运行。",
    ),
    Cause.HITS_STOPPED: Text(
        "It is evaluated: send a canary to learn whether it still bites.",
        "规则仍在评估：请发送探针以确认它是否仍会拦截。",
    ),
    Cause.CANARY_NOT_BLOCKED: Text(
        "A synthetic call that the rule must stop was not stopped.",
        "规则必须拦下的合成调用未被拦下。",
    ),
    Cause.NOTHING_ARRIVES: Text(
        "Every other alarm waits until traces arrive again.", "在数据恢复之前，其余告警暂缓。"
    ),
    Cause.WHITELISTED_NOISE: Text(
        "The whitelist is law: turn the noise off and look at its profile.",
        "白名单不可违反：请关闭噪声并检查其配置。",
    ),
    Cause.DEGRADED_IN_A_ROW: Text(
        "Silent to the user; a task for operations.", "用户无感知；需要运维处理。"
    ),
}


_PROVEN: Final = Text(
    "A canary sent since then was stopped: the rule bites, and nothing has tried it. Look for what "
    "changed before it.",
    "此后发送的探针已被拦下：规则有效，只是没有请求触及它。请查看其上游有何变化。",
)


def help_text(alert: Alert) -> Text:
    """What was tested, and what to do next."""
    is_proven = alert.cause is Cause.HITS_STOPPED and alert.proven_ns is not None
    return _PROVEN if is_proven else HELP[alert.cause]


def figure_name(key: AlertKey) -> Text:
    """The name of what an alert is about."""
    return _NAMES[key.metric]
