"""The rules by which a tool call is tried, tried again, and kept from happening twice (S3 §4)."""

from pipeline.execution.backoff import backoff_seconds, may_retry
from pipeline.execution.idempotency import idempotency_key

__all__ = ["backoff_seconds", "idempotency_key", "may_retry"]
