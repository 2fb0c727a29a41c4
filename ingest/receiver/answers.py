"""The bytes of answers: OTLP export responses and the Status message of errors.

Source: OTLP specification 1.x, "OTLP/HTTP Response": the answer is in the form of the request; an
error carries a google.rpc.Status.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from ingest.containers.wire import varint
from ingest.kinds import Signal
from ingest.receiver.media import Encoding
from ingest.receiver.refusal import Refusal

_RESPONSES: Final[Mapping[Signal, Any]] = {
    Signal.TRACES: (ExportTraceServiceResponse, "rejected_spans", "rejectedSpans"),
    Signal.LOGS: (ExportLogsServiceResponse, "rejected_log_records", "rejectedLogRecords"),
    Signal.METRICS: (
        ExportMetricsServiceResponse, "rejected_data_points", "rejectedDataPoints",
    ),
}  # fmt: skip
_GRPC_CODES: Final[Mapping[int, int]] = {
    400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 408: 4, 413: 3, 415: 3, 421: 7, 429: 8, 500: 13,
    503: 14,
}  # fmt: skip
"""INVALID_ARGUMENT, UNAUTHENTICATED, ... as google.rpc.Code numbers them."""
_UNKNOWN: Final = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """What the sender is told."""

    status: int
    body: bytes
    encoding: Encoding
    detail: str = ""
    """The sentence in `body`, for transports with a place of their own for it."""
    retry_seconds: int | None = None

    @property
    def grpc_code(self) -> int:
        """The google.rpc.Code; 0 for a success."""
        return 0 if self.status == 200 else _GRPC_CODES.get(self.status, _UNKNOWN)


def accepted(signal: Signal, encoding: Encoding, n_rejected: int, sentence: str) -> Answer:
    """All was taken, or all but some records: those are counted and the first is explained."""
    response, field, json_name = _RESPONSES[signal]
    if encoding is Encoding.JSON:
        partial = {json_name: str(n_rejected), "errorMessage": sentence}
        body = orjson.dumps({"partialSuccess": partial} if n_rejected else {})
        return Answer(200, body, encoding, sentence)
    message = response()
    if n_rejected:
        setattr(message.partial_success, field, n_rejected)
        message.partial_success.error_message = sentence
    return Answer(200, message.SerializeToString(), encoding, sentence)


def refused(refusal: Refusal, encoding: Encoding) -> Answer:
    """Nothing was taken; the Status message says why."""
    code = _GRPC_CODES.get(refusal.status, _UNKNOWN)
    if encoding is Encoding.JSON:
        body = orjson.dumps({"code": code, "message": refusal.detail})
    else:
        text = refusal.detail.encode()
        body = b"\x08" + varint(code) + b"\x12" + varint(len(text)) + text
    return Answer(refusal.status, body, encoding, refusal.detail, refusal.retry_seconds)
