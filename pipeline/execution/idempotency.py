"""What tells one call from another: the key of a step, the hash of what is asked for."""

import hashlib
import json
from typing import Any


def idempotency_key(task_id: str, step_index: int) -> str:
    """The same 32 hex digits for every try of one step, whoever derives it.

    The model never writes it: it would write another one each time.

    Source: S3 §4.1.
    """
    return hashlib.sha256(f"{task_id}:{step_index}".encode()).hexdigest()[:32]


def arguments_hash(tool: str, arguments: Any) -> str:
    """16 hex digits over tool and arguments, whatever the order of keys."""
    text = json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
