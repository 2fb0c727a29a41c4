"""One trace in trouble, in words: its steps, what may have gone wrong, how sure that is.

The same sentences stand on the page, at the terminal and in a bundle, in either language. What comes
from the trace is put between them as it is; the caller draws it as text.
"""

from typing import TYPE_CHECKING, Final, Literal

from dashboard.formats import count_text, duration_text, rate_text
from dashboard.plurals import filled
from metrics.incident import NEXT_ACTION, SIGNS
from metrics.incident.hints import ENOUGH
from metrics.layers import LAYERS, Layer
from metrics.words import Text
from replay_store.story import TICK_NS, Act

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metrics.incident import Diagnosis, Hint
    from metrics.incident.hints import Outcome
    from replay_store.records import Trace
    from replay_store.story import Step

__all__ = [
    "Lang",
    "act_text",
    "evidence_text",
    "hint_text",
    "layer_of",
    "layer_text",
    "next_action",
    "step_text",
    "verdict_text",
]

Lang = Literal["en", "zh"]

_LAYER_OF: Final = {
    Act.PLANNED: Layer.PLANNING,
    Act.GUARDED: Layer.EXECUTION,
    Act.CALLED: Layer.EXECUTION,
    Act.RETRIED: Layer.EXECUTION,
    Act.OBSERVED: Layer.OBSERVATION,
    Act.ANSWERED: Layer.MODEL,
}
_ACTS: Final = {
    Act.PLANNED: Text("planned", "规划"),
    Act.GUARDED: Text("guarded", "护栏"),
    Act.CALLED: Text("called", "调用"),
    Act.RETRIED: Text("retried", "重试"),
    Act.OBSERVED: Text("observed", "观测"),
    Act.ANSWERED: Text("answered", "回答"),
}
_COUNTS: Final = (
    ("n_facts", Text("{n} {n:fact|facts}", "{n} 个事实")),
    ("n_conflicts", Text("{n} in conflict", "{n} 个冲突")),
    ("n_unknown", Text("{n} unknown", "{n} 个未知")),
    ("n_unparsed", Text("{n} unparsed", "{n} 个解析失败")),
    ("n_failed", Text("{n} {n:output|outputs} failed", "{n} 个输出失败")),
    ("n_noise", Text("{n} changed by noise", "{n} 个被噪声改变")),
)
_REQUESTED: Final = Text("{n} {n:call|calls} asked for", "请求 {n} 次调用")
_TOKENS: Final = Text("{input} → {output} tokens", "{input} → {output} token")
_STOPPED: Final = Text("stopped by {reason}", "因 {reason} 停止")
_ATTEMPTS: Final = Text("{n} attempts", "尝试 {n} 次")
_ATTEMPT: Final = Text("attempt {n} of call {call}", "调用 {call} 的第 {n} 次尝试")
_WAITED: Final = Text("{wait} after the one before", "距上一次 {wait}")
_EARLY_TRY: Final = Text(
    "began {early} before the one before had ended", "上一次结束前 {early} 就已开始"
)
_EARLY_CALL: Final = Text(
    "began {early} before the turn that asked for it had ended: clocks differ, or it was not waited for",
    "请求它的一轮结束前 {early} 就已开始：时钟不一致，或未等待该轮结束",
)
_RETRY_OF: Final = Text("again, after call {n} failed", "调用 {n} 失败后再试")
_DEGRADED: Final = Text("degraded: {how}", "降级：{how}")
_AT: Final = Text("{name}: {tool}", "{name}：{tool}")
_STEPS: Final = Text(" ({n} times)", "（{n} 次）")
_RECOVERED: Final = Text(" · recovered from", " · 之后已恢复")
_MEASURED: Final = Text(
    "{failed} of {n} {n:trace|traces} with this sign failed",
    "有此迹象的 {n} 条链路中 {failed} 条失败",
)
_REFERENCE: Final = Text(
    "{failed} of {n} published runs with it failed, which stand for those that are missing to 30",
    "公开数据中有此迹象的 {n} 次运行失败 {failed} 次，用以补足 30 条",
)
_NOT_MEASURED: Final = Text("no trace with a known outcome shows it", "没有结果已知的链路带此迹象")
_SURE: Final = Text("{low}–{high} at 95 %", "95% 区间 {low}–{high}")
_BASE: Final = Text("of all traces {rate}", "全部链路为 {rate}")
_VERDICTS: Final = {
    "fault": Text("First fault", "首个故障"),
    "unsure": Text(
        "Undetermined: nothing in this trace tells why it failed better than chance does",
        "无法判定：链路中没有迹象比偶然更能解释这次失败",
    ),
    "well": Text(
        "The run ended well; what was out of the ordinary in it", "运行正常结束；其中的异常如下"
    ),
    "clean": Text("The run ended well, and shows no sign of a fault", "运行正常结束，没有故障迹象"),
    "open": Text(
        "Its end is not known; what was out of the ordinary so far", "结局未知；目前的异常如下"
    ),
    "quiet": Text(
        "Its end is not known, and it shows no sign of a fault", "结局未知，没有故障迹象"
    ),
    "blank": Text(
        "It failed, and nothing in its spans says why", "运行失败，但其 span 中没有任何线索"
    ),
}


def layer_of(step: "Step") -> Layer:
    """The layer whose work a step is."""
    return _LAYER_OF[step.act]


def layer_text(layer: Layer, lang: Lang = "en") -> str:
    """The word for a layer."""
    return _in(LAYERS[layer], lang)


