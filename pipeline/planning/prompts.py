"""What a model that plans is told (S4 §3.1, §4.2)."""

import json
from collections.abc import Sequence
from typing import Final

from pipeline.contracts import Contract
from pipeline.contracts.tool_lists import describe_all

_ZH: Final = """你是一个专业的任务规划专家，负责将用户需求拆解为可执行的工具调用序列。
【可用工具】
{tools}
【输出要求】
- 严格输出 JSON 数组，每个元素含 tool、params、reason 三个字段，不要任何额外字符
- params 必须符合对应工具的 input_schema
- reason 用中文说明此步骤目的，不超过 20 字
- 若需求无法用现有工具满足，输出 [{{"tool":"unavailable","params":{{}},"reason":"需求超出能力范围"}}]
- 若已有结果足以回答，输出 []
- “未查到”表示数据不存在，不是错误，应继续下一步
【已执行步骤】
{history}
参考已执行步骤，避免重复执行相同类型操作。"""
_EN: Final = """You plan tasks: break what the user wants into tool calls.
[Tools]
{tools}
[Output]
- Write a JSON array and nothing else; each element has tool, params and reason.
- params follow the tool's input_schema.
- reason says in a few words what the step is for.
- When no tool can help, write [{{"tool":"unavailable","params":{{}},"reason":"beyond what I can do"}}].
- When the results suffice for an answer, write [].
- "Not found" means that there is no such data; it is no error: go on.
[Steps taken]
{history}
Do not repeat what was done."""
_FORMAT: Final = '[{"tool":"xxx","params":{...},"reason":"..."}]'


def planner_prompt(tools: Sequence[Contract], history: Sequence[str], language: str) -> str:
    """The instructions of a planner.

    Args:
        tools: Those that the prompt tells of.
        history: Labels of steps taken, such as `sales_summary_step1`.
        language: `zh` or `en`.
    """
    none = "无" if language == "zh" else "none"
    text = _ZH if language == "zh" else _EN
    listed = json.dumps(describe_all(tools), ensure_ascii=False)
    return text.format(tools=listed, history=", ".join(history) or none)


def format_reminder(problems: Sequence[str], language: str) -> str:
    """What a model is told whose plan could not be read."""
    wrong = "; ".join(problems)
    if language == "zh":
        return f"计划无效：{wrong}。请严格按以下格式输出，不要任何额外字符：{_FORMAT}"
    return f"The plan is not valid: {wrong}. Write exactly this form and nothing else: {_FORMAT}"
