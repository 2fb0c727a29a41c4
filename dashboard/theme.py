"""Colours and type of the pages, in one place for the light and the dark theme.

Streamlit falls back to its own chart colours unless it is given exactly ten, in both themes.
"""

from typing import Final, Literal

Mode = Literal["light", "dark"]

__all__ = ["CATEGORICAL", "CATEGORICAL_DARK", "STATE_COLORS", "Mode", "streamlit_theme"]

CATEGORICAL: Final = (
    "#2563a8",
    "#c2571a",
    "#1f7a5c",
    "#8a4fb0",
    "#b0861a",
    "#b83a5b",
    "#2b8a9e",
    "#6b7280",
    "#7a5230",
    "#5a6fd6",
)
"""Ten hues that stay apart on white, also for the common colour-vision deficiencies in order."""

CATEGORICAL_DARK: Final = (
    "#6ea8e6",
    "#f0935a",
    "#58c29c",
    "#c094e0",
    "#e0bb55",
    "#ee8098",
    "#6bc7d9",
    "#a8b0bd",
    "#c79a72",
    "#9aa9f5",
)
"""The same ten hues, lighter, for a dark background."""

STATE_COLORS: Final[dict[Mode, dict[str, str]]] = {
    "light": {
        "ok": "#1f7a5c",
        "bad": "#b3261e",
        "unsure": "#96690a",
        "no_data": "#6b7280",
        "no_baseline": "#6b7280",
        "not_judged": "#6b7280",
    },
    "dark": {
        "ok": "#58c29c",
        "bad": "#f2857d",
        "unsure": "#e0bb55",
        "no_data": "#a8b0bd",
        "no_baseline": "#a8b0bd",
        "not_judged": "#a8b0bd",
    },
}
"""Colour of each `metrics.State`; a state is always written in words too."""

_FACES: Final[dict[Mode, dict[str, str]]] = {
    "light": {
        "primaryColor": "#2563a8",
        "backgroundColor": "#ffffff",
        "secondaryBackgroundColor": "#f3f5f8",
        "textColor": "#1b2430",
        "borderColor": "#d5dae2",
        "linkColor": "#1d5596",
    },
    "dark": {
        "primaryColor": "#6ea8e6",
        "backgroundColor": "#12161d",
        "secondaryBackgroundColor": "#1b212b",
        "textColor": "#e6eaf0",
        "borderColor": "#333c49",
        "linkColor": "#8bbcf0",
    },
}


def streamlit_theme() -> dict[str, object]:
    """The theme as Streamlit's configuration options, `theme.*`, for both modes."""
    options: dict[str, object] = {
        "theme.baseRadius": "6px",
        "theme.showWidgetBorder": True,
        "theme.headingFontWeights": [600, 600, 600, 600, 600, 600],
        "theme.metricValueFontSize": "1.75rem",
    }
    for mode, colors in (("light", CATEGORICAL), ("dark", CATEGORICAL_DARK)):
        face: Mode = "light" if mode == "light" else "dark"
        options |= {f"theme.{mode}.{name}": value for name, value in _FACES[face].items()}
        options[f"theme.{mode}.chartCategoricalColors"] = list(colors)
    return options
