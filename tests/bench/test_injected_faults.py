"""Every fault finds a place in the sample's traces, names a span of it, and changes nothing else."""

import copy
import gzip
import json

import pytest

from sample_traces import paths
from tests.bench.attribution_bench import spans_of
from tests.bench.injected_faults import FAULTS, Fault, Span, injected


@pytest.fixture(scope="module")
def traces() -> list[list[Span]]:
    with gzip.open(paths()[0], "rt", encoding="utf-8") as lines:
        return [spans_of(line) for _, line in zip(range(300), lines, strict=False)]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_put_into_a_copy(traces: list[list[Span]], fault: Fault) -> None:
    before = copy.deepcopy(traces)
    found = list(injected(traces, fault, 5, 1 << 96))

    assert traces == before
    assert len(found) == 5
    assert len({spans[0]["traceId"] for spans, _ in found}) == 5
    for spans, at_fault in found:
        assert at_fault in {span["spanId"] for span in spans}
        (same,) = [old for old in traces if old[0]["spanId"] == spans[0]["spanId"]]
        kept = {json.dumps({**span, "traceId": ""}, sort_keys=True) for span in spans}
        original = {json.dumps({**span, "traceId": ""}, sort_keys=True) for span in same}
        assert 0 < len(kept - original) <= len(spans)
