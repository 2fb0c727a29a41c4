"""What each figure means: the one list that pages, tooltips, README and exports read."""

from dataclasses import dataclass
from enum import StrEnum

from metrics.errors import UnknownMetricError
from metrics.thresholds import DEFAULT_THRESHOLDS
from metrics.values import Counted, Reason, Threshold, Unit
from metrics.words import Text


class Direction(StrEnum):
    """Which way is better."""

    HIGHER = "higher"
    LOWER = "lower"
    TWO_SIDED = "two_sided"
    """Neither: a sudden change is what matters."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One metric in words."""

    key: str
    name: Text
    formula: Text
    unit: Unit
    counted: Counted
    """What its denominator counts."""
    denominator: Text
    exclusions: tuple[Reason, ...]
    """Every reason for which a row may be left out; `metrics.words.REASONS` has their words."""
    empty: Text
    """When it has no value."""
    source: str
    """Where the seed texts or the literature ask for it."""
    direction: Direction
    prometheus_name: str

    @property
    def name_en(self) -> str:
        """English name."""
        return self.name.en

    @property
    def name_zh(self) -> str:
        """Chinese name."""
        return self.name.zh

    @property
    def threshold(self) -> Threshold | None:
        """The default threshold; None for a figure that is only shown."""
        return DEFAULT_THRESHOLDS.of(self.key)


