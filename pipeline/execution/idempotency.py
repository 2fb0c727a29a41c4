"""The key that makes one step of one task happen once."""

import hashlib


def idempotency_key(task_id: str, step_index: int) -> str:
    """The same 32 hex digits for every try of one step, whoever derives it.

    The model never writes it: it would write another one each time.

    Source: S3 §4.1.
    """
    return hashlib.sha256(f"{task_id}:{step_index}".encode()).hexdigest()[:32]
