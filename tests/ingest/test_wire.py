"""The wire walker on single messages."""

import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from ingest.containers.wire import WireError, mended, scan


def test_a_good_message_is_mended_into_itself() -> None:
    data = KeyValue(key="a" * 300, value=AnyValue(int_value=-1)).SerializeToString()
    assert mended(data, KeyValue.DESCRIPTOR) == data


def test_a_string_inside_a_string_field_is_escaped_and_lengths_follow() -> None:
    data = KeyValue(key="MARK", value=AnyValue(string_value="MARK")).SerializeToString()
    whole = KeyValue.FromString(mended(data.replace(b"MARK", b"M\xffRK"), KeyValue.DESCRIPTOR))
    assert (whole.key, whole.value.string_value) == (r"M\xffRK", r"M\xffRK")


@pytest.mark.parametrize(
    ("data", "is_cut"),
    [
        (b"\x0a", True),
        (b"\x0a\x80", True),
        (b"\x08\xff", True),
        (b"\x0a\x05ab", False),
        (b"\x09\x01", False),
        (b"\x0b", False),
        (b"\x00\x00", False),
        (b"\x08" + b"\xff" * 11, False),
    ],
)
def test_what_is_no_message_is_an_error_at_its_byte(data: bytes, is_cut: bool) -> None:
    with pytest.raises(WireError) as error:
        mended(data, KeyValue.DESCRIPTOR)
    assert error.value.is_cut is is_cut
    assert scan(data, 0, len(data)).error is not None