_AUDIT_REASONS = (
    Reason.CANT_TELL,
    Reason.DISAGREEMENT,
    Reason.NOT_HUMAN,
    Reason.PSEUDO_TOOL,
    Reason.DECISION_NOT_STORED,
    Reason.NO_START_TIME,
)
_CALL_REASONS = (
    Reason.NEVER_EXECUTED,
    Reason.BLOCKED,
    Reason.PSEUDO_TOOL,
    Reason.NO_START_TIME,
)
_TOO_FEW = Text(
    "Fewer than 72 durations: not enough for a P95 with an interval.",
    "时长不足 72 个：样本不足，无法给出带区间的 P95。",
)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        key="selection_accuracy",
        name=Text("Tool-selection accuracy", "工具选择准确率"),
        formula=Text(
            "weight of judged decisions with the right tool (or rightly none) / weight of judged "
            "decisions; weight = 1 / inclusion probability",
            "选对工具（或正确地不调用）的已判决策权重 / 全部已判决策权重；权重 = 1 / 抽中概率",
        ),
        unit=Unit.RATE,
        counted=Counted.DECISIONS,
        denominator=Text(
            "decisions with a verdict from one source of labels (audit or replay, never both)",
            "同一来源（抽检或回放，绝不混合）且有结论的决策",
        ),
        exclusions=_AUDIT_REASONS,
        empty=Text("No decision in the range was judged.", "范围内没有被判断的决策。"),
        source="S3 §7.2",
        direction=Direction.HIGHER,
        prometheus_name="toolsight_selection_accuracy_ratio",
    ),
    Definition(
        key="call_accuracy",
        name=Text("Call accuracy", "调用准确率"),
        formula=Text(
            "weight of judged decisions with the right tool and arguments / weight of judged decisions",
            "工具与参数都正确的已判决策权重 / 全部已判决策权重",
        ),
        unit=Unit.RATE,
        counted=Counted.DECISIONS,
        denominator=Text(
            "decisions with a verdict from one source of labels (audit or replay, never both)",
            "同一来源（抽检或回放，绝不混合）且有结论的决策",
        ),
        exclusions=_AUDIT_REASONS,
        empty=Text("No decision in the range was judged.", "范围内没有被判断的决策。"),
        source="S3 §3.2, §7.2",
        direction=Direction.HIGHER,
        prometheus_name="toolsight_call_accuracy_ratio",
    ),
    Definition(
        key="latency_p95_attempt",
        name=Text("P95 of one attempt", "单次尝试 P95 耗时"),
        formula=Text(
            "95th percentile of attempt durations (start to end of one try)",
            "单次尝试时长（从开始到结束）的第 95 百分位",
        ),
        unit=Unit.MS,
        counted=Counted.ATTEMPTS,
        denominator=Text("attempts with a real duration", "有真实时长的尝试"),
        exclusions=(
            Reason.UNFINISHED,
            Reason.NEGATIVE_DURATION,
            Reason.BLOCKED,
            Reason.PSEUDO_TOOL,
            Reason.NO_START_TIME,
        ),
        empty=_TOO_FEW,
        source="S3 §7.2; S4 §2.2",
        direction=Direction.LOWER,
        prometheus_name="toolsight_attempt_duration_p95_seconds",
    ),
    Definition(
        key="latency_p95_call",
        name=Text("P95 of one call", "单次调用 P95 耗时"),
        formula=Text(
            "95th percentile of call durations (first attempt's start to last attempt's end, waits "
            "included)",
            "单次调用时长（首次尝试开始到末次尝试结束，含等待）的第 95 百分位",
        ),
        unit=Unit.MS,
        counted=Counted.CALLS,
        denominator=Text("executed calls with a real duration", "已执行且有真实时长的调用"),
        exclusions=(Reason.UNFINISHED, Reason.NEGATIVE_DURATION, *_CALL_REASONS),
        empty=_TOO_FEW,
        source="S3 §4.2, §7.2",
        direction=Direction.LOWER,
        prometheus_name="toolsight_call_duration_p95_seconds",
    ),
    Definition(
        key="latency_p95_model",
        name=Text("P95 of one model call", "单次模型调用 P95 耗时"),
        formula=Text("95th percentile of model call durations", "模型调用时长的第 95 百分位"),
        unit=Unit.MS,
        counted=Counted.MODEL_CALLS,
        denominator=Text("model calls with a real duration", "有真实时长的模型调用"),
        exclusions=(Reason.UNFINISHED, Reason.NEGATIVE_DURATION, Reason.NO_START_TIME),
        empty=_TOO_FEW,
        source="S3 §7.2",
        direction=Direction.LOWER,
        prometheus_name="toolsight_model_duration_p95_seconds",
    ),
    Definition(
        key="retry_rate",
        name=Text("Retry rate", "重试率"),
        formula=Text(
            "calls tried again (more than one attempt, or the same tool called again after its "
            "failure) / calls",
            "被重试的调用（多次尝试，或失败后再次调用同一工具）/ 调用",
        ),
        unit=Unit.RATE,
        counted=Counted.CALLS,
        denominator=Text(
            "executed calls, a call and its retries counted once",
            "已执行的调用，一次调用及其重试只计一次",
        ),
        exclusions=_CALL_REASONS,
        empty=Text("No call in the range was executed.", "范围内没有执行过调用。"),
        source="S3 §7.2",
        direction=Direction.LOWER,
        prometheus_name="toolsight_retry_ratio",
    ),
    Definition(
        key="retry_success_rate",
        name=Text("Retry success rate", "重试成功率"),
        formula=Text(
            "retried calls whose last try ended ok / retried calls with a known outcome",
            "最后一次成功的被重试调用 / 结果已知的被重试调用",
        ),
        unit=Unit.RATE,
        counted=Counted.CALLS,
        denominator=Text("retried calls with a known outcome", "结果已知的被重试调用"),
        exclusions=(Reason.UNKNOWN_OUTCOME,),
        empty=Text(
            "No call in the range was retried to a known outcome.", "范围内没有结果已知的重试。"
        ),
        source="S3 §7.2",
        direction=Direction.HIGHER,
        prometheus_name="toolsight_retry_success_ratio",
    ),
    Definition(
        key="steps_per_task",
        name=Text("Steps per task", "单任务平均步数"),
        formula=Text(
            "steps of finished tasks / finished tasks; retries add no step",
            "已结束任务的步数 / 已结束的任务；重试不增加步数",
        ),
        unit=Unit.STEPS,
        counted=Counted.TASKS,
        denominator=Text("finished tasks whose steps are visible", "已结束且步数可见的任务"),
        exclusions=(Reason.UNFINISHED, Reason.STEPS_UNKNOWN, Reason.NO_START_TIME),
        empty=Text("No task in the range finished.", "范围内没有已结束的任务。"),
        source="S3 §5.3, §7.2",
        direction=Direction.LOWER,
        prometheus_name="toolsight_steps_per_task",
    ),
    Definition(
        key="guard_hits",
        name=Text("Guard hits", "护栏命中次数"),
        formula=Text(
            "guard evaluations that blocked, changed or escalated an action",
            "护栏评估中拦截、修改或升级的次数",
        ),
        unit=Unit.HITS,
        counted=Counted.EVALUATIONS,
        denominator=Text("guard evaluations", "护栏评估"),
        exclusions=(Reason.SYNTHETIC, Reason.NO_VERDICT, Reason.NO_START_TIME),
        empty=Text(
            "No guard evaluation was seen: no guard data, which is not the same as no hits.",
            "没有看到护栏评估：没有护栏数据，这与零命中不同。",
        ),
        source="S3 §7.2",
        direction=Direction.TWO_SIDED,
        prometheus_name="toolsight_guard_hits",
    ),
    Definition(
        key="guard_hit_rate",
        name=Text("Guard hit rate", "护栏命中率"),
        formula=Text("guard hits / guard evaluations", "护栏命中 / 护栏评估"),
        unit=Unit.RATE,
        counted=Counted.EVALUATIONS,
        denominator=Text("guard evaluations", "护栏评估"),
        exclusions=(Reason.SYNTHETIC, Reason.NO_VERDICT, Reason.NO_START_TIME),
        empty=Text(
            "No guard evaluation was seen: no guard data, which is not the same as no hits.",
            "没有看到护栏评估：没有护栏数据，这与零命中不同。",
        ),
        source="S3 §7.2",
        direction=Direction.TWO_SIDED,
        prometheus_name="toolsight_guard_hit_ratio",
    ),
    Definition(
        key="conflict_share",
        name=Text("Conflict share", "冲突占比"),
        formula=Text(
            "cells whose sources disagree / cells with two sources or more; a cell is an entity and "
            "a type of fact in one observation",
            "来源不一致的单元 / 有两个及以上来源的单元；单元指一次观测中的一个实体与一种事实类型",
        ),
        unit=Unit.RATE,
        counted=Counted.CELLS,
        denominator=Text("cells with two sources or more", "有两个及以上来源的单元"),
        exclusions=(Reason.NO_START_TIME,),
        empty=Text("No cell in the range has two sources.", "范围内没有两个来源的单元。"),
        source="S0 §3.2, §5.1",
        direction=Direction.LOWER,
        prometheus_name="toolsight_conflict_ratio",
    ),
    Definition(
        key="unknown_share",
        name=Text("Unknown share", "未知值占比"),
        formula=Text(
            "cells whose raw value no dictionary maps / cells, as read by the dictionary in force "
            "where it has read them again; bad above 1.5 times the period before and 1 point more",
            "字典未收录原始值的单元 / 全部单元，已由现行字典重读的按其结果；"
            "超过前一周期的 1.5 倍且高出 1 个百分点为异常",
        ),
        unit=Unit.RATE,
        counted=Counted.CELLS,
        denominator=Text("cells of observations", "观测的单元"),
        exclusions=(Reason.NO_START_TIME,),
        empty=Text("No observation in the range has a cell.", "范围内的观测没有单元。"),
        source="S0 §3.1, §5.1",
        direction=Direction.LOWER,
        prometheus_name="toolsight_unknown_ratio",
    ),
    Definition(
        key="mean_confidence",
        name=Text("Mean confidence", "平均置信度"),
        formula=Text(
            "confidence summed over cells / cells (each observation's mean counts as often as it "
            "has cells)",
            "各单元置信度之和 / 单元数（每次观测的均值按其单元数加权）",
        ),
        unit=Unit.SCORE,
        counted=Counted.CELLS,
        denominator=Text("cells of observations", "观测的单元"),
        exclusions=(Reason.NO_FACTS, Reason.NO_START_TIME),
        empty=Text("No observation in the range has a cell.", "范围内的观测没有单元。"),
        source="S0 §3.1, §5.2",
        direction=Direction.HIGHER,
        prometheus_name="toolsight_confidence_mean",
    ),
    Definition(
        key="parse_p95",
        name=Text("P95 of parsing", "解析 P95 耗时"),
        formula=Text(
            "95th percentile of the time that the parsers of one observation take together",
            "一次观测中全部解析器合计耗时的第 95 百分位",
        ),
        unit=Unit.MS,
        counted=Counted.OBSERVATIONS,
        denominator=Text("observations that tell their parser time", "给出解析耗时的观测"),
        exclusions=(Reason.NO_PARSE_TIME, Reason.NO_START_TIME),
        empty=_TOO_FEW,
        source="S0 §3.1",
        direction=Direction.LOWER,
        prometheus_name="toolsight_parse_duration_p95_seconds",
    ),
    Definition(
        key="noise_exposure",
        name=Text("Noise exposure", "噪声暴露率"),
        formula=Text(
            "observations in which injected noise changed a fact / observations",
            "注入噪声改动了事实的观测 / 全部观测",
        ),
        unit=Unit.RATE,
        counted=Counted.OBSERVATIONS,
        denominator=Text("observations", "观测"),
        exclusions=(Reason.NO_START_TIME,),
        empty=Text("Nothing was observed in the range.", "范围内没有观测。"),
        source="S0 §3.3",
        direction=Direction.TWO_SIDED,
        prometheus_name="toolsight_noise_exposure_ratio",
    ),
)
"""Every metric, in the order pages show them."""

_BY_KEY = {item.key: item for item in DEFINITIONS}


def definition(key: str) -> Definition:
    """The definition of a metric.

    Raises:
        UnknownMetricError: No metric has that key; lists those that exist.
    """
    if key not in _BY_KEY:
        raise UnknownMetricError(
            f"metrics: unknown metric {key!r}: expected one of {', '.join(_BY_KEY)}; "
            "choose one of them"
        )
    return _BY_KEY[key]
