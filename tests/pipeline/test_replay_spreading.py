"""Cases spread over processes: the same outcomes in the same order, or threads and the reason."""

from collections.abc import Mapping
from typing import Any

import pytest

from pipeline.replay import Case, CaseKind, Gold, Offered, Passage, Recorded, spreading
from pipeline.replay.choosers import LexicalChooser, chooser
from pipeline.replay.choosers.function import FunctionChooser
from pipeline.replay.playing import compare
from pipeline.replay.setup import AS_RECORDED, Setup
from pipeline.replay.spreading import why_not_spread

pytestmark = pytest.mark.slow

TOOLS = (Offered("find_order", "Find an order"), Offered("find_coupon", "Find a coupon"))
CASES = [
    Case(
        f"case-{number}",
        CaseKind.DECISION,
        input=(Passage("user", f"find the {what} {number}"),),
        offered=TOOLS,
        gold=Gold("CALL", (f"find_{what}",)),
    )
    for number, what in enumerate(("order", "coupon", "order", "coupon", "order"))
] + [
    Case(
        "observation",
        CaseKind.OBSERVATION,
        recorded=(Recorded("order_api", {"order_id": "1", "status": "shipped"}),),
    )
]
LEXICAL = Setup("lexical", LexicalChooser())
RANDOM = Setup("random", chooser("random"))


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreading, "MANY", 1)


def first_offered(situation: Mapping[str, Any]) -> str:
    return str(situation["offered"][0]["name"])


def stumbling(_situation: Mapping[str, Any]) -> str:
    raise ZeroDivisionError("the user's own")


def setup_of(function: Any) -> Setup:
    return Setup(function.__name__, FunctionChooser("mine", function))


def test_processes_give_what_threads_give_in_the_same_order() -> None:
    told: list[tuple[int, int]] = []

    in_processes = compare(
        CASES, RANDOM, LEXICAL, n_processes=2, on_progress=lambda *n: told.append(n)
    )

    assert in_processes == compare(CASES, RANDOM, LEXICAL)
    assert [item.case.case_id for item in in_processes] == [case.case_id for case in CASES]
    assert told == [(n, len(CASES)) for n in range(1, len(CASES) + 1)]


def test_a_function_that_can_be_named_is_called_in_processes_and_what_it_raises_is_raised() -> None:
    found = compare(CASES, AS_RECORDED, setup_of(first_offered), n_processes=2)
    assert [item.after.is_right for item in found[:2]] == [True, False]

    with pytest.raises(ZeroDivisionError, match="the user's own"):
        compare(CASES, AS_RECORDED, setup_of(stumbling), n_processes=2)


def test_what_cannot_be_sent_stays_in_threads_and_is_said_so() -> None:
    notes: list[str] = []
    own = FunctionChooser("mine", lambda situation: first_offered(situation))

    found = compare(CASES, AS_RECORDED, Setup("mine.py", own), n_processes=2, on_note=notes.append)

    assert found == compare(CASES, AS_RECORDED, setup_of(first_offered))
    [note] = notes
    assert "mine.py: cannot be sent to other processes" in note
    assert "played in threads" in note


def test_a_model_that_is_waited_for_and_few_cases_stay_in_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    endpoint = Setup("model", chooser("openai:m@http://127.0.0.1:9/v1"))
    assert why_not_spread(CASES, LEXICAL, endpoint) == ""
    assert why_not_spread(CASES, LEXICAL, RANDOM) is None

    monkeypatch.setattr(spreading, "MANY", len(CASES) + 1)
    assert why_not_spread(CASES, LEXICAL, RANDOM) == ""


def test_who_is_told_can_end_it() -> None:
    class EnoughError(Exception):
        pass

    def enough(_n_done: int, _n_total: int) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        compare(CASES, RANDOM, LEXICAL, n_processes=2, on_progress=enough)
