"""The one place where the pipeline's environment variables are read.

`ENABLE_CNI` (true or false) and `CNI_INTENSITY` (0 to 1). Whoever starts an agent reads them here and
passes them on, as the seed's `main.py` does (S0 §4.4); nothing else in the pipeline looks at the
environment.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.observation.errors import SettingError

DEFAULT_INTENSITY: Final = 0.3
_TRUE: Final = frozenset({"true", "1", "yes", "on"})
_FALSE: Final = frozenset({"false", "0", "no", "off", ""})


@dataclass(frozen=True, slots=True)
class ObservationSettings:
    """What an operator may set."""

    enable_cni: bool = False
    """Off when unset: noise in a prompt that is acted on is somebody's decision."""
    cni_intensity: float = DEFAULT_INTENSITY

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "ObservationSettings":
        """Read `os.environ` or any mapping like it.

        Raises:
            SettingError: A value means nothing; the message names variable and allowed values.
        """
        return cls(
            enable_cni=_switch("ENABLE_CNI", environment.get("ENABLE_CNI", "")),
            cni_intensity=_share("CNI_INTENSITY", environment.get("CNI_INTENSITY", "")),
        )


def _switch(name: str, text: str) -> bool:
    folded = text.strip().lower()
    if folded not in _TRUE | _FALSE:
        raise SettingError(f"{name}: {text!r}: expected true or false; correct it or unset it")
    return folded in _TRUE


def _share(name: str, text: str) -> float:
    if not text.strip():
        return DEFAULT_INTENSITY
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise SettingError(
            f"{name}: {text!r}: expected a number from 0 to 1; correct it or unset it"
        )
    return share
