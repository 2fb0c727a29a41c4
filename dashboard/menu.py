"""The pages there are: their address, where they are drawn, and how the menu shows them."""

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """One page. Its title is the catalogue text `page_<key>`."""

    key: str
    """Also its address."""
    module: str
    """Of `dashboard.views`; its `render` draws the page."""
    icon: str
    is_listed: bool = True
    """False for pages that only links lead to."""


PAGES: Final = (
    Entry("overview", "overview", ":material/monitoring:"),
    Entry("traces", "traces", ":material/list_alt:"),
    Entry("trace", "trace", ":material/account_tree:", is_listed=False),
    Entry("saw", "saw", ":material/visibility:"),
    Entry("dictionaries", "dictionaries", ":material/menu_book:"),
    Entry("audit", "audit", ":material/fact_check:"),
    Entry("intake", "intake", ":material/move_to_inbox:"),
)
"""In the order of the menu; the first is the start page."""
