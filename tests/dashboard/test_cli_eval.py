"""`toolsight eval`: public files against their known figures, the lexical chooser beside chance."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from dashboard.evaluating import KNOWN, Figure, chooser_figures, trace_figures
from ingest.benchmark_cases import bfcl_cases
from ingest.errors import SourceError


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["eval", *map(str, arguments)])


@cache
def _figures(name: str, path: Path) -> list[Figure]:
    return trace_figures(name, path, None)


@pytest.mark.parametrize("name", KNOWN)
def test_the_figures_of_the_published_files_are_the_known_ones(shared: Path, name: str) -> None:
    figures = {figure.name: figure for figure in _figures(name, shared / "corpus" / name)}
    assert KNOWN[name].keys() <= figures.keys()
    assert [figure for figure in figures.values() if figure.is_other] == []


def test_pass_hat_k_of_tau_bench_is_the_published_one(shared: Path) -> None:
    figures = _figures("tau-bench", shared / "corpus" / "tau-bench")
    found = {figure.name: figure.value for figure in figures}
    published = {"pass^1": 0.42, "pass^2": 0.273, "pass^3": 0.22, "pass^4": 0.2}
    assert {name: round(found[name] or 0, 3) for name in published} == published


def test_the_lexical_chooser_does_better_than_chance_on_bfcl(shared: Path) -> None:
    lexical, chance = chooser_figures(shared / "corpus" / "bfcl")
    assert lexical.value == pytest.approx(0.965)
    assert chance.value == pytest.approx(0.384, abs=0.001)


def _question(name: str, asked: str) -> dict[str, Any]:
    tools = [
        {"name": "weather.get", "description": "Weather of a city", "parameters": {}},
        {"name": "stock.price", "description": "Price of a stock", "parameters": {}},
    ]
    message = {"role": "user", "content": asked}
    return {"id": name, "question": [[message]], "function": tools}


def _bfcl(folder: Path, category: str = "multiple") -> Path:
    (folder / "possible_answer").mkdir(parents=True, exist_ok=True)
    file = f"BFCL_v4_{category}.json"
    rows = [_question("m_0", "weather in a city"), _question("m_1", "how is it outside, city")]
    answers = [
        {"id": "m_0", "ground_truth": [{"weather.get": {"city": ["Paris", ""], "unit": ["c"]}}]},
        {"id": "m_1", "ground_truth": [{"stock.price": {}}]},
    ]
    (folder / file).write_bytes(b"\n".join(map(orjson.dumps, rows)) + b"\n\n")
    (folder / "possible_answer" / file).write_bytes(b"\n".join(map(orjson.dumps, answers)))
    return folder


def test_questions_become_cases_with_the_answers_that_are_right(tmp_path: Path) -> None:
    first, _ = bfcl_cases(_bfcl(tmp_path), "multiple")
    assert first.case_id == "bfcl-m_0"
    assert first.gold is not None
    assert first.gold.best == ("weather.get",)
    rules = first.gold.arguments["weather.get"]
    assert (rules["city"].values, rules["city"].is_optional) == (("Paris",), True)
    assert not rules["unit"].is_optional


def test_each_category_there_is_is_told_beside_chance(tmp_path: Path) -> None:
    _bfcl(tmp_path, "live_multiple")
    result = _run("bfcl", _bfcl(tmp_path), "--json")
    found = {row["name"]: row["value"] for row in json.loads(result.output)}
    assert found == {
        "multiple: lexical chooser, right tool": 0.5,
        "multiple: random chooser, right tool": 0.5,
        "live_multiple: lexical chooser, right tool": 0.5,
        "live_multiple: random chooser, right tool": 0.5,
    }
    assert "1 of 2, 95 % interval" in _run("bfcl", tmp_path).output


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert "expected BFCL_v4_multiple.json" in _run("bfcl", tmp_path).output
    assert "no trace of tau-bench" in _run("tau-bench", tmp_path).output
    with pytest.raises(SourceError, match="no questions of multiple"):
        list(bfcl_cases(tmp_path, "multiple"))
    folder = _bfcl(tmp_path)
    (folder / "possible_answer" / "BFCL_v4_multiple.json").write_text("{", encoding="utf-8")
    with pytest.raises(SourceError, match="line 1"):
        list(bfcl_cases(folder, "multiple"))


def test_a_question_without_an_answer_is_named(tmp_path: Path) -> None:
    folder = _bfcl(tmp_path)
    (folder / "possible_answer" / "BFCL_v4_multiple.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SourceError, match="m_0: no id, or no right call"):
        list(bfcl_cases(folder, "multiple"))


FIGURES = {
    Figure("a", 84.0, 84): False,
    Figure("a", 84.4, 84): True,
    Figure("a", 0.4198, 0.42): False,
    Figure("a", 0.41, 0.42): True,
    Figure("a", None, 0.42): True,
    Figure("a", None): False,
}


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_another_one_beyond_what_is_published(figure: Figure) -> None:
    assert figure.is_other is FIGURES[figure]
