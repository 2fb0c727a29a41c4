"""Bytes of a file: hashed, counted, unpacked within limits."""

import gzip
import hashlib
import io
import zlib
from typing import Any

import pytest

from ingest.source import Source


def _read(data: bytes, **options: Any) -> tuple[bytes, Source]:
    source = Source(io.BytesIO(data), **options)
    return source.read(10**9), source


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        (b"", b""),
        (b"x", b"x"),
        (b"some text", b"some text"),
        (gzip.compress(b"some text", mtime=0), b"some text"),
        (
            gzip.compress(b"some ", mtime=0) + gzip.compress(b"text", mtime=0) + bytes(512),
            b"some text",
        ),
        (b"\xef\xbb\xbfsome text", b"some text"),
        (gzip.compress(b"\xef\xbb\xbfsome text", mtime=0), b"some text"),
        (gzip.compress(bytes(3_000_000), mtime=0), bytes(3_000_000)),
    ],
)
def test_a_file_is_read_whole_and_hashed_as_stored(data: bytes, plain: bytes) -> None:
    content, source = _read(data)
    assert content == plain
    source.drain()
    assert source.fault is None
    assert source.n_stored_bytes == len(data)
    assert source.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("n_kept", [12, 20, 200, 2_000])
def test_a_gzip_file_that_ends_early_gives_what_it_has(n_kept: int) -> None:
    plain = b"".join(hashlib.sha256(str(n).encode()).digest() for n in range(200))
    content, source = _read(gzip.compress(plain, mtime=0)[:n_kept])
    assert plain.startswith(content)
    assert source.fault is not None
    assert "ends early" in source.fault


def test_a_wrong_checksum_costs_no_byte() -> None:
    packed = bytearray(gzip.compress(b"some text" * 1_000, mtime=0))
    packed[-6] ^= 0xFF
    content, source = _read(bytes(packed))
    assert content == b"some text" * 1_000
    assert source.fault is not None
    assert "damaged" in source.fault


def test_a_gzip_bomb_stops_at_the_limit() -> None:
    packer = zlib.compressobj(wbits=31)
    bomb = b"".join(packer.compress(bytes(2**20)) for _ in range(64)) + packer.flush()
    content, source = _read(bomb, max_unpacked_bytes=2**20)
    assert len(content) <= 3 * 2**20
    assert source.fault is not None
    assert "unpacks to more than 1048576 bytes" in source.fault


def test_a_stream_that_breaks_off_has_a_fault_and_no_hash() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    source = Source(Broken())
    assert source.read(10) == b""
    assert source.fault is not None
    assert "Input/output error" in source.fault
    assert source.sha256 is None


def test_lines_are_bounded_and_the_rest_can_be_passed_over() -> None:
    source = Source(io.BytesIO(b"a" * 3_000_000 + b"\nshort\n"))
    assert len(source.read_line(1_000)) == 1_000
    assert source.skip_line() == 2_999_001
    assert source.read_line() == b"short\n"
    assert source.skip_line() == 0
    assert source.skip(5) == 0
