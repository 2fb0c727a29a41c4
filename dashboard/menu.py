"""The pages there are: their address, where they are drawn, and how the menu shows them."""

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """One page. Its title is the catalogue text `page_<key>`."""

    key: str
    """Also its address, and its package in `dashboard.views`, whose `page.render` draws it."""
    icon: str
    is_listed: bool = True
    """False for pages that only links lead to."""


PAGES: Final = (
    Entry("overview", ":material/monitoring:"),
    Entry("alerts", ":material/notifications:"),
    Entry("traces", ":material/list_alt:"),
    Entry("trace", ":material/account_tree:", is_listed=False),
    Entry("tools", ":material/build:"),
    Entry("saw", ":material/visibility:"),
    Entry("dictionaries", ":material/menu_book:"),
    Entry("compare", ":material/compare_arrows:"),
    Entry("audit", ":material/fact_check:"),
    Entry("replay", ":material/replay:"),
    Entry("intake", ":material/move_to_inbox:"),
)
"""In the order of the menu; the first is the start page."""
