"""Where to send: the addresses of the receiver and what an exporter must be told."""

import streamlit as st

from dashboard import runtime
from dashboard.i18n import t


def address(*, is_empty: bool) -> None:
    """The settings of an exporter; on a server that takes no OTLP, how to start one that does.

    Args:
        is_empty: Whether nothing came in yet, in any way: then it is shown at once.
    """
    addresses = runtime.current().addresses
    if addresses is None or addresses.otlp is None:
        if is_empty:
            st.info(t("intake_no_receiver"), icon=":material/inbox:")
        return
    if is_empty:
        st.info(t("intake_nothing"), icon=":material/inbox:")
    with st.expander(t("intake_send"), expanded=is_empty, icon=":material/cable:"):
        st.markdown(t("intake_send_default"))
        lines = [
            f"OTEL_EXPORTER_OTLP_ENDPOINT={addresses.otlp}",
            "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        ]
        if runtime.current().settings.token is not None:
            lines.append('OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer TOKEN"')
        st.code("\n".join(lines), language=None)
        st.markdown(t("intake_send_grpc", port=str(addresses.grpc_port)))
