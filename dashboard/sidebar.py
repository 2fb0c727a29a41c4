"""The sidebar: where to go, which time, which language, and how fresh the store is."""

from typing import Final

import streamlit as st

from dashboard import links, queries, runtime
from dashboard.filters import RANGES, range_key, zone
from dashboard.find_box import find_box
from dashboard.formats import time_text, zone_text
from dashboard.i18n import LANGUAGES, language, t
from dashboard.menu import PAGES
from dashboard.views.engine import engine_caption
from metrics import RangeKey

_RANGE_LABELS: Final = {
    RangeKey.DAY: "range_24h",
    RangeKey.WEEK: "range_7d",
    RangeKey.MONTH: "range_30d",
    RangeKey.ALL: "range_all",
}


def sidebar() -> None:
    """Draw the shared part of every page."""
    with st.sidebar:
        st.html('<div class="wordmark">Toolsight</div>')
        find_box()
        with st.container(gap="xxsmall"):
            for entry in PAGES:
                if entry.is_listed:
                    links.page_link(entry.key, t(f"page_{entry.key}"), icon=entry.icon)
        _range()
        _freshness()
        engine_caption()
        _language()
        _person()


def range_label(name: RangeKey) -> str:
    """The words for a time range."""
    return t(_RANGE_LABELS[name])


def _range() -> None:
    key = "shared_range"

    def changed() -> None:
        for name in ("page", "from", "to"):
            links.set_parameter(name, None)
        links.set_parameter("range", st.session_state[key])

    st.session_state[key] = range_key()
    st.selectbox(
        t("range_label"),
        RANGES,
        key=key,
        format_func=range_label,
        on_change=changed,
        help=t("range_help"),
    )


def _freshness() -> None:
    held = queries.data_range()
    if held is None:
        st.caption(t("newest_none"))
        return
    newest = held.last_time_ns
    # As text: markdown takes the minutes of `12:30:45` for an emoji, and loads all of them to see.
    text = t("newest", time=time_text(newest, zone())[:19], zone=zone_text(zone(), newest))
    with st.container(key="newest"):
        st.text(text)


def _language() -> None:
    key = "shared_language"

    def changed() -> None:
        links.set_parameter("lang", st.session_state[key])

    st.session_state[key] = language()
    st.segmented_control(
        "Language / 语言",
        tuple(LANGUAGES),
        key=key,
        format_func=lambda code: LANGUAGES[code],
        on_change=changed,
        required=True,
    )


def _person() -> None:
    """Who signed in at the issuer of the settings, if anybody did, and the way out."""
    if runtime.current().settings.oidc is None or not st.user.get("is_logged_in"):
        return
    st.caption(t("signed_in_as"))
    st.text(str(st.user.get("email") or st.user.get("name") or st.user.get("sub")))
    st.button(t("sign_out"), icon=":material/logout:", type="tertiary", on_click=st.logout)
