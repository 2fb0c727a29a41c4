"""Where incidents are told, and a message to try it."""

import time

import streamlit as st

from dashboard import runtime
from dashboard.i18n import t
from dashboard.notify import Message, channels
from pipeline.errors import ToolsightError


def messages() -> None:
    """Draw the channels by kind and fingerprint, and a button that sends each a test."""
    addresses = [address.get_secret_value() for address in runtime.current().settings.notify]
    with st.expander(t("alerts_messages"), icon=":material/send:"):
        if not addresses:
            st.markdown(t("alerts_no_channels"))
            return
        try:
            held = channels(addresses)
        except ToolsightError as error:
            st.text(str(error))
            return
        for channel in held:
            st.text(channel.name)
        if st.button(t("alerts_test"), key="alerts_test"):
            message = Message(t("alerts_test_title"), t("alerts_test_body"))
            for channel in held:
                outcome = channel.send(message, time.sleep, max_tries=2)
                word = t("alerts_sent" if outcome.is_sent else "alerts_not_sent")
                st.text(f"{channel.name}: {word}")
