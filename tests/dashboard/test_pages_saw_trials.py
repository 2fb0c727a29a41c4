"""What the model saw, tried out: noise at any strength, templates in place, and who may see raw."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dashboard import runtime
from dashboard.runtime import Addresses
from dashboard.settings import Settings
from dashboard.views.saw.dictionary_link import dictionary_link
from dashboard.views.saw.noise_trial import try_noise
from dashboard.views.saw.panes import MAX_LEFT_OUT, pane
from dashboard.views.saw.reading import Reading, Renderer, Rules, read
from dashboard.views.saw.template_folder import folder_of, save_template, saved_templates
from dashboard.views.saw.template_trial import source_of, try_template
from dashboard.views.trace.withheld import readable
from pipeline.errors import ToolsightError
from pipeline.observation import (
    TEMPLATES,
    Caller,
    Coverage,
    EstimatedTokens,
    OwnerTemplates,
    TemplateError,
    package_rules,
)
from pipeline.observation import attributes as names
from pipeline.observation.preview import MASK
from replay_store import Database
from replay_store.reader import get_span
from replay_store.saw import RecordedObservation, get_observation
from tests.observed import Recorder, Seen, order, points
from tests.stores import memory_store

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import OpenPage

RULES = Rules(package_rules(), is_own=True)
MINE = "{% for fact in facts %}{{ fact.label }}: {{ fact.text }}\n{% endfor %}"


def _recorded(database: Database, folder: Path, **more: Any) -> RecordedObservation:
    recorder = Recorder()
    seen = recorder.observe(
        [order(), order(5, "get_order_status", status="delivered"), points()], **more
    )
    recorder.store(database, folder)
    found = get_observation(database, seen.trace_id, seen.span_id)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordedObservation]:
    """An order in two minds, with noise."""
    with memory_store() as database:
        yield _recorded(
            database, tmp_path_factory.mktemp("seen"), cni_enabled=True, cni_intensity=0.4, seed=5
        )


def _clean(recorded: RecordedObservation, **more: Any) -> Reading:
    return read(recorded, RULES, "zh", "clean", **more)


def _renderer(reading: Reading, owned: OwnerTemplates | None = None) -> Renderer:
    return Renderer(
        reading.recorded, reading.rules, reading.critical, reading.caller, owned or OwnerTemplates()
    )


def test_a_fact_takes_what_the_text_is_shorter_without_it(recorded: RecordedObservation) -> None:
    reading = _clean(recorded)
    counter = EstimatedTokens()

    for shown in reading.panes:
        assert shown.text is not None
        assert set(shown.fact_tokens) == {cell.key for cell in reading.cells}
        for key, n_tokens in shown.fact_tokens.items():
            left = shown.text.replace(shown.blocks.facts[key] + "\n", "", 1)
            left = left.removesuffix(shown.blocks.facts[key])
            assert n_tokens == counter.count(shown.text) - counter.count(left)


def test_in_a_very_long_text_the_words_of_a_fact_are_counted_alone(
    recorded: RecordedObservation,
) -> None:
    reading = _clean(recorded)
    cell = reading.cells[0]
    label = reading.wording().label(cell)
    text = f"【{label}】" + "x" * MAX_LEFT_OUT

    shown = pane("t", text, None, None, [cell], reading.wording(), reading.counter)

    assert shown.fact_tokens == {cell.key: EstimatedTokens().count(text)}


def test_the_recorded_noise_comes_out_again_from_its_seed_and_strength(
    recorded: RecordedObservation,
) -> None:
    clean = _clean(recorded)
    trial = try_noise(clean, _renderer(clean), 5, 0.4)

    assert trial is not None
    assert [r.fact_id for r in trial.injection.records] == [r.fact_id for r in recorded.noise]
    header = trial.injection.header
    assert header.snapshot_hash_after == recorded.observation.noisy_snapshot_hash
    noisy = read(recorded, RULES, "zh", "noisy")
    texts = {shown.template: shown.text for shown in noisy.panes}
    assert {shown.template: shown.text for shown in trial.reading.panes} == texts


def test_more_strength_adds_noise_and_takes_none_away(recorded: RecordedObservation) -> None:
    clean = _clean(recorded)
    trials = [try_noise(clean, _renderer(clean), 1, share / 10) for share in range(11)]

    hit = [{r.fact_id for r in trial.injection.records} for trial in trials if trial is not None]
    assert hit[0] == set()
    assert hit[-1]
    assert all(less <= more for less, more in pairwise(hit))


def test_a_draft_is_rendered_beside_its_template_and_says_what_it_drops(
    recorded: RecordedObservation,
) -> None:
    clean = _clean(recorded)
    stands = source_of(_renderer(clean), "verbose", "zh")
    assert stands is not None

    same = try_template(clean, _renderer(clean), "verbose", stands)
    assert same.after is same.before
    assert (same.broken, same.after.problem) == ([], None)

    changed = try_template(clean, _renderer(clean), "verbose", "{{ facts[0].label }}")
    assert changed.after.text == "订单状态"
    assert {cell.type for cell in changed.broken} == {"STATUS", "EST_DELIVERY"}
    assert changed.after.coverage["order:12345/STATUS"] is Coverage.OMITTED

    refused = try_template(clean, _renderer(clean), "verbose", "{% include 'x' %}")
    assert refused.after.text is None
    assert "Include is not allowed" in str(refused.after.problem)


def test_a_saved_template_is_there_at_once_and_a_bad_one_is_not_saved(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "templates"
    assert saved_templates(folder) == (OwnerTemplates(), None)

    assert save_template(folder, "mine", "zh", MINE) == "mine.zh.j2"

    assert saved_templates(folder).templates.source("mine", "zh") == MINE
    for name, source in (("concise", MINE), ("../evil", MINE), ("mine", "{% include 'x' %}")):
        with pytest.raises(TemplateError):
            save_template(folder, name, "zh", source)
    assert [path.name for path in folder.iterdir()] == ["mine.zh.j2"]


def test_a_folder_that_cannot_be_written_or_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolsightError, match="TOOLSIGHT_TEMPLATE_FOLDER"):
        save_template(tmp_path / "file", "mine", "zh", MINE)

    (tmp_path / "bad.zh.j2").write_text("{% include 'x' %}")
    found = saved_templates(tmp_path)
    assert found.templates.names == ()
    assert "Include is not allowed" in str(found.problem)


def test_templates_are_kept_beside_the_store_unless_a_folder_is_set(tmp_path: Path) -> None:
    assert folder_of(Settings(db=tmp_path / "a.duckdb")) == tmp_path / "templates"
    assert folder_of(Settings(template_folder=tmp_path / "x")) == tmp_path / "x"


def test_whoever_may_not_see_raw_outputs_gets_no_debug_prompt_recorded_or_not(
    tmp_path: Path, empty_store: Database
) -> None:
    recorded = _recorded(empty_store, tmp_path, templates=TEMPLATES)

    reading = _clean(recorded, caller=Caller.REMOTE)

    assert [shown.template for shown in reading.panes] == ["concise", "verbose"]
    assert reading.raw_prompt == ""
    assert reading.raw_tokens == _clean(recorded).raw_tokens
    assert [p.template for p in _clean(recorded, caller=Caller.PRIVILEGED).panes] == [*TEMPLATES]


def test_of_many_templates_some_are_shown_and_the_chosen_one_always(
    recorded: RecordedObservation,
) -> None:
    owned = OwnerTemplates.from_texts({f"t{n}.zh.j2": MINE for n in range(9)} | {"e.en.j2": MINE})

    def shown(chosen: str) -> list[str]:
        reading = _clean(recorded, owned=owned, chosen=chosen)
        return [known.template for known in reading.panes][len(TEMPLATES) :]

    assert shown("") == ["t0", "t1", "t2"]
    assert shown("t7") == ["t7", "t0", "t1"]
    assert shown("e") == ["t0", "t1", "t2"]


def test_a_fact_leads_to_the_dictionary_that_read_it(recorded: RecordedObservation) -> None:
    clean = _clean(recorded)
    links = {cell.type: dictionary_link(clean, cell) for cell in clean.cells}

    assert links["STATUS"] is not None
    assert links["STATUS"].fact_type == "STATUS"
    assert links["STATUS"].raw in ("shipped", "delivered")
    assert links["USER_POINTS"] is None


@pytest.fixture
def seen(empty_store: Database, tmp_path: Path) -> Seen:
    recorder = Recorder()
    made = recorder.observe([order(), points()], templates=TEMPLATES)
    recorder.store(empty_store, tmp_path)
    return made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOOLSIGHT_TEMPLATE_FOLDER", str(tmp_path / "mine"))
    return tmp_path / "mine"


def _opened(open_page: "OpenPage", database: Database, seen: Seen, **query: str) -> "AppTest":
    return open_page(database, "saw", trace_id=seen.trace_id, span=seen.span_id, **query)


def _words(page: "AppTest") -> str:
    kinds = ("text", "code", "caption", "error", "warning", "info", "success")
    return "\n".join(str(element.value) for kind in kinds for element in getattr(page, kind))


def _titles(page: "AppTest") -> list[list[str]]:
    grids = [
        json.loads(e.proto.json) for e in page.get("bidi_component") if "columns" in e.proto.json
    ]
    return [[column["title"] for column in grid["columns"]] for grid in grids]


def test_the_slider_stands_where_the_address_says_and_moving_it_writes_the_address(
    open_page: "OpenPage", empty_store: Database, seen: Seen
) -> None:
    page = _opened(open_page, empty_store, seen, tab="noise", intensity="1.00", seed="7")

    assert page.slider(key="saw_try_intensity").value == 1.0
    assert page.number_input(key="saw_try_seed").value == 7
    frame = next(f.value for f in page.dataframe if "injected" in f.value)
    assert "USER_POINTS" in list(frame["type"])

    page.slider(key="saw_try_intensity").set_value(0.0).run()
    assert page.query_params["intensity"] == "0.00"
    assert "At this strength and with this seed nothing changes." in _words(page)


@pytest.mark.parametrize(
    "wrong", [{"intensity": "NaN"}, {"intensity": "7"}, {"seed": "-1"}, {"seed": "９" * 9}]
)
def test_an_address_that_means_nothing_falls_back(
    open_page: "OpenPage", empty_store: Database, seen: Seen, wrong: dict[str, str]
) -> None:
    page = _opened(open_page, empty_store, seen, tab="noise", **wrong)

    assert page.slider(key="saw_try_intensity").value == 0.3
    assert page.number_input(key="saw_try_seed").value == 0


def test_a_template_is_edited_tried_saved_and_then_a_column_of_its_own(
    open_page: "OpenPage", empty_store: Database, seen: Seen, folder: Path
) -> None:
    page = _opened(open_page, empty_store, seen, tab="template", template="verbose")
    assert page.button(key="saw_template_save").disabled

    page.text_area[0].set_value(MINE).run()
    assert ["as it stands", "draft"] in _titles(page)
    assert "订单状态: 已发货" in _words(page)
    assert not folder.exists()

    page.text_input(key="saw_template_name_verbose").set_value("mine").run()
    page.button(key="saw_template_save").click().run()
    assert (folder / "mine.zh.j2").read_text(encoding="utf-8") == MINE
    assert page.query_params["template"] == "mine"
    assert "mine" in _titles(page)[0]
    assert page.text_area[0].value == MINE


def test_a_draft_is_discarded_and_the_template_stands_as_before(
    open_page: "OpenPage", empty_store: Database, seen: Seen, folder: Path
) -> None:
    page = _opened(open_page, empty_store, seen, tab="template", template="concise")
    stands = page.text_area[0].value

    page.text_area[0].set_value("{{ facts[0].text }}").run()
    assert "This draft is broken" in _words(page)
    page.button(key="saw_template_discard").click().run()

    assert page.text_area[0].value == stands
    assert not folder.exists()


@pytest.mark.parametrize(
    ("draft", "problem"),
    [
        ("{% for %}", "concise:1:"),
        ("{{ fakt }}", "'fakt' is undefined"),
        ("{{ facts.__class__ }}", "unsafe"),
        ("", "没有可用的工具结果"),
    ],
)
def test_a_draft_that_cannot_be_used_says_why_in_a_sentence(
    open_page: "OpenPage", empty_store: Database, seen: Seen, draft: str, problem: str
) -> None:
    page = _opened(open_page, empty_store, seen, tab="template", template="concise")

    page.text_area[0].set_value(draft).run()

    assert problem in _words(page)
    assert "Traceback" not in _words(page)


@pytest.mark.parametrize("name", ["concise", "../evil", "Ä", ""])
def test_a_name_that_cannot_be_used_saves_nothing(
    open_page: "OpenPage", empty_store: Database, seen: Seen, folder: Path, name: str
) -> None:
    page = _opened(open_page, empty_store, seen, tab="template", template="verbose")
    page.text_area[0].set_value(MINE).run()

    page.text_input(key="saw_template_name_verbose").set_value(name).run()
    page.button(key="saw_template_save").click().run()

    assert not folder.exists()
    said = _words(page)
    assert "The name has to be" in said or "The template was not saved." in said


def test_over_a_network_debug_and_raw_outputs_are_withheld_and_that_is_said(
    open_page: "OpenPage", empty_store: Database, seen: Seen
) -> None:
    page = _opened(open_page, empty_store, seen)
    assert "SF123456789CN" in _words(page)

    served = Addresses("http://toolsight.example", None, None, None)
    runtime.start(replace(runtime.current(), addresses=served))
    for view in ("diff", "plain"):
        page.query_params["view"] = view
        page.run()

        assert "SF123456789CN" not in _words(page) + "".join(
            e.proto.json for e in page.get("bidi_component")
        )
        assert "TOOLSIGHT_RAW_TOKEN" in _words(page)
        assert "debug" not in [title for titles in _titles(page) for title in titles]


def test_the_span_of_an_observation_withholds_the_same_texts(
    empty_store: Database, seen: Seen
) -> None:
    detail = get_span(empty_store, seen.trace_id, seen.span_id)
    assert detail is not None

    remote = readable(detail.span, Caller.REMOTE)

    assert readable(detail.span, Caller.PRIVILEGED) is detail.span
    assert "SF123456789CN" in str(detail.span.events)
    assert "SF123456789CN" not in str(remote.events)
    shown = [e["attributes"].get(names.TEMPLATE) for e in remote.events if MASK not in str(e)]
    assert {"concise", "verbose"} <= set(shown)
    assert "debug" not in shown
    assert len(remote.events) == len(detail.span.events)
