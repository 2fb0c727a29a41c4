"""One question about a scope, the period before it and its time buckets, asked once."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from metrics.buckets import bucket_width_ns
from metrics.statements import Row, Store, answer
from metrics.values import Scope


@dataclass(frozen=True, slots=True)
class Pair:
    """What a part of the rows showed in the scope and before; None where it had none."""

    now: Row | None
    before: Row | None


@dataclass(frozen=True, slots=True)
class Periods:
    """The answer: all rows of a scope, all of the period before, and some cuts through them."""

    whole: Pair
    buckets: tuple[Row, ...]
    """Of the scope; none for a bucket without rows."""
    parts: tuple[Row, ...]
    """Of both periods (`is_now`), one for each tool or rule."""
    part_buckets: tuple[Row, ...]
    """The same for each time bucket, where the statement tells them."""

    @property
    def now(self) -> Row | None:
        """All rows of the scope together."""
        return self.whole.now

    @property
    def before(self) -> Row | None:
        """All rows of the period of equal length before."""
        return self.whole.before

    def by(self, column: str) -> dict[str, Pair]:
        """The parts by the values of a column that tells them apart, in order."""
        groups: dict[str, list[Row]] = {}
        for row in self.parts:
            groups.setdefault(row[column], []).append(row)
        return {name: _pair(rows) for name, rows in groups.items()}


def periods(
    database: Store,
    name: str,
    scope: Scope,
    bucket_ns: int | None = None,
    only: Callable[[Row], bool] | None = None,
    **extra: object,
) -> Periods:
    """The answer of a statement that groups by `is_now` and, apart, by bucket and by part.

    Args:
        database: The store.
        name: The statement.
        scope: Its period and filters.
        bucket_ns: Width of a bucket; by default the one of a readable trend.
        only: Which rows of the answer count; all by default.
        extra: Its other parameters.
    """
    width = bucket_ns or bucket_width_ns(scope)
    found = answer(database, name, scope, bucket_ns=width, **extra)
    cuts: dict[tuple[bool, bool], list[Row]] = defaultdict(list)
    for row in found if only is None else filter(only, found):
        cuts[row.get("tool_name") is None, row["bucket_time_ns"] is None].append(row)
    return Periods(
        _pair(cuts[True, True]),
        tuple(row for row in cuts[True, False] if row["is_now"]),
        tuple(cuts[False, True]),
        tuple(cuts[False, False]),
    )


def _pair(rows: Iterable[Row]) -> Pair:
    found = {int(row["is_now"]): row for row in rows}
    return Pair(found.get(1), found.get(0))
