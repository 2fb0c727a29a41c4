"""What a sign usually means, what to look at, what cures it: the tables of the seeds, by sign."""

from typing import Final, NamedTuple

from metrics.words import Text
from pipeline.vocabulary import ErrorClass

__all__ = ["ADVICE", "NEXT_ACTION", "Advice"]


class Advice(NamedTuple):
    """One row of a table of known problems."""

    cause: Text
    check: Text
    cure: Text
    source: str


_REPEATS: Final = Advice(
    Text(
        "The descriptions of two tools overlap, or results do not say that the work is done.",
        "两个工具的描述有歧义，或返回结果没有表明任务已完成。",
    ),
    Text(
        "Mean steps per task; whether answers of the repeated call differ.",
        "单任务平均步数；重复调用的返回是否有差异。",
    ),
    Text(
        "Say in the contract when not to use the tool; return what the model needs to go on.",
        "在契约中补上负向说明（何时不该用）；返回值给出足以继续的信息。",
    ),
    "S3 §5.3, §6.1",
)
_WRONG_TOOL: Final = Advice(
    Text(
        "The description does not say when the tool is not to be used, or names look alike.",
        "描述里没写什么时候不该用，或名称相近。",
    ),
    Text("Confusable pairs on the Tools page.", "工具页上的易混工具对。"),
    Text(
        "Add what it is not for, or name the tool that has to be called before.",
        "补上负向说明，或在描述里点明前置能力。",
    ),
    "S3 §6.1",
)
_FORMAT: Final = Advice(
    Text("No example, or a format told too abstractly.", "缺示例或格式说明太抽象。"),
    Text(
        "The refused argument beside its field's description in the contract.",
        "对照被拒参数与契约中的字段描述。",
    ),
    Text(
        "Give one right example in the field's description.", "在字段描述里给一个正确示例字符串。"
    ),
    "S3 §6.1",
)
_RETRIES: Final = Advice(
    Text(
        "The downstream system is slow, or retries pile up: no jitter, no budget for the whole task.",
        "下游变慢，或重试堆积：退避无抖动、重试不计入总预算。",
    ),
    Text(
        "Is the model slow or downstream slow (Overview); waits between the attempts below.",
        "总览页的“模型慢还是下游慢”；下方各次尝试之间的间隔。",
    ),
    Text(
        "Add jitter, and one time budget for the whole chain.",
        "加随机抖动，并给整条链路设总耗时上限。",
    ),
    "S3 §4.2, §6.1",
)
_DUPLICATE: Final = Advice(
    Text(
        "The idempotency key differs from try to try, or there is none.",
        "幂等键每次都不一样，或没有幂等键。",
    ),
    Text(
        "The keys of the tries; what the downstream system holds.",
        "各次尝试的幂等键；核对下游实际数据。",
    ),
    Text(
        "Derive the key from task id and step index; never repeat a write without one.",
        "由任务 ID 与步骤序号确定性派生；没有幂等保障的写操作不自动重试。",
    ),
    "S3 §4.1, §6.1",
)
_RAW_RESULT: Final = Advice(
    Text(
        "The downstream answer went through as it came: internal field names, too much of it.",
        "原始返回直接透传，字段名是内部缩写，或内容过多。",
    ),
    Text(
        "The result of the call, and what of it the model was shown.",
        "调用的返回，以及模型实际看到的部分。",
    ),
    Text("Rename and cut fields in the adapter.", "适配层做字段重命名与裁剪。"),
    "S3 §6.1",
)
_GUARD: Final = Advice(
    Text(
        "The agent tried what it may not, or a limit of the capability is used up.",
        "智能体尝试了不被允许的动作，或能力配额已用尽。",
    ),
    Text(
        "The rule and its reason in the step; how often it hits (Overview, guard hits).",
        "步骤中的规则与原因；总览页的护栏命中次数。",
    ),
    Text(
        "Right as it is, unless the rule is wrong: dangerous actions need a hard check, not a prompt.",
        "规则无误则属正常拦截；危险操作须由护栏硬拦截，不能只靠提示词。",
    ),
    "S3 §6.1, §7.1",
)
_UNSURE: Final = Advice(
    Text(
        "Confidence of the parsed facts is low, or sources are in conflict.",
        "SAP 提取的 confidence 普遍偏低，或 CSA 生成了过多 CONFLICT 片段。",
    ),
    Text(
        "The noise log of this trace; the share of conflicts; how confidence is set.",
        "检查本链路的 noise_log；统计 CONFLICT 片段占比；检查 confidence 的赋值逻辑。",
    ),
    Text(
        "Lower the noise; above 15 % conflicts look for an outdated schema or a missing mapping; give "
        "frequent unknown values a fallback.",
        "降低 CNI intensity；CONFLICT 占比超过 15% 时检查 Schema 是否过时、mapping 是否遗漏新值；为高频未知值设置"
        "合理 fallback。",
    ),
    "S0 §5.1",
)
_NOISE: Final = Advice(
    Text(
        "Noise hit a fact that this answer needed, or the whitelist of critical facts has a gap.",
        "噪声击中了回答所需的事实，或 CriticalityChecker 白名单有遗漏、context 未正确传入。",
    ),
    Text(
        "The noise log first: is the wrong value in the answer the injected one?",
        "先看 noise_log：回答中的错误值是否就是被注入的值。",
    ),
    Text(
        "Pass the context through; derive the whitelist from the user's intent.",
        "确保 context 一路透传；白名单必须由 user_intent 动态生成。",
    ),
    "S0 §3.3, §5.1",
)
_PARSE: Final = Advice(
    Text(
        "A value came in a form that the parser does not know: another version, another date format.",
        "取值的形式解析器不认识：生产与本地版本不一致，或日期格式不同。",
    ),
    Text("The raw value beside the rule of its field.", "对照原始取值与字段规则。"),
    Text(
        "Pin versions; declare the format, and a fallback for what does not parse.",
        "强制锁定版本；声明格式，并为解析失败提供兜底。",
    ),
    "S0 §5.1",
)

