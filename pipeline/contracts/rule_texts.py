"""The rules of contract lint: how bad each is, why it matters, what to write, and who says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Severity(StrEnum):
    """How bad it is."""

    ERROR = "error"
    """The tool is not on offer, or will do harm."""
    WARNING = "warning"
    """The model will err."""
    HINT = "hint"


class Rule(StrEnum):
    """What is looked for."""

    VERB_NOUN = "verb_noun"
    PREFIX = "prefix"
    BOUNDARY = "boundary"
    WHEN = "when"
    WHEN_NOT = "when_not"
    INTERNAL_NAME = "internal_name"
    FREE_TEXT = "free_text"
    NO_EXAMPLE = "no_example"
    NO_DESCRIPTION = "no_description"
    TOO_MANY = "too_many_parameters"
    DETAIL_ON = "detail_on"
    DANGER = "danger_undeclared"
    DANGER_LOW = "danger_low"
    NEAR_DUPLICATE = "near_duplicate"
    NOT_IDEMPOTENT = "not_idempotent"
    WRITE_FALLBACK = "write_fallback"
    DAILY_QUOTA = "daily_quota"
    NO_SLA = "no_sla"
    SLA_LOOSE = "sla_loose"
    OPEN_OBJECT = "open_object"
    SENSITIVE = "sensitive_undeclared"


@dataclass(frozen=True, slots=True)
class RuleText:
    """What is said of one rule. Fixes may name `{field}` and the values of their finding."""

    severity: Severity
    source: str
    reason_zh: str
    fix_zh: str
    reason_en: str
    fix_en: str


_E, _W, _H = Severity.ERROR, Severity.WARNING, Severity.HINT
RULE_TEXTS: Final[Mapping[Rule, RuleText]] = MappingProxyType(
    {
        Rule.VERB_NOUN: RuleText(
            _W,
            "S3 §3.1",
            "名称应为动词_名词；含糊的名词短语让模型猜不出动作。",
            "改为动词_名词，如 {better}。",
            "A name is verb_noun: a vague noun does not tell the model what the tool does.",
            "Make it verb_noun, such as {better}.",
        ),
        Rule.PREFIX: RuleText(
            _W,
            "S3 §3.1",
            "同一批工具的命名与前缀风格须统一，否则模型把前缀当噪声。",
            "改名为 {better}。",
            "Tools of one set share one style of names and prefixes; else a prefix is noise.",
            "Rename it to {better}.",
        ),
        Rule.BOUNDARY: RuleText(
            _W,
            "S3 §3.1",
            "描述须说明动作的边界：只读还是写入。",
            "补上“本接口只读，不产生任何业务变更。”或“写操作。”，并声明 danger。",
            "The description has to say whether the tool reads or writes.",
            "Add “Read-only; changes nothing.” or “Writes.”, and declare danger.",
        ),
        Rule.WHEN: RuleText(
            _W,
            "S3 §3.1",
            "描述须说明用户通常怎么说：什么时候用，比它是什么更重要。",
            "补上“适用于用户询问……”，或在 when 中列出两句用户原话。",
            "Say how users put it: when to use a tool matters more than what it is.",
            "Add “Use it when the user asks …”, or two such sentences in `when`.",
        ),
        Rule.WHEN_NOT: RuleText(
            _W,
            "S3 §3.1, §6.1",
            "没有写什么时候不该用：这是模型总选错工具的首要原因。",
            "补上“若用户只提供了……，请先使用……，不要猜测。”",
            "It does not say when not to use it: the first reason for wrong choices.",
            "Add “If the user only gives …, use … first; do not guess.”",
        ),
        Rule.INTERNAL_NAME: RuleText(
            _W,
            "S3 §6.2",
            "不要让模型看到内部编号或服务名，它会与相似的名称混淆。",
            "改名为 {better} 这样的语义化名称。",
            "Internal names and numbers are confused with others that look alike.",
            "Rename it, such as to {better}.",
        ),
        Rule.FREE_TEXT: RuleText(
            _W,
            "S3 §3.2",
            "能枚举就不要放自由文本；有固定格式就写 pattern 或 format。",
            "给 {field} 加上 {form}。",
            "Where values can be listed use enum; where there is a format, pattern or format.",
            "Give {field} {form}.",
        ),
        Rule.NO_EXAMPLE: RuleText(
            _W,
            "S3 §3.2",
            "时间、金额、ID 一律给出一个正确示例：模型对示例的敏感度远高于对格式说明。",
            "在 {field} 的描述中写：格式示例：{sample}",
            "Times, amounts and ids need one right example: models heed it far more than a rule.",
            "Write into the description of {field}: Example: {sample}",
        ),
        Rule.NO_DESCRIPTION: RuleText(
            _H,
            "S3 §3.2",
            "参数没有描述。",
            "写明 {field} 是什么。",
            "The parameter has no description.",
            "Say what {field} is.",
        ),
        Rule.TOO_MANY: RuleText(
            _W,
            "S3 §3.2",
            "超过六个参数，模型填错的概率明显上升。",
            "共 {n} 个参数：拆成两个能力，或去掉很少用到的。",
            "Above six parameters a model fills in more of them wrongly.",
            "It has {n}: make two tools of it, or drop what is seldom used.",
        ),
        Rule.DETAIL_ON: RuleText(
            _W,
            "S3 §3.1",
            "明细开关默认关闭，返回值才小，上下文才省。",
            "把 {field} 的 default 改为 false。",
            "Flags for detail are off by default, so that answers stay small.",
            "Let {field} default to false.",
        ),
        Rule.DANGER: RuleText(
            _E,
            "S3 §7.1",
            "删除、批量修改、资金类操作默认不在能力清单中，须单独标注危险等级。",
            '声明 "danger": "{suspected}"；未声明前不提供给模型。',
            "Deletes, bulk changes and money are not on offer unless the contract declares them.",
            'Declare "danger": "{suspected}"; until then the model is not offered it.',
        ),
        Rule.DANGER_LOW: RuleText(
            _W,
            "S3 §7.1",
            "声明的危险等级低于名称或描述所说。",
            "核对：看起来是 {suspected}，声明的是 {danger}。",
            "The declared danger is lower than what name or description say.",
            "Check it: it looks like {suspected} and is declared {danger}.",
        ),
        Rule.NEAR_DUPLICATE: RuleText(
            _W,
            "S3 §1.1, §3.1",
            "两个描述几乎相同，模型会选混。",
            "与 {other} 相似度 {similarity:.0%}：合并，或写明何时改用 {other}。",
            "Two descriptions say nearly the same: the model will mix the tools up.",
            "It is {similarity:.0%} like {other}: merge them, or say when to use {other}.",
        ),
        Rule.NOT_IDEMPOTENT: RuleText(
            _H,
            "S3 §4.1",
            "写操作没有幂等保障就不自动重试，超时后只能告知结果未知、请人工确认。",
            '下游按幂等键去重则声明 "idempotent": true，否则声明 false。',
            "A write without idempotency is never tried again: outcome unknown, ask a person.",
            'Declare "idempotent": true where the system drops repeats by key, else false.',
        ),
        Rule.WRITE_FALLBACK: RuleText(
            _E,
            "S4 §3.2, S3 §4.1",
            "写操作不得降级：默认值或缓存会冒充成功。",
            "去掉 fallback。",
            "A write must not have a fallback: a default answer would pass for success.",
            "Take the fallback out.",
        ),
        Rule.DAILY_QUOTA: RuleText(
            _H,
            "S3 §6.2",
            "应有每日配额：分钟级限流挡不住慢慢烧的异常。",
            '声明 "quotas": {{"caller_per_day": 20}}，按业务取值。',
            "It needs a daily quota: limits per minute miss what burns slowly.",
            'Declare "quotas": {{"caller_per_day": 20}}, with a number that fits.',
        ),
        Rule.NO_SLA: RuleText(
            _H,
            "S4 §4.3",
            "没有约定 P95：慢不慢没有标准，只能与 8 秒的调用预算相比。",
            '与业务方约定后声明 "sla_p95_ms": 1200。',
            "No P95 is agreed: whether it is slow can only be told against the 8 s of any call.",
            'Agree on one and declare "sla_p95_ms": 1200.',
        ),
        Rule.SLA_LOOSE: RuleText(
            _W,
            "S3 §4.2, S4 §4.3",
            "单次调用最多 8 秒：8 秒或更长的约定不可能被违反。",
            "改为小于 8000 的值，而不是 {sla_ms:g}。",
            "A call is ended after 8 s: an SLA of that or more can never be broken.",
            "Agree on less than 8000 instead of {sla_ms:g}.",
        ),
        Rule.OPEN_OBJECT: RuleText(
            _H,
            "S4 §2.1, S3 §3.2",
            "参数是没有字段说明的对象，模型只能编造字段。",
            "列出 {field} 的 properties，或拆成单独的参数。",
            "The parameter is an object without fields: the model has to invent them.",
            "List the properties of {field}, or make parameters of them.",
        ),
        Rule.SENSITIVE: RuleText(
            _H,
            "S4 §3.2",
            "参数名像个人信息或密钥：未声明就会原样进入链路、日志和观察。",
            '声明 "sensitive": {declared}。',
            "It sounds personal or secret: unless declared, spans, logs and prompts hold it as it is.",
            'Declare "sensitive": {declared}.',
        ),
    }
)
