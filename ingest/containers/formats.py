"""The foreign containers, and which of them a file is: by its content, the first that knows it."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from ingest.containers.benchmarks import (
    agentdojo,
    agentrx,
    api_bank,
    atif,
    bfcl,
    swe_agent,
    tau2,
    tau_bench,
    who_and_when,
)
from ingest.containers.drafts import Format, Piece
from ingest.containers.json_values import Values
from ingest.containers.platforms import (
    jaeger,
    langfuse,
    langfuse_batch,
    langsmith,
    mlflow,
    openai_agents,
    opik,
    span_dumps,
    tempo,
    trail,
    zipkin,
)
from ingest.containers.transcripts import (
    adk,
    agent_sdk_log,
    claude_code,
    codex,
    guard_decisions,
    inspect_log,
    managed_agents,
    message_list,
    openai_agents_state,
)

FORMATS: Final[Sequence[Format]] = (
    tempo.FORMAT,
    jaeger.FORMAT,
    trail.FORMAT,
    span_dumps.PHOENIX,
    span_dumps.CONSOLE,
    span_dumps.READABLE,
    span_dumps.CLICKHOUSE,
    zipkin.FORMAT,
    langfuse.FORMAT,
    langfuse_batch.FORMAT,
    langsmith.FORMAT,
    mlflow.FORMAT,
    opik.FORMAT,
    openai_agents.FORMAT,
    openai_agents_state.FORMAT,
    inspect_log.FORMAT,
    atif.FORMAT,
    agentdojo.FORMAT,
    tau_bench.AGENTRX_FORMAT,
    tau_bench.FORMAT,
    tau2.FORMAT,
    who_and_when.FORMAT,
    swe_agent.FORMAT,
    agentrx.FORMAT,
    adk.EVAL_SET,
    adk.SESSION,
    claude_code.FORMAT,
    agent_sdk_log.FORMAT,
    codex.FORMAT,
    managed_agents.FORMAT,
    guard_decisions.FORMAT,
    api_bank.FORMAT,
    bfcl.RESULTS,
    bfcl.ANSWERS,
    bfcl.QUESTIONS,
    who_and_when.MAGENTIC_FORMAT,
    message_list.FORMAT,
)
"""In order: where two could know a file, the one that asks for more comes first."""
_PROBED: Final = 50


class Known(NamedTuple):
    """What a file was known as."""

    format: Format
    reason: str
    """By what, in words."""
    values: Values
    """Its pieces, none taken yet; items of a list apart where the format wants them so."""


def recognise(values: Values) -> Known | None:
    """The format of a file's values; None when none knows them."""
    probed = values.peeked(_PROBED)
    if not values.is_lines and probed and isinstance(probed[0].value, list):
        return _of_list(probed[0].value, values)
    for piece in probed:
        if found := sign_of(piece.value):
            return Known(*found, values)
    return None


def sign_of(value: Any) -> tuple[Format, str] | None:
    """The first format that knows a value, and by what."""
    for one in FORMATS:
        if reason := one.sign(value):
            return one, reason
    return None


def _of_list(items: list[Any], values: Values) -> Known | None:
    probed = list(islice((item for item in items if item is not None), _PROBED))
    for one in FORMATS:
        reasons = [one.sign(items)] if one.takes_list else map(one.sign, probed)
        reason = next((reason for reason in reasons if reason), None)
        if reason is None:
            continue
        if not one.takes_list:
            pieces = (Piece(item, f"item {index}") for index, item in enumerate(items))
            values = Values(pieces, is_lines=False, refused=values.refused)
        return Known(one, reason, values)
    return None
