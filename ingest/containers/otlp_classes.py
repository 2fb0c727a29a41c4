"""Classes that read OTLP protobuf with the attributes of a record as a map of unread values.

On the wire a list of KeyValue messages and a map are the same bytes. Read as a map, an attribute
costs no message object of its own, and its value stays bytes until somebody asks: several times as
fast as the generated classes, which are kept for everything else. Of a repeated key the last value
is kept, as everywhere here.
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
_WITH_MAPS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    trace_pb2.DESCRIPTOR.name: (("Span",), ("Span", "Event")),
    logs_pb2.DESCRIPTOR.name: (("LogRecord",),),
}
_ATTRIBUTES: Final = "attributes"
_ENTRY: Final = "AttributesEntry"


def _pool() -> DescriptorPool:
    pool = DescriptorPool()
    for module in _FILES:
        file = FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        for path in _WITH_MAPS.get(file.name, ()):
            _read_as_map(_message(file, path), f".{file.package}.{'.'.join(path)}")
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


def _read_as_map(message: DescriptorProto, full_name: str) -> None:
    entry = message.nested_type.add(name=_ENTRY)
    entry.options.map_entry = True
    optional = FieldDescriptorProto.LABEL_OPTIONAL
    entry.field.add(name="key", number=1, type=FieldDescriptorProto.TYPE_STRING, label=optional)
    entry.field.add(name="value", number=2, type=FieldDescriptorProto.TYPE_BYTES, label=optional)
    attributes = next(field for field in message.field if field.name == _ATTRIBUTES)
    attributes.type_name = f"{full_name}.{_ENTRY}"


def _class(pool: DescriptorPool, message: Any) -> type[Message]:
    return GetMessageClass(pool.FindMessageTypeByName(message.DESCRIPTOR.full_name))


_POOL: Final = _pool()
TRACE_REQUEST: Final = _class(_POOL, trace_service_pb2.ExportTraceServiceRequest)
LOGS_REQUEST: Final = _class(_POOL, logs_service_pb2.ExportLogsServiceRequest)
SPAN: Final = _class(_POOL, trace_pb2.Span)
LOG_RECORD: Final = _class(_POOL, logs_pb2.LogRecord)
