"""The words of reasons, notes and counted units, in both languages of the pages."""

from typing import NamedTuple

from metrics.values import Counted, Note, Reason


class Text(NamedTuple):
    """One sentence in both languages of the pages."""

    en: str
    zh: str


REASONS: dict[Reason, Text] = {
    Reason.NO_START_TIME: Text("no start time", "没有开始时间"),
    Reason.PSEUDO_TOOL: Text("hand-off or final answer, not a tool", "交接或最终回答，不是工具"),
    Reason.NEVER_EXECUTED: Text("asked for but never executed", "已请求但从未执行"),
    Reason.BLOCKED: Text("blocked by a guard", "被护栏拦截"),
    Reason.UNFINISHED: Text("unfinished", "未结束"),
    Reason.NEGATIVE_DURATION: Text("ends before it starts", "结束早于开始"),
    Reason.UNKNOWN_OUTCOME: Text("outcome unknown", "结果未知"),
    Reason.STEPS_UNKNOWN: Text("steps not visible", "看不到步数"),
    Reason.NO_VERDICT: Text("guard verdict unknown or pending", "护栏结论未知或待定"),
    Reason.SYNTHETIC: Text("synthetic canary", "合成探针"),
    Reason.CANT_TELL: Text("annotator cannot tell", "标注者无法判断"),
    Reason.DISAGREEMENT: Text("annotators disagree", "标注者意见不一"),
    Reason.NOT_HUMAN: Text("not judged by a person", "不是人工判断"),
    Reason.NOT_LABELLED: Text("not labelled yet", "尚未标注"),
    Reason.DECISION_NOT_STORED: Text("decision not in the store", "库中没有对应的决策"),
    Reason.NO_PARSE_TIME: Text("no parser time", "没有解析耗时"),
    Reason.NO_FACTS: Text("observation without facts", "没有事实的观测"),
}
"""The words of each reason, in the order pages list them."""


COUNTED: dict[Counted, Text] = {
    Counted.DECISIONS: Text("decisions", "个决策"),
    Counted.ATTEMPTS: Text("attempts", "次尝试"),
    Counted.CALLS: Text("calls", "次调用"),
    Counted.MODEL_CALLS: Text("model calls", "次模型调用"),
    Counted.TASKS: Text("tasks", "个任务"),
    Counted.EVALUATIONS: Text("evaluations", "次评估"),
    Counted.CELLS: Text("cells", "个单元"),
    Counted.OBSERVATIONS: Text("observations", "次观测"),
}
"""The word after `n`."""

NOTES: dict[Note, Text] = {
    Note.NOTHING_TO_COUNT: Text("No data in this range.", "该范围内没有数据。"),
    Note.TOO_FEW: Text("Not enough data: a P95 needs 72.", "样本不足：P95 需要 72 个。"),
    Note.ONE_TRACE: Text(
        "All of it comes from one trace: too little for an interval.",
        "全部来自同一条链路：不足以给出区间。",
    ),
    Note.MEETS: Text("Meets the target.", "达标。"),
    Note.BELOW: Text("Below the target.", "低于目标。"),
    Note.NOT_ENOUGH_EVIDENCE: Text(
        "Not enough evidence: the interval holds the target.", "证据不足：区间包含目标值。"
    ),
    Note.WITHIN_LIMIT: Text("Within the limit.", "在限值之内。"),
    Note.ABOVE_LIMIT: Text("Above the limit.", "超出限值。"),
    Note.MAYBE_ABOVE_LIMIT: Text(
        "Perhaps above the limit: the interval holds it.", "可能超出限值：区间包含限值。"
    ),
    Note.NO_BASELINE: Text(
        "Too little in the period before to compare with.", "上一时段数据过少，无法比较。"
    ),
    Note.NO_LIMIT: Text("Shown for context; not judged.", "仅供参考，不作判断。"),
    Note.NO_GUARD_DATA: Text(
        "No guard data: no evaluation was seen.", "没有护栏数据：未看到任何评估。"
    ),
    Note.EVALUATIONS_STOPPED: Text(
        "Guard evaluations stopped while calls go on.", "调用仍在继续，但护栏评估已停止。"
    ),
    Note.ZERO_IMPROBABLE: Text(
        "No hits, which the earlier rate makes next to impossible.",
        "零命中；按此前的命中率几乎不可能。",
    ),
    Note.ZERO_PLAUSIBLE: Text(
        "No hits where there were some; too few evaluations to tell.",
        "此前有命中、现在为零；评估次数太少，无法断定。",
    ),
    Note.NO_HITS: Text("Evaluated; no hits.", "已评估，零命中。"),
    Note.HITS: Text("The rules hit.", "规则有命中。"),
    Note.RULE_STOPPED: Text(
        "A rule is evaluated no more, although calls of its tools go on.",
        "有规则不再被评估，但其工具的调用仍在继续。",
    ),
    Note.RULE_SILENT: Text(
        "A rule has no hits, which its earlier rate makes next to impossible.",
        "有规则零命中；按其此前的命中率几乎不可能。",
    ),
}
"""The sentence that explains a state."""
