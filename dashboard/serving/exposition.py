"""Prometheus text exposition: what was received, and the five metrics of the newest day of data."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from ingest.receiver import Handler
    from metrics import Thresholds
    from replay_store.database import Database

__all__ = ["CONTENT_TYPE", "Exposition"]

CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"
_KEEP_SECONDS: Final = 10.0
"""How long the five metrics are told again instead of being computed anew."""


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
    """

    def __init__(self, database: "Database", handler: "Handler", thresholds: "Thresholds") -> None:
        self._database = database
        self._handler = handler
        self._thresholds = thresholds
        self._kept: tuple[float, list[_Family]] = (float("-inf"), [])

    def text(self) -> bytes:
        """The whole exposition. A metric without data has no sample: absent is not zero."""
        now = time.monotonic()
        if now - self._kept[0] > _KEEP_SECONDS:
            self._kept = (now, self._metrics())
        return "".join(_lines([*self._received(), *self._kept[1]])).encode()

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
        from metrics import RangeKey, data_range, default_scope, report

        held = data_range(self._database)
        if held is None:
            return []
        scope = default_scope(RangeKey.DAY, held)
        found = report(self._database, scope, self._thresholds).metrics().values()
        label = {"range": "24h"}
        return [
            _Family(
                "toolsight_metric",
                "gauge",
                "The five metrics over the newest day of data; absent without data.",
                [(label | {"metric": m.key}, m.value) for m in found if m.value is not None],
            ),
            _Family(
                "toolsight_metric_cases",
                "gauge",
                "How many cases stand behind each of the five metrics.",
                [(label | {"metric": m.key}, m.n) for m in found],
            ),
        ]


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
