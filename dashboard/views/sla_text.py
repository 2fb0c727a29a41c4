"""Whether tools keep the P95 that their contracts promise, in words."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.metric_text import value_text
from metrics import Metric, OfTool, State

_VERDICTS: Final = {
    State.OK: "sla_kept",
    State.BAD: "sla_broken",
    State.UNSURE: "sla_unsure",
    State.NO_DATA: "sla_no_data",
}
_COUNTS: Final = {
    State.OK: "sla_kept_count",
    State.BAD: "sla_broken_count",
    State.UNSURE: "sla_unsure_count",
    State.NO_DATA: "sla_no_data_count",
}


def sla_text(metric: Metric) -> str:
    """The SLA and its verdict."""
    limit = metric.threshold.limit if metric.threshold else None
    return f"{value_text(limit, metric.unit)} · {t(_VERDICTS[metric.state])}"


def sla_counts(promised: Sequence[OfTool]) -> str:
    """How many tools there are of each verdict; those of none are left out."""
    found = Counter(item.metric.state for item in promised)
    return ", ".join(
        t(key, n=count_text(found[state])) for state, key in _COUNTS.items() if found[state]
    )
