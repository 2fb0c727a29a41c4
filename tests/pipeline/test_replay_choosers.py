"""Choosers: the same choice each time, no tool called, and answers of other hands read as data."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.replay import ChooserError, Chosen, Offered, Passage
from pipeline.replay.choosers import (
    EndpointChooser,
    LexicalChooser,
    RandomChooser,
    RecordedChooser,
    Situation,
    chooser,
)
from pipeline.replay.choosers.endpoint import messages
from pipeline.terms import terms
from pipeline.vocabulary import NO_CALL

ORDERS = Offered(
    "query_order_status",
    "按订单号查询订单的状态与物流，只读。只有商品名时不要用，请先用 search_orders。",
    {"properties": {"order_no": {"description": "12 位数字，示例：202611200815"}}},
)
SEARCH = Offered("search_orders", "按商品名或手机尾号搜索订单，只读。已知订单号时不要用。")
POINTS = Offered("get_user_points", "查询用户的积分余额与到期日，只读。")
WEATHER = Offered(
    "getCurrentWeather",
    "Get the current weather of a city. Do not use it for forecasts of next week.",
    {"properties": {"city": {"description": "Name of the city"}, "unit": {"enum": ["celsius"]}}},
)
SHOP = (ORDERS, SEARCH, POINTS)


def _asked(text: str, *more: Passage, offered: tuple[Offered, ...] = SHOP) -> Situation:
    return Situation("case", 0, (Passage("user", text), *more), offered)


TERMS = {
    "查询 order_no 状态": ["查询", "order", "no", "状态"],
    "getCurrentWeather": ["current", "weather"],
    "202611200815": ["d12"],
    "T20261120017": ["a1d11"],
    "NOV50-7K2Q": ["a3d2-d1a1d1a1"],
    "cities of the world": ["city", "world"],
    "ＡＢＣ": ["abc"],
    "": [],
    "！？…": [],
}


@pytest.mark.parametrize("text", TERMS)
def test_a_text_becomes_words_shapes_and_pairs_of_characters(text: str) -> None:
    assert terms(text) == TERMS[text]


CHOICES = {
    "我还有多少积分，什么时候过期？": "get_user_points",
    "202611076937 的物流状态": "query_order_status",
    "按手机尾号找一下商品": "search_orders",
    "谢谢": NO_CALL,
    "": NO_CALL,
}


@pytest.mark.parametrize("text", CHOICES)
def test_the_lexical_chooser_takes_the_contract_with_the_words_of_the_request(text: str) -> None:
    assert LexicalChooser().choose(_asked(text)) == Chosen(CHOICES[text])


def test_a_sentence_that_says_when_not_to_counts_against_its_tool() -> None:
    asked = "weather forecast of next week"
    with_sentence = LexicalChooser().scores(_asked(asked, offered=(WEATHER,)))
    without = Offered(WEATHER.name, "Get the current weather of a city.", WEATHER.input_schema)
    scored = LexicalChooser().scores(_asked(asked, offered=(without,)))
    assert with_sentence["getCurrentWeather"] < scored["getCurrentWeather"]


def test_an_example_in_a_contract_meets_a_value_of_its_kind() -> None:
    bare = Offered("query_order_status", ORDERS.description)
    asked = "202611076937"
    assert LexicalChooser().choose(_asked(asked)).tool == "query_order_status"
    assert LexicalChooser().choose(_asked(asked, offered=(bare, SEARCH))).tool == NO_CALL


def test_what_was_called_since_the_request_is_dealt_with() -> None:
    asked = "订单状态和积分余额"
    first = LexicalChooser().choose(_asked(asked))
    called = Passage("assistant", "{}", "call", first.tool)
    second = LexicalChooser().choose(_asked(asked, called))
    assert {first.tool, second.tool} == {"query_order_status", "get_user_points"}
    again = Passage("user", asked)
    assert LexicalChooser().choose(_asked(asked, called, again)) == first


_texts = st.text(alphabet="订单积分状态查询abc 123_-", max_size=20)
_tools = st.builds(Offered, _texts.map(lambda t: f"t{t}"), st.none() | _texts)


@given(_texts, st.lists(_tools, max_size=5, unique_by=lambda tool: tool.name))
def test_the_lexical_choice_is_on_offer_and_stays_when_played_again(
    text: str, offered: list[Offered]
) -> None:
    situation = _asked(text, offered=tuple(offered))
    chosen = LexicalChooser().choose(situation)
    assert chosen.tool in {NO_CALL, *(tool.name for tool in offered)}
    assert LexicalChooser().choose(situation) == chosen


def test_a_hostile_schema_is_read_to_a_depth_and_no_further() -> None:
    schema: dict[str, Any] = {}
    for _ in range(2_000):
        schema = {"properties": {"a": schema}}
    offered = (Offered("t", "x", schema), Offered("u", "积分", {"properties": [1], "enum": 3}))
    assert LexicalChooser().choose(_asked("积分", offered=offered)).tool == "u"


def test_the_random_chooser_depends_on_case_and_seed_alone() -> None:
    situations = [Situation(f"case-{n}", 0, (), SHOP) for n in range(300)]
    chosen = [RandomChooser(1).choose(situation).tool for situation in situations]
    assert chosen == [RandomChooser(1).choose(situation).tool for situation in situations]
    assert chosen != [RandomChooser(2).choose(situation).tool for situation in situations]
    assert all(70 < chosen.count(tool.name) < 130 for tool in SHOP)
    assert RandomChooser().choose(Situation("c", 0, (), ())) == Chosen(NO_CALL)


def test_the_recorded_chooser_gives_what_was_recorded_or_nothing() -> None:
    recorded = Chosen("search_orders", {"keyword": "x"})
    assert RecordedChooser().choose(Situation("c", 0, (), SHOP, recorded)) is recorded
    assert RecordedChooser().choose(Situation("c", 0, (), SHOP)) is None


FUNCTIONS = """
def nothing(given): return None
def name(given): return given["offered"][0]["name"]
def call(given): return {"tool": given["input"][0]["text"], "arguments": {"a": given["step"]}}
def wrong(given): return 7
def peeking(given): return "recorded" if "recorded" in given else "blind"
"""
ANSWERS = {
    "nothing": Chosen(NO_CALL),
    "name": Chosen("query_order_status"),
    "call": Chosen("hi", {"a": 0}),
    "peeking": Chosen("blind"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_function_chooses(tmp_path: Path, name: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FUNCTIONS, encoding="utf-8")
    found = chooser(f"{file}:{name}")
    recorded = Situation("c", 0, (Passage("user", "hi"),), SHOP, Chosen("secret"))
    assert found.choose(recorded) == ANSWERS[name]
    assert found.name == f"mine.py:{name}"


def test_a_function_that_answers_no_choice_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FUNCTIONS, encoding="utf-8")
    with pytest.raises(ChooserError, match=r"wrong: int '7': expected a tool's name"):
        chooser(f"{file}:wrong").choose(_asked("x"))


REFUSED = {
    "nobody": "expected recorded, lexical, random",
    "openai:model": "expected openai:MODEL@URL",
    "openai:model@ftp://host": "expected http:// or https://",
    "no.such.module:f": "cannot be imported",
    "json:no_such": "json has no function no_such",
    "missing.py:f": "no such file",
    ":f": "expected module:function",
}


@pytest.mark.parametrize("reference", REFUSED)
def test_a_reference_that_names_no_chooser_says_what_may_be_named(reference: str) -> None:
    with pytest.raises(ChooserError, match=REFUSED[reference]):
        chooser(reference)


@pytest.mark.parametrize("reference", ["recorded", "lexical", "random", "json:dumps"])
def test_a_reference_names_a_chooser(reference: str) -> None:
    assert chooser(reference).name.startswith(reference)


class _Model(BaseHTTPRequestHandler):
    status: ClassVar[int] = 200
    answer: ClassVar[bytes] = b""
    seen: ClassVar[list[tuple[str, str | None, dict[str, Any]]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.append((self.path, self.headers["authorization"], body))
        self.send_response(self.status)
        if self.status == 302:
            self.send_header("location", "http://127.0.0.1:9/elsewhere")
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


@contextmanager
def _model(answer: Mapping[str, Any] | bytes, status: int = 200) -> Iterator[str]:
    _Model.answer = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    _Model.status, _Model.seen = status, []
    with HTTPServer(("127.0.0.1", 0), _Model) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1/"
        server.shutdown()
        thread.join()


def _message(*calls: Mapping[str, Any]) -> dict[str, Any]:
    return {"choices": [{"message": {"content": None, "tool_calls": list(calls)}}]}


READ: dict[str, tuple[Mapping[str, Any], Chosen]] = {
    "arguments as text": (
        _message({"function": {"name": "a", "arguments": '{"x": 1}'}}),
        Chosen("a", {"x": 1}),
    ),
    "arguments as an object": (
        _message({"function": {"name": "a", "arguments": {"x": 1}}}),
        Chosen("a", {"x": 1}),
    ),
    "no arguments": (_message({"function": {"name": "a"}}), Chosen("a", {})),
    "the first of several": (
        _message({"function": {"name": "a"}}, {"function": {"name": "b"}}),
        Chosen("a", {}),
    ),
    "no call": ({"choices": [{"message": {"content": "hello"}}]}, Chosen(NO_CALL)),
}


@pytest.mark.parametrize("name", READ)
def test_an_endpoint_s_answer_is_read_as_a_choice(name: str) -> None:
    answer, chosen = READ[name]
    with _model(answer) as url:
        assert chooser(f"openai:m@{url}", api_key="k").choose(_asked("hi")) == chosen
    [(path, key, body)] = _Model.seen
    assert (path, key) == ("/v1/chat/completions", "Bearer k")
    assert (body["model"], body["temperature"]) == ("m", 0)
    assert body["messages"] == [{"role": "user", "content": "hi"}]
    assert [tool["function"]["name"] for tool in body["tools"]] == [tool.name for tool in SHOP]


BROKEN: dict[str, tuple[bytes, int, str]] = {
    "no JSON": (b"<html>", 200, "an answer of another shape"),
    "another shape": (b'{"choices": []}', 200, "an answer of another shape"),
    "arguments that are no JSON": (
        json.dumps(_message({"function": {"name": "a", "arguments": "{"}})).encode(),
        200,
        "an answer of another shape",
    ),
    "refused": (b"", 401, "status 401: expected 200; check model, key"),
    "sent elsewhere": (b"", 302, "status 302: expected 200"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_endpoint_that_does_not_answer_is_named_and_its_key_is_not(name: str) -> None:
    answer, status, sentence = BROKEN[name]
    with _model(answer, status) as url, pytest.raises(ChooserError, match=sentence) as caught:
        chooser(f"openai:m@{url}", api_key="secret").choose(_asked("hi"))
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(EndpointChooser("m", "http://x", "secret"))


def test_an_endpoint_that_is_not_there_says_so() -> None:
    with pytest.raises(ChooserError, match="no answer"):
        EndpointChooser("m", "http://127.0.0.1:9/v1", timeout_seconds=2).choose(_asked("hi"))


def test_a_conversation_becomes_messages_whose_answers_belong_to_their_calls() -> None:
    given = (
        Passage("system", "s"),
        Passage("human", "q"),
        Passage("assistant", '{"a":1}', "call", "t"),
        Passage("assistant", "", "call", "u"),
        Passage("tool", "one", "answer"),
        Passage("tool", "two", "answer"),
        Passage("tool", "stray", "answer"),
    )
    found = list(messages(given))
    assert [item["role"] for item in found] == [
        "system", "user", "assistant", "assistant", "tool", "tool", "tool",
    ]  # fmt: skip
    ids = [item["tool_calls"][0]["id"] for item in found[2:4]]
    assert [item["tool_call_id"] for item in found[4:6]] == ids
    assert found[3]["tool_calls"][0]["function"] == {"name": "u", "arguments": "{}"}
