"""One line that answers: is the model slow, or what it calls?"""

from typing import Final

import streamlit as st

from dashboard.formats import count_text, rate_text
from dashboard.i18n import t
from dashboard.metric_text import ms_text
from metrics import Bottleneck, LayerTime

_ANSWERS: Final = {
    "model": "slower_model",
    "downstream": "slower_downstream",
    None: "slower_unknown",
}


def bottleneck_line(bottleneck: Bottleneck) -> None:
    """Draw the answer with the time and P95 of both layers."""
    with st.container(
        horizontal=True, gap="small", vertical_alignment="center", border=True, key="bottleneck"
    ):
        st.markdown(f"**{t('overview_slow')}** {t(_ANSWERS[bottleneck.slower])}", width="content")
        layers = (
            _layer(bottleneck.model, "layer_model"),
            _layer(bottleneck.downstream, "layer_downstream"),
        )
        st.caption(" · ".join(layers), width="content")


def _layer(layer: LayerTime, key: str) -> str:
    if layer.total_ms is None:
        return t("layer_no_data", layer=t(key))
    return t(
        "layer_time",
        layer=t(key),
        share=rate_text(layer.share),
        p95=ms_text(layer.p95_ms),
        n=count_text(layer.n),
    )
