"""What can go wrong when asking.

ToolsightError
└── MetricError
    ├── UnknownMetricError  no metric, part or source has that name
    └── UnknownRangeError   no default range has that name
"""

from pipeline.errors import ToolsightError


class MetricError(ToolsightError):
    """A question that cannot be asked."""


class UnknownMetricError(MetricError):
    """The name is not one of the defined ones; the message lists them."""


class UnknownRangeError(MetricError):
    """The range key is not one of the offered ones; the message lists them."""
