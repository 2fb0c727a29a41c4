"""Detectors as pure arithmetic: arrays of hours in, episodes out; no store, no clock, no text.

Each test compares a series with its own history, and says how probable what it sees would be if
nothing had changed. `scan` runs them side by side and believes few: Benjamini-Hochberg over all
series, two windows in a row, a change large enough to matter, and calm before it is over.
"""

from metrics.detect.cusum import Cusum, cusum_p_value
from metrics.detect.eprocess import Evidence, Judged, evidence
from metrics.detect.exceedance import Exceedance, exceedance, quantile_of
from metrics.detect.fdr import discoveries
from metrics.detect.judged_detectors import AccuracyDetector, AccuracyRule, GuardDetector
from metrics.detect.means import mean_rise
from metrics.detect.rate_detector import RateDetector, RateRule
from metrics.detect.rates import Counts, above_limit, dispersion, pooled, rate_fall, rate_rise
from metrics.detect.reading import PERSISTENCE, Episode, Reading, Track
from metrics.detect.runs import IN_A_ROW, Run, runs
from metrics.detect.scan import FALSE_DISCOVERY_RATE, Watched, scan
from metrics.detect.seasonal import HOURS_A_WEEK, History, Level, Reference
from metrics.detect.silence import GuardHour, Silence, SilenceKind, arrival_silence, guard_silence
from metrics.detect.tails import beta_binomial_tail, binomial_tail, zero_probability
from metrics.detect.value_detectors import (
    MeanDetector,
    MeanRule,
    QuantileDetector,
    QuantileRule,
    Values,
)
from metrics.detect.windowed import HOUR_NS, Detector

__all__ = [
    "FALSE_DISCOVERY_RATE",
    "HOURS_A_WEEK",
    "HOUR_NS",
    "IN_A_ROW",
    "PERSISTENCE",
    "AccuracyDetector",
    "AccuracyRule",
    "Counts",
    "Cusum",
    "Detector",
    "Episode",
    "Evidence",
    "Exceedance",
    "GuardDetector",
    "GuardHour",
    "History",
    "Judged",
    "Level",
    "MeanDetector",
    "MeanRule",
    "QuantileDetector",
    "QuantileRule",
    "RateDetector",
    "RateRule",
    "Reading",
    "Reference",
    "Run",
    "Silence",
    "SilenceKind",
    "Track",
    "Values",
    "Watched",
    "above_limit",
    "arrival_silence",
    "beta_binomial_tail",
    "binomial_tail",
    "cusum_p_value",
    "discoveries",
    "dispersion",
    "evidence",
    "exceedance",
    "guard_silence",
    "mean_rise",
    "pooled",
    "quantile_of",
    "rate_fall",
    "rate_rise",
    "runs",
    "scan",
    "zero_probability",
]
