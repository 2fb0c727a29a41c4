"""Prometheus text exposition: what was received, every figure of the newest day, what is firing."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from replay_store.cluster.ship_state import ship_state

if TYPE_CHECKING:
    from dashboard.alerting import Look
    from ingest.receiver import Handler
    from metrics import Definition, Metric, Thresholds
    from metrics.alerts import Alert
    from replay_store.cluster.ship_state import ShipState
    from replay_store.database import Database

__all__ = ["CONTENT_TYPE", "Exposition"]

CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"
_KEEP_SECONDS: Final = 10.0
"""How long the figures are told again instead of being computed anew."""
_DAY: Final[Mapping[str, str]] = {"range": "24h"}


class _Family(NamedTuple):
    name: str
    kind: str
    help: str
    samples: Sequence[tuple[Mapping[str, str], float]]


class Exposition:
    """Writes the text; one for each process.

    Args:
        database: Where the five metrics are computed.
        handler: Counts what it receives.
        thresholds: What the metrics are judged by.
        newest_look: The newest look for what is out of the ordinary; None before the first.
    """

    def __init__(
        self,
        database: "Database",
        handler: "Handler",
        thresholds: "Thresholds",
        newest_look: "Callable[[], Look | None]",
    ) -> None:
        self._database = database
        self._handler = handler
        self._thresholds = thresholds
        self._newest_look = newest_look
        self._kept: tuple[float, list[_Family]] = (float("-inf"), [])

    def text(self) -> bytes:
        """The whole exposition. A metric without data has no sample: absent is not zero."""
        now = time.monotonic()
        if now - self._kept[0] > _KEEP_SECONDS:
            self._kept = (now, self._metrics())
        return "".join(
            _lines(
                [
                    *self._received(),
                    *_shipping(ship_state(self._database)),
                    *self._kept[1],
                    *_alerts(self._newest_look()),
                ]
            )
        ).encode()

    def _received(self) -> list[_Family]:
        counters, admission = self._handler.counters, self._handler.admission
        return [
            _Family(
                "toolsight_received_records_total",
                "counter",
                "Records received since the start, by way in, signal and outcome.",
                [
                    ({"door": door, "signal": signal, "outcome": outcome}, n)
                    for (door, signal, outcome), n in sorted(counters.records().items())
                ],
            ),
            _Family(
                "toolsight_received_bytes_total",
                "counter",
                "Bytes of received bodies, unpacked.",
                [
                    ({"door": door, "signal": signal}, n)
                    for (door, signal), n in sorted(counters.n_bytes().items())
                ],
            ),
            _Family(
                "toolsight_answers_total",
                "counter",
                "Answers by HTTP status.",
                [({"status": str(s)}, n) for s, n in sorted(counters.answers().items())],
            ),
            _Family(
                "toolsight_waiting_bytes",
                "gauge",
                "Bytes between their arrival and their commit.",
                [({}, admission.n_bytes)],
            ),
        ]

    def _metrics(self) -> list[_Family]:
        from metrics import DEFINITIONS, RangeKey, data_range, default_scope, report

        held = data_range(self._database)
        if held is None:
            return []
        scope = default_scope(RangeKey.DAY, held)
        found = report(self._database, scope, self._thresholds).metrics()
        return [
            *(_figure(item, found[item.key]) for item in DEFINITIONS),
            _Family(
                "toolsight_cases",
                "gauge",
                "How many cases stand behind each figure.",
                [({**_DAY, "metric": metric.key}, metric.n) for metric in found.values()],
            ),
            _Family(
                "toolsight_out_of_limits",
                "gauge",
                "1 where the interval of a figure lies wholly past its limit.",
                [
                    ({**_DAY, "metric": metric.key}, float(metric.state == "bad"))
                    for metric in found.values()
                    if metric.value is not None
                ],
            ),
        ]


def _figure(item: "Definition", metric: "Metric") -> _Family:
    """The figure under its own name; without a sample where it has no value. Seconds, not ms."""
    scale = 1000.0 if item.prometheus_name.endswith("_seconds") else 1.0
    samples = [] if metric.value is None else [(_DAY, metric.value / scale)]
    text = f"{item.name.en}: {item.formula.en}. Over: {item.denominator.en}."
    return _Family(item.prometheus_name, "gauge", " ".join(text.split()), samples)


def _shipping(state: "ShipState | None") -> list[_Family]:
    """How far shipping to a cluster is; nothing where the store ships nowhere."""
    if state is None:
        return []
    shipped = state.shipped_time_ns
    return [
        _Family(
            "toolsight_ship_waiting",
            "gauge",
            "Traces and removed raw outputs that wait to be shipped to the cluster.",
            [({}, state.n_waiting)],
        ),
        _Family(
            "toolsight_ship_oldest_received_timestamp_seconds",
            "gauge",
            "When the first of what waits to be shipped was received.",
            [] if state.oldest_waiting_ns is None else [({}, state.oldest_waiting_ns / 1e9)],
        ),
        _Family(
            "toolsight_ship_last_timestamp_seconds",
            "gauge",
            "When something was last shipped.",
            [] if shipped is None else [({}, shipped / 1e9)],
        ),
        _Family(
            "toolsight_ship_failing",
            "gauge",
            "1 where the last try to ship failed.",
            [({}, float(state.problem is not None))],
        ),
    ]


def _alerts(found: "Look | None") -> Iterator[_Family]:
    """What goes on, one sample an alert; absent before the first look."""
    if found is None:
        return
    yield _Family(
        "toolsight_alert_firing",
        "gauge",
        "1 for each alert that goes on, with its incident; absent once it is over.",
        [
            (_labels(told.incident_id, alert, is_open=told.is_open), 1.0)
            for told in found.firing
            for alert in told.incident.alerts
            if alert.is_firing
        ],
    )
    yield _Family(
        "toolsight_incidents_open",
        "gauge",
        "Incidents that go on and that nobody has acknowledged, by severity.",
        [
            ({"severity": severity}, sum(t.incident.severity == severity for t in found.open))
            for severity in ("page", "ticket")
        ],
    )
    yield _Family(
        "toolsight_series_watched",
        "gauge",
        "Hourly series that are watched.",
        [({}, found.evaluation.n_series)],
    )


def _labels(incident_id: str, alert: "Alert", *, is_open: bool) -> dict[str, str]:
    subject = alert.key.subject
    return {
        "incident": incident_id,
        "metric": alert.key.metric,
        "kind": str(subject.kind) if subject else "",
        "subject": subject.name if subject else "",
        "tool": alert.key.tool_name or "",
        "cause": str(alert.cause),
        "severity": str(alert.severity),
        "acknowledged": "false" if is_open else "true",
    }


def _lines(families: Iterable[_Family]) -> Iterable[str]:
    for family in families:
        yield f"# HELP {family.name} {family.help}\n# TYPE {family.name} {family.kind}\n"
        for labels, value in family.samples:
            text = ",".join(f'{name}="{_escaped(item)}"' for name, item in labels.items())
            yield (
                f"{family.name}{{{text}}} {value:.17g}\n" if text else f"{family.name} {value:g}\n"
            )


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
