"""How long to wait before the next try, and whether there is one."""

from typing import Final

BASE_SECONDS: Final = 0.5
MAX_RETRIES: Final = 3
CALL_BUDGET_SECONDS: Final = 8.0
ATTEMPT_TIMEOUT_SECONDS: Final = 3.0
MIN_ATTEMPT_SECONDS: Final = 0.2
"""A try that could only run shorter than this is not started."""


def backoff_seconds(retry: int, jitter: float) -> float:
    """The wait before retry number `retry` (1 is the first): `0.5 * 2^(retry-1) * jitter`.

    Args:
        retry: One-based number of the retry.
        jitter: A draw from U(0.5, 1.5), given by the caller so that runs can be repeated.

    Source: S3 §4.2.
    """
    return BASE_SECONDS * float(2 ** (retry - 1)) * jitter


def may_retry(
    retry: int, wait_seconds: float, elapsed_seconds: float, *, is_idempotent: bool
) -> bool:
    """Whether retry number `retry` may start after waiting `wait_seconds`.

    No: for an operation that is not idempotent, past three retries, or when the call's budget of
    8 s would leave the try less than its minimum time.

    Source: S3 §4.1-4.2; the budget wins over the count.
    """
    if not is_idempotent or retry > MAX_RETRIES:
        return False
    return elapsed_seconds + wait_seconds + MIN_ATTEMPT_SECONDS <= CALL_BUDGET_SECONDS
