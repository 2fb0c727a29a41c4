"""What the bytes of a file can be."""

from enum import StrEnum


class Container(StrEnum):
    """The containers that are read; the name goes into the ledger."""

    OTLP_JSON = "otlp-json"
    """One document, or several in a list, over any number of lines."""
    OTLP_JSON_LINES = "otlp-json-lines"
    """One export a line: the collector's file exporter."""
    OTLP_PROTOBUF = "otlp-protobuf"
    """One bare request."""
    OTLP_PROTOBUF_PREFIXED = "otlp-protobuf-prefixed"
    """Requests with 4-byte lengths before them: the collector's file exporter."""
    NOISE_LOG = "noise-log"
    LABELS = "labels"


class Signal(StrEnum):
    """What a protobuf request carries; its bytes alone do not name it."""

    TRACES = "traces"
    LOGS = "logs"
    METRICS = "metrics"
