"""How a tool call is tried, tried again, and kept from happening twice (S3 §4, S4 §3.2).

Owns the executor with its budgets, breakers, fallbacks, error taxonomy, masking and pruning, and
the adapters. Refuses to choose tools: that is `pipeline.planning`; and to decide what may run: that
is `pipeline.guard`.
"""

from pipeline.execution.advice import ADVICE, NextAction, advice_text
from pipeline.execution.backoff import backoff_seconds, may_retry
from pipeline.execution.breaker import Breakers, BreakerState, CircuitBreaker
from pipeline.execution.budget import TaskBudget
from pipeline.execution.calls import Adapter, Call, CallResult, Partial, Request
from pipeline.execution.degrading import Degrading
from pipeline.execution.errors import AdapterError, BudgetError, ExecutionError, ToolError
from pipeline.execution.executor import Executor
from pipeline.execution.functions import FunctionAdapter
from pipeline.execution.idempotency import arguments_hash, idempotency_key
from pipeline.execution.masking import MASK, Masker
from pipeline.execution.pruning import bounded, prune

__all__ = [
    "ADVICE",
    "MASK",
    "Adapter",
    "AdapterError",
    "BreakerState",
    "Breakers",
    "BudgetError",
    "Call",
    "CallResult",
    "CircuitBreaker",
    "Degrading",
    "ExecutionError",
    "Executor",
    "FunctionAdapter",
    "Masker",
    "NextAction",
    "Partial",
    "Request",
    "TaskBudget",
    "ToolError",
    "advice_text",
    "arguments_hash",
    "backoff_seconds",
    "bounded",
    "idempotency_key",
    "may_retry",
    "prune",
]
