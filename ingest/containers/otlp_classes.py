"""Classes that read OTLP protobuf and leave the attributes of a record unread.

On the wire a message and a byte string are the same. Left as bytes, an attribute costs no message
object of its own, and one that comes again on the next span (`raw_values`) is not read again: several
times as fast as the generated classes, which are kept for everything else.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

__all__ = ["LOGS_REQUEST", "LOG_RECORD", "SPAN", "TRACE_REQUEST"]

_FILES: Final = (
    common_pb2,
    resource_pb2,
    trace_pb2,
    trace_service_pb2,
    logs_pb2,
    logs_service_pb2,
)
"""In the order of their imports."""
_UNREAD: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    trace_pb2.DESCRIPTOR.name: (("Span",), ("Span", "Event")),
    logs_pb2.DESCRIPTOR.name: (("LogRecord",),),
}
_ATTRIBUTES: Final = "attributes"


def _pool() -> DescriptorPool:
    pool = DescriptorPool()
    for module in _FILES:
        file = FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        for path in _UNREAD.get(file.name, ()):
            _leave_attributes(_message(file, path))
        pool.Add(file)
    return pool


def _message(file: FileDescriptorProto, path: tuple[str, ...]) -> DescriptorProto:
    outer, *inner = path
    found = _named(file.message_type, outer)
    for name in inner:
        found = _named(found.nested_type, name)
    return found


def _named(messages: Iterable[DescriptorProto], name: str) -> DescriptorProto:
    return next(message for message in messages if message.name == name)


def _leave_attributes(message: DescriptorProto) -> None:
    attributes = next(field for field in message.field if field.name == _ATTRIBUTES)
    attributes.type = FieldDescriptorProto.TYPE_BYTES
    attributes.ClearField("type_name")


def _class(pool: DescriptorPool, message: Any) -> type[Message]:
    return GetMessageClass(pool.FindMessageTypeByName(message.DESCRIPTOR.full_name))


_POOL: Final = _pool()
TRACE_REQUEST: Final = _class(_POOL, trace_service_pb2.ExportTraceServiceRequest)
LOGS_REQUEST: Final = _class(_POOL, logs_service_pb2.ExportLogsServiceRequest)
SPAN: Final = _class(_POOL, trace_pb2.Span)
LOG_RECORD: Final = _class(_POOL, logs_pb2.LogRecord)
