"""What every page says while days that were moved out of the store are not where they were put."""

import streamlit as st

from dashboard import queries
from dashboard.i18n import t
from replay_store.tier.files import day_text

__all__ = ["missing_days_notice"]


def missing_days_notice() -> None:
    """Above a page: which moved days it goes without; nothing while all can be read."""
    if days := queries.database().missing_days:
        listed = (
            day_text(days[0]) if len(days) == 1 else f"{day_text(days[0])} … {day_text(days[-1])}"
        )
        text = t("moved_days_missing", n=len(days), days=listed)
        st.warning(text, icon=":material/folder_off:")
