"""What a person pastes finds its trace, and what is not there says why."""

import base64
import time
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.containers.drafting import trace_id_of
from ingest.kinds import Container
from replay_store import Batch, Database, Writer, derive
from replay_store.finding import MAX_MATCHES, FoundBy, find, resolve_trace_id, why_absent
from replay_store.records import IngestFile, Reject
from replay_store.retention import remove_expired
from replay_store.spelling import hashed_trace_id, spelled

ID = "00f7651916cd43dd8448eb211c80319c"
TOOL_SPAN = "00000000000000a3"
OTHER = "2" * 32


@pytest.fixture
def shop(agent: Any) -> Any:
    """Two traces of one session; the first holds a call with an id and a key."""
    agent.root(trace_id=ID, attributes={"session.id": "conv-7/上海"})
    agent.tool(
        0xA3,
        3,
        4,
        "get",
        call_id="call_77ab",
        trace_id=ID,
        attributes={"toolsight.idempotency_key": "key-5f"},
    )
    agent.span(
        11,
        None,
        100,
        101,
        trace_id=OTHER,
        attributes={"gen_ai.operation.name": "invoke_agent", "session.id": "conv-7/上海"},
    )
    agent.write()
    return agent.database


SPELLINGS = (
    ID,
    ID.upper(),
    f"0x{ID}",
    f' "{ID}" ',
    f"\u200b{ID}…",
    "00f76519-16cd-43dd-8448-eb211c80319c",
    "00F7 6519 16CD 43DD 8448 EB21 1C80 319C",
    ID.lstrip("0"),
    ID[:8],
    ID[:6].upper(),
    f"tr-{ID}",
    f"00-{ID}-00f067aa0ba902b7-01",
    f"GET /trace?trace_id={ID}&span=1",
    f"https://grafana.example/explore?left=%7B%22query%22%3A%22{ID}%22%7D",
    f'2026-11-30 23:59:01 ERROR [shop] timeout trace_id="{ID}" user=17',
    f"trace_id={ID[:12]}",
    base64.b64encode(bytes.fromhex(ID)).decode(),
    base64.urlsafe_b64encode(bytes.fromhex(ID)).decode().rstrip("="),
    base64.b64encode(ID.encode()).decode(),
    f'{{"traceId": "{base64.b64encode(bytes.fromhex(ID)).decode()}"}}',
    str(int(ID, 16)),
    str(int(ID[16:], 16)),
    f"dd.trace_id={int(ID[16:], 16)} dd.service=shop",
    ID[16:],
    TOOL_SPAN,
    TOOL_SPAN.lstrip("0").zfill(6),
    "call_77ab",
    'msg="tool failed" tool_call_id=call_77ab',
    "key-5f",
)
NAMED = (
    (ID, FoundBy.TRACE, None),
    (f"00-{ID}-{TOOL_SPAN}-01", FoundBy.TRACE, TOOL_SPAN),
    (f"/trace?trace_id={ID}&span={TOOL_SPAN}", FoundBy.TRACE, TOOL_SPAN),
    (f"00-{ID}-{'f' * 16}-01", FoundBy.TRACE, None),
    (TOOL_SPAN, FoundBy.SPAN, TOOL_SPAN),
    (ID[16:], FoundBy.HALF, None),
    ("call_77ab", FoundBy.CALL, TOOL_SPAN),
    ("key-5f", FoundBy.KEY, TOOL_SPAN),
    (ID[:7], FoundBy.PREFIX, None),
)
NOTHING = ("", "abc", "zz", "9" * 32, "0" * 32, "22222", "💥", "%", "\x00", "x" * 100_000, "=" * 99)


def test_any_spelling_finds_the_trace(shop: Database) -> None:
    found = {spelling: resolve_trace_id(shop, spelling) for spelling in SPELLINGS}

    assert found == {spelling: [ID] for spelling in SPELLINGS}


def test_what_was_named_is_said_with_its_span(shop: Database) -> None:
    found = {text: find(shop, text).matches[0] for text, _, _ in NAMED}

    assert [(text, m.by, m.span_id) for text, m in found.items()] == list(NAMED)


def test_what_names_nothing_finds_nothing(shop: Database) -> None:
    assert {text: find(shop, text).n for text in NOTHING} == dict.fromkeys(NOTHING, 0)


@pytest.mark.parametrize(
    "text", ["conv-7/上海", "会话 conv-7/上海 里回答错了", "session:conv-7/上海"]
)
def test_a_session_gives_its_traces_newest_first(shop: Database, text: str) -> None:
    found = find(shop, text)

    assert [match.trace_id for match in found.matches] == [OTHER, ID]
    assert {match.by for match in found.matches} == {FoundBy.SESSION}


