"""Is the right layer named? `python -m tests.bench.attribution_bench [--most 60] [--seeds 8]`.

Track A, by construction: one fault is put into a clean recorded trace; the first hint should name its
layer and its step, and nothing should be named in the clean trace. Some kinds of fault are held out: no
sign was written for them. Track C, populations: a fault touches a share of one of two days; its layer
should rank first, and none where nothing happened. Track B, public logs with human labels, is `toolsight
eval agentrx|who-when`. Rules that need no thought stand beside both: a share alone says nothing.
"""

import argparse
import gzip
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from ingest import import_paths
from metrics import Layer, Scope, Side, WhichLayer, data_range, which_layer
from metrics.incident import Outcome, diagnose, sign_outcomes
from metrics.intervals import wilson
from replay_store import Database, derive
from replay_store.story import fault_signs, trace_steps
from sample_traces import paths
from tests.bench.alert_world import HOUR_NS, START_HOUR, write_days
from tests.bench.injected_faults import FAULTS, Fault, Span, injected

SHIFTS: Final = {
    "sentence lost": Layer.PLANNING,
    "tools that send for each other": Layer.PLANNING,
    "order system slow": Layer.EXECUTION,
    "points system fails": Layer.EXECUTION,
    "new status": Layer.OBSERVATION,
    "model slow": Layer.MODEL,
}
SHARES: Final = (0.25, 0.5, 1.0)
_NUMBER: Final = 1 << 96
"""Ids of injected traces begin here."""
_CLEAN: Final = (
    "select hex_trace(trace_id) as trace_id from trace as t where not is_run_failed and status = 'ok' "
    "and n_tool_calls > 0 and n_noise = 0 and n_guard_hits = 0 and trace_id not in "
    "(select trace_id from fault_sign) and trace_id in "
    "(select trace_id from observation) order by trace_id"
)


@dataclass(frozen=True, slots=True)
class Named:
    """What was said of one trace."""

    layer: Layer | None
    """Of the first hint, borne out or not; None without a hint."""
    is_determined: bool
    distance: int | None
    """Steps from the fault to the first hint; None where the hint stands at no step."""
    last_call: int | None
    """Steps from the fault to the last call."""


def clean_traces(database: Database) -> list[list[Span]]:
    """The sample's traces without any sign of a fault, with their observations."""
    wanted = {row["trace_id"] for row in database.rows(_CLEAN)}
    with gzip.open(paths()[0], "rt", encoding="utf-8") as lines:
        traces = (spans_of(line) for line in lines)
        return [spans for spans in traces if spans[0]["traceId"] in wanted]


def track_a(
    traces: Sequence[Sequence[Span]], outcomes: dict[str, Outcome], most: int
) -> tuple[dict[Fault, list[Named]], list[Named]]:
    """What is said of traces with each fault, and of clean ones."""
    placed: list[tuple[Fault | None, str, str]] = []
    with tempfile.TemporaryDirectory() as folder, Database.open() as database:
        path = Path(folder) / "injected.otlp.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for fault in FAULTS:
                first = _NUMBER + len(placed)
                for spans, at_fault in injected(traces, fault, most, first):
                    placed.append((fault, spans[0]["traceId"], at_fault))
                    file.write(json.dumps(_request(spans)) + "\n")
            for clean in traces[: most * len(FAULTS)]:
                placed.append((None, clean[0]["traceId"], ""))
                file.write(json.dumps(_request(clean)) + "\n")
        import_paths([path], database)
        derive(database)
        found: dict[Fault | None, list[Named]] = {}
        for kind, trace_id, at_fault in placed:
            found.setdefault(kind, []).append(_named(database, trace_id, at_fault, outcomes))
    untouched = found.pop(None, [])
    return {fault: named for fault, named in found.items() if fault is not None}, untouched


def track_c(story: str | None, share: float, seed: int, traffic: float) -> WhichLayer:
    """The ranking when a story touches that share of the second of two days."""
    with Database.open() as database:
        write_days(database, seed, traffic, story, share)
        first, second = (
            Scope((START_HOUR + 24 * day) * HOUR_NS, (START_HOUR + 24 * (day + 1)) * HOUR_NS)
            for day in (0, 1)
        )
        return which_layer(database, Side(first), Side(second))


def largest_change(found: WhichLayer) -> Layer | None:
    """The layer that a look at bare figures would blame: the largest effect, whatever chance does."""
    from metrics import SIGNALS

    known = [item for item in found.comparisons if item.p_value is not None and item.effect > 0]
    worst = max(known, key=lambda item: item.effect, default=None)
    return None if worst is None else SIGNALS[worst.key][0]


