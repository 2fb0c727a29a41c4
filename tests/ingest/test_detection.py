"""What a file is, told from its bytes."""

import gzip
import io
import json

import pytest

from ingest.detection import detect
from ingest.errors import UnknownContainerError
from ingest.source import Source

EXPORT = {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "a"}]}]}]}
LINE = json.dumps(EXPORT).encode()
NOISE = b'{"kind": "DROP", "fact_id": "f", "trace_id": "00"}'
LABEL = b'{"trace_id": "00", "turn_index": 0, "label": "RIGHT", "annotator": "lin"}'
BARE = b"\x0a\x11\x12\x0f\x12\x0d\x0a\x02ab\x12\x02cd" + b"\x39" + b"\x01" * 4
PREFIXED = len(BARE).to_bytes(4, "big") + BARE


@pytest.mark.parametrize(
    ("data", "container"),
    [
        (LINE, "otlp-json"),
        (LINE + b"\n", "otlp-json"),
        (b"\xef\xbb\xbf" + LINE, "otlp-json"),
        (b"\n\n  " + LINE, "otlp-json"),
        (json.dumps(EXPORT, indent=2).encode(), "otlp-json"),
        (json.dumps([EXPORT, EXPORT]).encode(), "otlp-json"),
        (json.dumps(EXPORT, indent=2).encode()[:60], "otlp-json"),
        (LINE[:40], "otlp-json"),
        (LINE + b"\n" + LINE, "otlp-json-lines"),
        (LINE[:40] + b"\n" + LINE, "otlp-json-lines"),
        (b"massive error\n", None),
        (b'{"resourceMetrics": []}\n' + LINE, "otlp-json-lines"),
        (LINE[:-3] + b" " * 2_000_000 + LINE[-3:], "otlp-json-lines"),
        (NOISE, "noise-log"),
        (b"\n" + NOISE + b"\n" + NOISE, "noise-log"),
        (b'{"kind": "DROP", "original_value": 1}', "noise-log"),
        (LABEL, "labels"),
        (LABEL.replace(b'"label"', b'"lable"'), "labels"),
        (BARE, "otlp-protobuf"),
        (BARE[:14], "otlp-protobuf"),
        (PREFIXED, "otlp-protobuf-prefixed"),
        (PREFIXED * 2, "otlp-protobuf-prefixed"),
    ],
)
@pytest.mark.parametrize("is_packed", [False, True])
def test_the_container_follows_from_the_bytes(
    data: bytes, container: str | None, is_packed: bool
) -> None:
    source = Source(io.BytesIO(gzip.compress(data) if is_packed else data))
    if container is None:
        with pytest.raises(UnknownContainerError):
            detect(source)
    else:
        assert detect(source).container == container


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty: expected"),
        (b" \n\t", "only blank space"),
        (b"Dear all,\nplease", "text that begins 'Dear all"),
        (b"\n\n   Apache License", "text that begins 'Apache License"),
        (b"\x00\x01\x02", "binary data that begins 00 01 02"),
        (b"\x28\xb5\x2f\xfd....", "zstd data: expected"),
        (b"PK\x03\x04....", "a zip archive"),
        ("{}".encode("utf-16"), "UTF-16 text: expected UTF-8 text"),
        (b'{"path": "/v1/traces", "wire_bytes": 5}\n', "JSON with the keys path, wire_bytes"),
        (b'{\n "status": "success",\n "samples": [', "JSON with the keys status, samples"),
        (b"[1, 2]", "JSON with the keys none"),
        (b"{broken", "text that begins '{broken'"),
        (gzip.compress(LINE, mtime=0)[:11], "the gzip data ends early"),
    ],
)
def test_an_unknown_file_says_what_it_looks_like_and_what_to_do(data: bytes, words: str) -> None:
    with pytest.raises(UnknownContainerError) as error:
        detect(Source(io.BytesIO(data)))
    assert str(error.value).startswith(words)
    assert ";" in str(error.value)
