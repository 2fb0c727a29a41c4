"""The page script by itself."""

import runpy
import sys
from types import ModuleType

import pytest

from pipeline.replay import Case, CaseKind, Gold, Offered, Passage, spreading
from pipeline.replay.choosers import LexicalChooser, chooser
from pipeline.replay.playing import compare
from pipeline.replay.setup import Setup
from tests.dashboard.conftest import APP


def test_a_process_that_a_page_begins_draws_no_page() -> None:
    assert "main" in runpy.run_path(str(APP), run_name="__mp_main__")


@pytest.mark.slow
def test_cases_are_spread_over_processes_from_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    # As Streamlit does before it runs the script of a page.
    main = ModuleType("__main__")
    main.__file__ = str(APP)
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(spreading, "MANY", 1)
    offered = (Offered("find_order", "Find an order"), Offered("find_coupon", "Find a coupon"))
    gold = Gold("CALL", ("find_order",))
    asked = (Passage("user", "find the order"),)
    case = Case("case", CaseKind.DECISION, input=asked, offered=offered, gold=gold)
    setups = Setup("random", chooser("random")), Setup("lexical", LexicalChooser())

    [found] = compare([case], *setups, n_processes=2)

    assert found.after.is_right
