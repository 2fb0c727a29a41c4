"""MLflow tracing: every value is JSON text, strings included."""

from typing import Final

from ingest.dialects.names import Names, by_table
from pipeline.vocabulary import Role

NAMES: Final = Names(
    "mlflow",
    marks=("mlflow.",),
    kind=("mlflow.spanType",),
    roles={
        "llm": Role.MODEL,
        "chat_model": Role.MODEL,
        "tool": Role.TOOL,
        "agent": Role.AGENT,
        "chain": Role.CHAIN,
        "workflow": Role.CHAIN,
        "task": Role.CHAIN,
        "retriever": Role.RETRIEVER,
        "guardrail": Role.GUARD,
        "embedding": Role.OTHER,
        "reranker": Role.OTHER,
        "parser": Role.OTHER,
        "memory": Role.OTHER,
    },
    fields={
        "provider": ("mlflow.llm.provider",),
        "request_model": ("mlflow.llm.model",),
        "response_model": ("mlflow.llm.model",),
        "session_id": ("mlflow.trace.session",),
        "user_id": ("mlflow.trace.user",),
    },
    usage=("mlflow.chat.tokenUsage",),
    inputs=("mlflow.spanInputs",),
    outputs=("mlflow.spanOutputs",),
    offers=("mlflow.chat.tools",),
    tool_name=("mlflow.spanFunctionName",),
    is_named_by_span=True,
    tool_call_id=("tool_call_id",),
    arguments=("mlflow.spanInputs",),
    result=("mlflow.spanOutputs",),
)
DIALECT: Final = by_table(NAMES)
