"""How long a back-test takes over 100,000 recorded observations with 20,000 distinct inputs.

Run it by hand: `python tests/bench/backtest_bench.py [--observations N] [--distinct N]`. It makes
such a store from a few observations of the pipeline, then tries a draft that gives a new value a
meaning and one that moves a threshold, and prints seconds, the parser's P99, and what was found.
The aim is under 30 s on two cores. It is no test: a shared machine has no honest limit.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from pipeline.observation import load_rules, package_rule_texts, package_rules  # noqa: E402
from replay_store import Database  # noqa: E402
from replay_store.backtest import backtest  # noqa: E402
from tests.observed import answer, emit, order, order_status, points  # noqa: E402

_STATUSES: Final = ("shipped", "pending", "delivered", "refunding")
_DRAFTS: Final = {
    "a value is mapped": (
        ("order_status.yaml", "delivered, cancelled]", "delivered, cancelled, refunding]"),
        ("order_status.yaml", "    mapping:\n", "    mapping:\n      refunding: {zh: 退款中}\n"),
    ),
    "a threshold is moved": (
        ("domain.yaml", "up_to: 50000", "up_to: 60000"),
        ("domain.yaml", "above: 50000", "above: 60000"),
    ),
}
_MULTIPLY: Final = (
    # Distinct inputs: every seed observation's outputs again, each with another order number.
    """
    create temp table copies as
    select
        seed.trace_id as old_trace_id,
        seed.span_id as old_span_id,
        md5_number_lower(seed.trace_id::varchar || copy.range::varchar) as salt,
        copy.range::bigint as copy
    from observation as seed
    cross join range($n_copies) as copy
    """,
    """
    create temp table twins as
    select
        copies.*,
        twin.range::bigint as twin,
        md5(copies.salt::varchar || twin.range::varchar)::uuid as trace_id
    from copies
    cross join range($n_twins) as twin
    """,
    """
    insert into raw_output
    select distinct
        md5(raw_output.raw_id::varchar || copies.copy::varchar)::uuid,
        raw_output.tool_name,
        raw_output.contract_version,
        replace(raw_output.body, '12345', (100000 + copies.copy)::varchar),
        raw_output.n_bytes
    from copies
    inner join raw_occurrence
        on copies.old_trace_id = raw_occurrence.trace_id
        and copies.old_span_id = raw_occurrence.span_id
    inner join raw_output on raw_occurrence.raw_id = raw_output.raw_id
    """,
    """
    insert into span
    select span.* replace (twins.trace_id as trace_id)
    from span inner join twins
        on span.trace_id = twins.old_trace_id and span.span_id = twins.old_span_id
    """,
    """
    insert into observation
    select observation.* replace (twins.trace_id as trace_id)
    from observation inner join twins
        on observation.trace_id = twins.old_trace_id
        and observation.span_id = twins.old_span_id
    """,
    """
    insert into raw_occurrence
    select raw_occurrence.* replace (
        twins.trace_id as trace_id,
        md5(raw_occurrence.raw_id::varchar || twins.copy::varchar)::uuid as raw_id
    )
    from raw_occurrence inner join twins
        on raw_occurrence.trace_id = twins.old_trace_id
        and raw_occurrence.span_id = twins.old_span_id
    """,
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--observations", type=int, default=100_000)
    parser.add_argument("--distinct", type=int, default=20_000)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        Database.open(Path(folder) / "bench.duckdb") as database,
    ):
        _fill(database, Path(folder), arguments.observations, arguments.distinct)
        for name, edits in _DRAFTS.items():
            _measure(database, name, edits)


def _fill(database: Database, folder: Path, n_observations: int, n_distinct: int) -> None:
    seeds = [
        *([order_status(status)] for status in _STATUSES),
        *([order(status=status), points()] for status in _STATUSES),
        [answer("query_sales", {"province": "广东", "amount": 55_000, "order": "12345"})],
        [
            answer("query_inventory", {"province": "广东", "current_stock": 12_345}),
            answer("query_sales", {"province": "广东", "amount": 120_000}),
        ],
    ]
    emit(database, folder, seeds)
    numbers = {"n_copies": n_distinct // len(seeds), "n_twins": n_observations // n_distinct}
    with database.transaction() as cursor:
        for sql in _MULTIPLY:
            wanted = {name: value for name, value in numbers.items() if f"${name}" in sql}
            cursor.execute(sql, wanted).fetchall()


def _measure(database: Database, name: str, edits: tuple[tuple[str, str, str], ...]) -> None:
    texts = package_rule_texts()
    for file, old, new in edits:
        assert texts[file].count(old) == 1, old
        texts[file] = texts[file].replace(old, new)
    draft = load_rules(texts)
    started, cpu_started = time.monotonic(), time.process_time()
    impact = backtest(database, package_rules(), draft)
    p99 = "not timed" if impact.parse_p99_ms is None else f"{impact.parse_p99_ms:.2f} ms"
    _say(
        f"{name}: {time.monotonic() - started:.1f} s ({time.process_time() - cpu_started:.1f} s of "
        f"one core), parse P99 {p99}, {impact.n_observations:,} observations, "
        f"{impact.n_distinct:,} distinct, {impact.n_facts_changed:,} facts changed in "
        f"{len(impact.classes)} classes"
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
