"""Why a request as a whole is not taken."""

from ingest.errors import IngestError, Reason


class Refusal(IngestError):  # noqa: N818 - an answer, no failure of ours
    """A request is refused.

    Args:
        status: The HTTP status; gRPC's is told from it.
        detail: The sentence for the sender: what was wrong, what is expected, what to do.
        reason: The key it is counted by in the ledger; None when the sender will come again.
        retry_seconds: When to come again, for 429 and 503.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        reason: Reason | None = None,
        retry_seconds: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.reason = reason
        self.retry_seconds = retry_seconds


def busy() -> Refusal:
    """Too many requests at once."""
    return Refusal(429, "too many requests wait: expected fewer at once; retry", retry_seconds=1)


def overfull() -> Refusal:
    """Too many bytes wait."""
    return Refusal(
        503, "too much waits to be stored: expected less at once; retry", retry_seconds=1
    )


def closing() -> Refusal:
    """The server stops, or its store cannot be written for now."""
    return Refusal(503, "the server is stopping: expected one that runs; retry", retry_seconds=5)


def full() -> Refusal:
    """The disk has no room."""
    return Refusal(
        503, "the store's disk is full: expected room; free some, then retry", retry_seconds=30
    )
