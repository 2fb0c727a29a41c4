"""The Compare page says which layer got worse, with every figure of both sides."""

from typing import TYPE_CHECKING

import pytest

from dashboard.views.compare.nothing_before import ranges_with_a_past
from metrics import DAY_NS, DataRange, RangeKey
from replay_store import Database

if TYPE_CHECKING:
    from tests.dashboard.conftest import OpenPage


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_store_says_what_to_do(
    open_page: "OpenPage", empty_store: Database, lang: str
) -> None:
    page = open_page(empty_store, "compare", lang=lang)

    assert not page.exception
    assert "toolsight ingest" in page.code[0].value


@pytest.mark.parametrize(("lang", "worse"), [("en", "worse"), ("zh", "更差")])
def test_the_week_is_compared_with_the_one_before(
    open_page: "OpenPage", sample_store: Database, lang: str, worse: str
) -> None:
    page = open_page(sample_store, "compare", lang=lang)
    table = page.dataframe[0].value

    assert not page.exception
    assert len(table) >= 15
    assert table["change"].str.contains(worse).sum() >= 6
    assert (table.loc[table["effect"] != "–", "n_left"] > 0).all()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"by": "contract", "tool": "search_orders"}, ["1.1.0", "1.2.0"]),
        ({"by": "contract"}, ["1.2.0", "1.3.0"]),
        ({"by": "model"}, ["lantern-large-2", "lantern-small-1"]),
        ({"by": "model", "a": "lantern-small-1", "b": "no such model"}, ["lantern-small-1"] * 2),
    ],
)
def test_sides_are_read_from_the_address(
    open_page: "OpenPage", sample_store: Database, query: dict[str, str], names: list[str]
) -> None:
    page = open_page(sample_store, "compare", **query)

    assert not page.exception
    assert [box.value for box in page.selectbox if box.value in set(names)] == names


@pytest.mark.parametrize(
    ("lang", "said", "week"),
    [
        ("en", "Nothing is stored before this range", "Last 7 days of data"),
        ("zh", "该时段之前没有存储任何数据", "最近 7 天的数据"),
    ],
)
@pytest.mark.parametrize("chosen", ["all", "30d"])
def test_a_range_without_a_past_offers_shorter_ones(
    open_page: "OpenPage", sample_store: Database, lang: str, said: str, week: str, chosen: str
) -> None:
    page = open_page(sample_store, "compare", lang=lang, range=chosen)

    assert not page.exception
    assert said in page.info[0].value
    assert not page.dataframe
    offered = [button for button in page.button if str(button.key).startswith("compare_")]
    assert [button.key for button in offered] == ["compare_7d", "compare_24h"]
    assert offered[0].label == week


def test_a_shorter_range_is_taken_with_a_click(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "compare", range="all")

    page.button(key="compare_7d").click().run()

    assert not page.exception
    assert page.query_params["range"] == "7d"
    assert not page.info
    assert len(page.dataframe) == 1


def test_a_store_of_one_day_offers_no_shorter_range() -> None:
    assert ranges_with_a_past(DataRange(0, DAY_NS - 1)) == ()
    assert ranges_with_a_past(DataRange(0, 8 * DAY_NS)) == (RangeKey.WEEK, RangeKey.DAY)


def test_an_unknown_way_to_compare_is_by_period(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "compare", by="nonsense")

    assert not page.exception
    assert len(page.dataframe) == 1


def test_templates_of_the_same_traces_lead_to_their_prompts_instead(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "compare", by="template", a="concise", b="verbose")

    assert not page.exception
    assert any("set the same traces against themselves" in info.value for info in page.info)
    assert "Compare the prompts" in {link.proto.label for link in page.get("page_link")}
    assert not page.dataframe
