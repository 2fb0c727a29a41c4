"""The page script: page setup, the shared filters in the sidebar, navigation.

Runs anew for every session and every click; what outlives a run is in `dashboard.runtime`.
"""

from importlib import import_module
from importlib.resources import files

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard import links
from dashboard.components.address import one_entry_a_navigation
from dashboard.i18n import settle_language, t
from dashboard.menu import PAGES, Entry
from dashboard.sidebar import sidebar
from dashboard.views.engine import engine_notice
from dashboard.views.moved_days import missing_days_notice
from replay_store.errors import StoreMemoryError


def main() -> None:
    """Set the page up, draw the sidebar and the page that the address names."""
    settle_language()
    st.set_page_config(
        page_title="Toolsight",
        page_icon=str(files("dashboard") / "assets" / "icon.svg"),
        layout="wide",
        initial_sidebar_state="auto",
        menu_items={"Get help": None, "Report a bug": None, "About": t("about")},
    )
    st.html(f"<style>{(files('dashboard') / 'assets' / 'pages.css').read_text('utf-8')}</style>")
    pages = {entry.key: _page(entry) for entry in PAGES}
    links.register(pages)
    chosen = st.navigation(list(pages.values()), position="hidden")
    links.follow()
    try:
        with engine_notice():
            sidebar()
            with st.sidebar:
                one_entry_a_navigation()
            missing_days_notice()
            chosen.run()
    except StoreMemoryError:
        st.error(t("memory_short"), icon=":material/memory:")


def _page(entry: Entry) -> StreamlitPage:
    def draw() -> None:
        import_module(f"dashboard.views.{entry.key}.page").render()

    is_start = entry is PAGES[0]
    return st.Page(draw, title=t(f"page_{entry.key}"), url_path=entry.key, default=is_start)


# Streamlit runs it as `__main__`. A process that a page begins imports the main script once more, by
# another name, and has no page to draw.
if __name__ == "__main__":
    main()
