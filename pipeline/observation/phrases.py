"""Free text that reads like an instruction to the model: noticed, never dropped.

A detector of phrases finds what is written plainly and nothing else; it guards nothing by itself. It
is a signal for people who watch, and one line of warning in the prompt. What protects is elsewhere:
only mapped values enter prompts as they are, and free text is framed (`safety`).
"""

import re
import unicodedata
from functools import cache
from typing import Final

MAX_SCANNED: Final = 4_000
"""Characters of a text that are looked at."""
_PHRASES: Final = "|".join(
    f"(?:{phrase})"
    for phrase in (
        r"\b(ignore|disregard|forget|override)\b.{0,40}\b(instruction|prompt|rule|message|above)",
        r"\b(reveal|print|repeat|show)\b.{0,30}\b(system prompt|instructions|secret|password)",
        r"\b(system prompt|developer message|new instructions?)\b",
        r"\byou are (now|no longer)\b",
        r"\b(do not|don't|never) (tell|inform|mention)\b.{0,20}\b(the )?user\b",
        r"\b(call|invoke|run|execute|use) (the|this) (tool|function|command)\b",
        r"(^|\s)(system|assistant)\s*:\s",
        r"<\|?(im_start|im_end|system|endoftext)\|?>|\[/?inst\]",
        r"(忽略|无视|忘记|不要理会).{0,12}(指令|提示|规则|要求|内容|设定)",
        r"(你|您)现在(是|扮演)|从现在(开始|起).{0,6}你",
        r"(系统提示|系统指令|提示词)",
        r"不要(告诉|告知|提醒).{0,6}(用户|客户)",
        r"(请|立即|马上|必须).{0,4}(调用|执行|运行).{0,12}(工具|函数|命令|接口)",
    )
)


def reads_like_instruction(text: str) -> bool:
    """Whether a text holds a phrase by which instructions to a model are written.

    Width, case, line breaks and invisible characters make no difference. False says nothing about
    the text's harmlessness.
    """
    folded = unicodedata.normalize("NFKC", text[:MAX_SCANNED]).casefold()
    visible = "".join(char for char in folded if unicodedata.category(char) != "Cf")
    line = " ".join(visible.split())
    return _pattern().search(line) is not None


@cache  # compiled with first use: importing the package stays cheap
def _pattern() -> "re.Pattern[str]":
    return re.compile(_PHRASES)