def _named(database: Database, trace_id: str, at_fault: str, outcomes: dict[str, Outcome]) -> Named:
    steps = trace_steps(database, trace_id)
    diagnosis = diagnose(steps, fault_signs(database, trace_id), outcomes)
    hint = next((hint for hint in diagnosis.hints if not hint.is_recovered), None)
    fault = next((at for at, step in enumerate(steps) if step.span_id == at_fault), None)
    calls = [at for at, step in enumerate(steps) if step.call_index is not None]
    return Named(
        layer=None if hint is None else hint.layer,
        is_determined=diagnosis.is_determined,
        distance=None if hint is None or hint.step is None or fault is None else hint.step - fault,
        last_call=None if not calls or fault is None else calls[-1] - fault,
    )


def spans_of(line: str) -> list[Span]:
    body = json.loads(line)
    return [s for r in body["resourceSpans"] for scope in r["scopeSpans"] for s in scope["spans"]]


def _request(spans: Sequence[Span]) -> dict[str, object]:
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "bench"}, "spans": spans}]}]}


def _share(k: int, n: int) -> str:
    if not n:
        return "-"
    interval = wilson(k / n, n)
    return f"{k}/{n} [{interval.low:.2f}, {interval.high:.2f}]"


def _lines_a(most: int) -> Iterator[str]:
    with Database.open() as database:
        import_paths(paths(), database)
        derive(database)
        held = data_range(database)
        if held is None:
            return
        whole = Scope(held.first_time_ns, held.last_time_ns + 1)
        outcomes, traces = sign_outcomes(database, whole), clean_traces(database)
    by_fault, clean = track_a(traces, outcomes, most)
    yield f"track A: one fault in each of up to {most} clean traces of {len(traces)}"
    yield f"{'fault':<44}{'layer':<13}{'named':<22}{'hinted':<22}{'step':<22}{'step +-1':<22}other"
    for fault, named in by_fault.items():
        n = len(named)
        name = f"{fault.name} (held out)" if fault.is_held_out else fault.name
        columns = (
            _share(sum(_is_named(item, fault) for item in named), n),
            _share(sum(item.layer is fault.layer for item in named), n),
            _share(sum(item.distance == 0 for item in named), n),
            _share(sum(abs(item.distance or 0) <= 1 for item in named if item.distance is not None), n),
        )  # fmt: skip
        others = Counter(str(item.layer) for item in named if item.layer not in (None, fault.layer))
        said = ", ".join(f"{layer} {k}" for layer, k in others.most_common())
        yield f"{name:<44}{fault.layer:<13}" + "".join(f"{c:<22}" for c in columns) + said
    yield from _sums(by_fault)
    n_false = sum(item.is_determined for item in clean)
    n_hinted = sum(item.layer is not None for item in clean)
    yield f"clean: named {_share(n_false, len(clean))}, hinted {_share(n_hinted, len(clean))}"
    yield "named: the hint is borne out by the outcomes of the sample world; hinted: the first hint"


def _sums(by_fault: dict[Fault, list[Named]]) -> Iterator[str]:
    kinds: dict[str, Callable[[Fault], bool]] = {
        "tried": lambda fault: not fault.is_held_out,
        "held out": lambda fault: fault.is_held_out,
    }
    for kind, is_of in kinds.items():
        cases = [
            (fault, item) for fault, named in by_fault.items() if is_of(fault) for item in named
        ]
        n = len(cases)
        named = sum(_is_named(item, fault) for fault, item in cases)
        wrong = sum(item.is_determined and item.layer is not fault.layer for fault, item in cases)
        counts = Counter(fault.layer for fault, _ in cases)
        commonest, n_common = counts.most_common(1)[0]
        last = sum(item.last_call == 0 for _, item in cases)
        yield f"{kind}: layer named {_share(named, n)}, wrongly {_share(wrong, n)}; " + "; ".join(
            (
                f"baselines: always {commonest} {_share(n_common, n)}",
                f"any layer {0.25:.2f}",
                f"last call as step {_share(last, n)}",
            )
        )


def _is_named(item: Named, fault: Fault) -> bool:
    return item.is_determined and item.layer is fault.layer


def _lines_c(seeds: range, traffic: float) -> Iterator[str]:
    yield ""
    yield f"track C: one fault in a share of the second of two days, {20 * traffic:g} times the sample"
    yield f"{'fault':<44}{'layer':<13}{'share':>6}  {'first':<22}{'undetermined':<22}bare figures"
    cases = [(None, 0.0), *((story, share) for story in SHIFTS for share in SHARES)]
    for story, share in cases:
        found = [track_c(story, share, seed, traffic) for seed in seeds]
        wanted, n = SHIFTS.get(story or ""), len(found)
        first = _share(sum(item.worst is wanted for item in found), n)
        unknown = _share(sum(item.worst is None for item in found), n)
        bare = _share(sum(largest_change(item) is wanted for item in found), n)
        layer = "none" if wanted is None else str(wanted)
        yield f"{story or 'nothing':<44}{layer:<13}{share:>6.2f}  {first:<22}{unknown:<22}{bare}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="attribution_bench", description=__doc__)
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--traffic", type=float, default=0.25)
    options = parser.parse_args(arguments)
    seeds = range(1, options.seeds + 1)
    for line in chain(_lines_a(options.most), _lines_c(seeds, options.traffic)):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
