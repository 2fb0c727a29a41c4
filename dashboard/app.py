"""The page script: page setup, the shared filters in the sidebar, navigation.

Runs anew for every session and every click; what outlives a run is in `dashboard.runtime`.
"""

from importlib.resources import files

import streamlit as st

from dashboard import links
from dashboard.components.address import one_entry_a_navigation
from dashboard.i18n import t
from dashboard.sidebar import sidebar
from dashboard.views import overview, trace, traces


def main() -> None:
    """Set the page up, draw the sidebar and the page that the address names."""
    st.set_page_config(
        page_title="Toolsight",
        page_icon=str(files("dashboard") / "assets" / "icon.svg"),
        layout="wide",
        initial_sidebar_state="auto",
        menu_items={"Get help": None, "Report a bug": None, "About": t("about")},
    )
    st.html(f"<style>{(files('dashboard') / 'assets' / 'pages.css').read_text('utf-8')}</style>")
    pages = (
        st.Page(overview.render, title=t("page_overview"), url_path="overview", default=True),
        st.Page(traces.render, title=t("page_traces"), url_path="traces"),
        st.Page(trace.render, title=t("page_trace"), url_path="trace"),
    )
    links.register(dict(zip(("overview", "traces", "trace"), pages, strict=True)))
    chosen = st.navigation(pages, position="hidden")
    links.follow()
    sidebar()
    with st.sidebar:
        one_entry_a_navigation()
    chosen.run()


main()