def test_two_traces_of_one_text_are_both_offered(shop: Database) -> None:
    assert resolve_trace_id(shop, f"{OTHER} was retried as {ID}") == [OTHER, ID]


def test_a_long_list_is_cut_and_says_how_many_there_are(agent: Any) -> None:
    ids = [f"abcdef{n:026x}" for n in range(MAX_MATCHES + 5)]
    for n, trace_id in enumerate(ids):
        agent.span(n + 1, None, n, n + 1, trace_id=trace_id)
    agent.write()

    found = find(agent.database, "abcdef")

    assert (len(found.matches), found.n) == (MAX_MATCHES, len(ids))
    assert found.matches[0].trace_id == ids[-1]


def test_the_id_of_the_source_finds_the_trace_it_became(agent: Any) -> None:
    trace_id = trace_id_of(Container.LANGFUSE, "checkout run 17")
    assert trace_id == hashed_trace_id(Container.LANGFUSE, "checkout run 17")
    agent.span(1, None, 0, 1, trace_id=trace_id)
    agent.write()
    Writer(agent.database).record_files([_file(Container.LANGFUSE)])

    [match] = find(agent.database, ' "checkout run 17" ').matches

    assert (match.trace_id, match.by) == (trace_id, FoundBy.NATIVE)


@given(text=st.text(max_size=400))
def test_any_text_is_understood_without_harm(text: str) -> None:
    named = spelled(text)

    assert all(len(trace_id) == 32 for trace_id in named.trace_ids)
    assert all(len(span_id) == 16 for span_id in named.span_ids)


@given(
    number=st.integers(min_value=1, max_value=(1 << 128) - 1),
    spell=st.sampled_from(
        [
            lambda n: f"{n:032x}",
            lambda n: f"{n:032X}",
            lambda n: str(uuid.UUID(int=n)),
            lambda n: f"0x{n:032x}",
            lambda n: base64.b64encode(n.to_bytes(16, "big")).decode(),
            lambda n: f"00-{n:032x}-00f067aa0ba902b7-01",
        ]
    ),
)
def test_every_way_to_write_an_id_spells_it(number: int, spell: Any) -> None:
    assert f"{number:032x}" in spelled(spell(number)).trace_ids


def test_an_id_that_was_never_seen_is_said_to_be(shop: Database) -> None:
    assert why_absent(shop, "9" * 32).is_never_seen


def test_a_refused_record_that_holds_the_id_is_named(shop: Database) -> None:
    Writer(shop).write(Batch(rejects=[_reject(raw=f'{{"traceId":"{"9" * 32}","spanId":""}}')]))

    absence = why_absent(shop, f"0x{'9' * 32}")

    assert [reject.place for reject in absence.rejects] == ["line 3"]
    assert not absence.is_never_seen
    assert why_absent(shop, "8" * 32).rejects == ()


def test_bytes_of_a_refused_record_are_found_as_they_are_kept(shop: Database) -> None:
    Writer(shop).write(Batch(rejects=[_reject(raw="\\x0a\\x10\\xff\\xfe!ab")]))

    assert why_absent(shop, "9" * 32, ["\\xff\\xfe!ab"]).rejects != ()


def test_a_trace_that_came_but_is_not_derived_is_still_arriving(
    shop: Database, make_span: Any
) -> None:
    span = make_span(trace_id="9" * 32)
    Writer(shop).write(Batch(spans=[span]))

    assert find(shop, "9" * 32).matches == ()
    assert why_absent(shop, "9" * 32).waiting_since_ns == span.received_time_ns
    derive(shop)
    assert resolve_trace_id(shop, "9" * 32) == ["9" * 32]


def test_a_trace_that_retention_took_is_said_to_be_removed(shop: Database) -> None:
    now = time.time_ns()
    remove_expired(shop, before_ns=now * 2, now_ns=now)

    removed = why_absent(shop, ID.upper()).removed

    assert removed is not None
    assert (removed.trace_id, removed.removed_time_ns) == (ID, now)


def _reject(raw: str) -> Reject:
    return Reject(
        file_id=uuid.UUID(int=7),
        path="orders.jsonl",
        place="line 3",
        reason="span_id",
        detail="spanId: missing",
        raw=raw,
        n_raw_bytes=len(raw),
        received_time_ns=1_764_547_300_000_000_000,
    )


def _file(container: str) -> IngestFile:
    return IngestFile(
        file_id=uuid.UUID(int=8),
        path="export.json",
        sha256=None,
        n_bytes=1,
        container=container,
        started_time_ns=1,
        finished_time_ns=2,
        n_records=1,
        n_stored=1,
        n_merged=0,
        n_rejected=0,
        n_repaired=0,
        message=None,
    )
