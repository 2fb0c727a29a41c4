"""Units of time."""

from typing import Final

NS_PER_SECOND: Final = 1_000_000_000
US_PER_SECOND: Final = 1_000_000