ADVICE: Final = {
    "not_offered": (_WRONG_TOOL,),
    "repeated_call": (_REPEATS, _RAW_RESULT),
    "ping_pong": (_REPEATS, _WRONG_TOOL),
    "no_progress": (_REPEATS, _RAW_RESULT),
    "futile_retry": (_RETRIES, _FORMAT),
    "invalid_argument": (_FORMAT,),
    "not_found": (_WRONG_TOOL,),
    "permission": (_GUARD,),
    "timeout": (_RETRIES,),
    "too_large": (_RAW_RESULT,),
    "unknown_outcome": (_DUPLICATE,),
    "call_error": (_RETRIES,),
    "blocked": (_GUARD,),
    "degraded": (_RETRIES,),
    "unparsed": (_PARSE,),
    "unknown_value": (_UNSURE,),
    "conflict": (_UNSURE,),
    "noise": (_NOISE,),
    "model_error": (),
    "cut_answer": (),
}
"""By sign; empty where the seeds say nothing of it.

Source: S0 §5.1 and S3 §6.1, row by row.
"""

NEXT_ACTION: Final = {
    ErrorClass.INVALID_ARGUMENT: Text(
        "correct the argument, then try once more", "修正参数后重试一次"
    ),
    ErrorClass.NOT_FOUND: Text("look it up with a search tool first", "改调搜索类工具"),
    ErrorClass.PERMISSION: Text("do not retry; stop and tell the user", "不要重试，停止并告知用户"),
    ErrorClass.AUTH: Text("do not retry; stop and tell the user", "不要重试，停止并告知用户"),
    ErrorClass.TIMEOUT: Text(
        "decide whether to retry or to go on asynchronously", "决定是否重试或改走异步"
    ),
    ErrorClass.TOO_LARGE: Text("narrow the request, then try again", "追加筛选条件后重试"),
    ErrorClass.UNKNOWN_OUTCOME: Text(
        "do not retry; ask a person to check whether it took effect", "结果未知，请人工确认"
    ),
}
"""What the model is advised to do next, by the class of an error.

Source: S3 §3.3; of an unknown outcome §4.1.
"""