def act_text(step: "Step", lang: Lang = "en") -> str:
    """The word for what a step is."""
    return _in(_ACTS[step.act], lang)


def step_text(step: "Step", lang: Lang = "en") -> str:
    """What there is to say of a step besides its tool, status and duration; one line."""
    return " · ".join(" ".join(part.split()) for part in _parts(step, lang) if part)


def hint_text(hint: "Hint", lang: Lang = "en") -> str:
    """What a hint says went wrong, and where."""
    text = _in(SIGNS[hint.sign].name, lang)
    if hint.tool_name:
        text = filled(_in(_AT, lang), name=text, tool=hint.tool_name)
    if hint.error_type:
        text += f" [{hint.error_type}]"
    if hint.n > 1:
        text += filled(_in(_STEPS, lang), n=count_text(hint.n))
    return text + (_in(_RECOVERED, lang) if hint.is_recovered else "")


def evidence_text(hint: "Hint", base: "Outcome", lang: Lang = "en") -> str:
    """How far the store's own traces bear a hint out: counts, interval, and all traces beside it."""
    measured, reference = hint.measured, SIGNS[hint.sign].reference
    parts = []
    if measured.n:
        counts = {"n": count_text(measured.n), "failed": count_text(measured.n_failed)}
        parts.append(filled(_in(_MEASURED, lang), **counts))
    if measured.n < ENOUGH and reference is not None:
        parts.append(filled(_in(_REFERENCE, lang), failed=reference.n_failed, n=reference.n))
    if hint.interval is None:
        parts.append(_in(_NOT_MEASURED, lang))
    else:
        low, high = rate_text(hint.interval.low), rate_text(hint.interval.high)
        parts.append(filled(_in(_SURE, lang), low=low, high=high))
    if base.n:
        parts.append(filled(_in(_BASE, lang), rate=rate_text(base.n_failed / base.n)))
    return ("；" if lang == "zh" else "; ").join(parts)


def verdict_text(trace: "Trace", diagnosis: "Diagnosis", lang: Lang = "en") -> str:
    """What the page says first: a fault, undetermined, or that the run ended well."""
    return _in(_VERDICTS[_verdict(trace, diagnosis)], lang)


def next_action(error_type: str | None, lang: Lang = "en") -> str | None:
    """What a model is advised to do after an error of that class; None for one without advice."""
    known = (error_type or "").upper()
    return next((_in(text, lang) for name, text in NEXT_ACTION.items() if name == known), None)


def _verdict(trace: "Trace", diagnosis: "Diagnosis") -> str:
    has_hints = any(not hint.is_recovered for hint in diagnosis.hints)
    if trace.is_run_failed:
        if not has_hints:
            return "blank"
        return "fault" if diagnosis.is_determined else "unsure"
    if trace.status == "ok":
        return "well" if diagnosis.hints else "clean"
    return "open" if diagnosis.hints else "quiet"


def _parts(step: "Step", lang: Lang) -> "Iterator[str]":
    match step.act:
        case Act.PLANNED | Act.ANSWERED:
            yield from _of_model(step, lang)
        case Act.GUARDED:
            yield step.reason or ""
            yield step.detail or ""
        case Act.OBSERVED:
            for name, text in _COUNTS:
                if n := getattr(step, name):
                    yield filled(_in(text, lang), n=count_text(n))
        case Act.CALLED | Act.RETRIED:
            yield from _of_call(step, lang)


def _of_model(step: "Step", lang: Lang) -> "Iterator[str]":
    if step.error_type:
        yield step.error_type
    if step.n_requested:
        yield filled(_in(_REQUESTED, lang), n=count_text(step.n_requested))
    if step.reason in {"length", "max_tokens"}:
        yield filled(_in(_STOPPED, lang), reason=step.reason)
    if step.input_tokens is not None or step.output_tokens is not None:
        tokens = {"input": count_text(step.input_tokens), "output": count_text(step.output_tokens)}
        yield filled(_in(_TOKENS, lang), **tokens)
    yield step.detail or ""


def _of_call(step: "Step", lang: Lang) -> "Iterator[str]":
    if step.attempt_index is not None and step.call_index is not None:
        place = {"n": step.attempt_index + 1, "call": step.call_index + 1}
        yield filled(_in(_ATTEMPT, lang), **place)
    yield _gap(step, lang)
    if step.error_type:
        yield step.error_type
    if step.retry_of is not None:
        yield filled(_in(_RETRY_OF, lang), n=step.retry_of + 1)
    if step.n_attempts and step.n_attempts > 1:
        yield filled(_in(_ATTEMPTS, lang), n=step.n_attempts)
    if step.reason:
        yield filled(_in(_DEGRADED, lang), how=step.reason)
    if step.detail != step.error_type:
        yield step.detail or ""


def _gap(step: "Step", lang: Lang) -> str:
    """The wait before an attempt, and what its start contradicts; nothing of a call in its order."""
    is_attempt, wait = step.attempt_index is not None, step.wait_ns
    if wait is None or (wait >= -TICK_NS and not is_attempt):
        return ""
    if wait < -TICK_NS:
        text = _in(_EARLY_TRY if is_attempt else _EARLY_CALL, lang)
        return filled(text, early=duration_text(-wait))
    return filled(_in(_WAITED, lang), wait=duration_text(max(wait, 0)))


def _in(text: Text, lang: Lang) -> str:
    return text.zh if lang == "zh" else text.en
