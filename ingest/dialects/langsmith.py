"""LangSmith's OpenTelemetry export: runs with their inputs and outputs as JSON."""

from typing import Final

from ingest.dialects.names import Names, by_table
from pipeline.vocabulary import Role

NAMES: Final = Names(
    "langsmith",
    marks=("langsmith.",),
    kind=("langsmith.span.kind",),
    roles={
        "llm": Role.MODEL,
        "tool": Role.TOOL,
        "chain": Role.CHAIN,
        "retriever": Role.RETRIEVER,
        "embedding": Role.OTHER,
        "prompt": Role.OTHER,
        "parser": Role.OTHER,
    },
    fields={
        "agent_name": ("langsmith.metadata.lc_agent_name",),
        "session_id": ("langsmith.metadata.session_id", "langsmith.metadata.thread_id"),
        "provider": ("langsmith.metadata.ls_provider",),
        "request_model": ("langsmith.metadata.ls_model_name",),
    },
    usage=("langsmith.metadata.usage_metadata",),
    inputs=("gen_ai.prompt",),
    outputs=("gen_ai.completion",),
    tool_name=("langsmith.trace.name",),
    tool_call_id=("langsmith.metadata.tool_call_id",),
    arguments=("gen_ai.prompt",),
    result=("gen_ai.completion",),
)
DIALECT: Final = by_table(NAMES)
