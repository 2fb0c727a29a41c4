"""What is known of the models in this world: names, speed, tokens."""

import re
from typing import Final

from pipeline.execution.telemetry import compact_json
from pipeline.planning import ModelRequest, Usage
from pipeline.planning.conversation import Message

PROVIDER: Final = "lantern"
LARGE_MODEL: Final = "lantern-large-2"
SMALL_MODEL: Final = "lantern-small-1"
"""No real model: what is said of these two judges nobody's product."""
MEDIAN_MS: Final = {LARGE_MODEL: 900.0, SMALL_MODEL: 480.0}
MS_PER_TOKEN: Final = {LARGE_MODEL: 11.0, SMALL_MODEL: 6.0}
INSTRUCTIONS: Final = (
    "你是网店的客服助手。只依据工具返回的事实回答；缺少信息就调用工具，不要猜测订单号；"
    "退款前必须得到用户确认。回答简短。"
)
CACHE_BLOCK_TOKENS: Final = 64
_WIDE: Final = re.compile("[\u2e80-\U0010ffff]")


class TokenMeter:
    """Counts the tokens of one task; what an earlier call sent is cached, in whole blocks."""

    def __init__(self) -> None:
        self._n_seen = 0

    def usage(self, request: ModelRequest, message: Message) -> Usage:
        """The tokens of one call."""
        sent = request.instructions + request.definitions + compact_json(list(request.messages))
        n_input = n_tokens(sent)
        cached = self._n_seen // CACHE_BLOCK_TOKENS * CACHE_BLOCK_TOKENS
        self._n_seen = n_input
        return Usage(n_input, n_tokens(compact_json(message["parts"])), cached)


def n_tokens(text: str) -> int:
    """An estimate: one token for each Chinese character and a half, and for four letters."""
    n_wide = len(_WIDE.findall(text))
    return n_wide * 2 // 3 + (len(text) - n_wide) // 4 + 1
