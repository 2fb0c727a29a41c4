"""The first hint of a failed run against the step that people called the fault."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dashboard.benchmark_figure import Figure
from dashboard.cli import main
from dashboard.evaluating import trace_figures
from dashboard.labelled_logs import labelled_logs


def _call(name: str, number: int) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps({"id": number})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _answer(number: int, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": text}


def _trial(task: int, reward: int, *messages: dict[str, Any]) -> dict[str, Any]:
    """A run: its user asks first, its agent answers last."""
    whole = [{"role": "user", "content": "hello"}, *messages, {"role": "assistant", "content": "done"}]  # fmt: skip
    traj = [{**message, "index": place} for place, message in enumerate(whole, 1)]
    info = {"task": {"user_id": "u", "actions": []}}
    return {"task_id": task, "reward": reward, "traj": traj, "trial": 0, "info": info}


def _agentrx(folder: Path) -> Path:
    """Of four failed runs two are hinted at, one of them rightly; twelve good ones show nothing."""
    trials = [
        _trial(0, 0, _call("look", 1), _answer(1, "{}"), _call("pay", 2), _answer(2, "Error: no")),
        _trial(1, 0, _call("pay", 1), _answer(1, "Error: no"), _call("look", 2), _answer(2, "{}")),
        *(_trial(n, 0, _call("look", 1), _answer(1, "{}")) for n in (2, 3)),
        *(_trial(n, 1, _call("look", 1), _answer(1, "{}")) for n in range(4, 16)),
    ]
    labels = [(0, 4), (1, 4), (2, 4), (3, 2)]
    (folder / "runs.json").write_text(json.dumps(trials))
    (folder / "labels.json").write_text(json.dumps([_label(*item) for item in labels]))
    return folder


def _label(task: int, step: int) -> dict[str, Any]:
    failure = {"failure_id": 1, "step_number": step, "failure_category": "x", "failed_agent": "y"}
    return {"trajectory_id": task, "failures": [failure], "root_cause": {"failure_id": 1}}


def _faults(figures: list[Figure]) -> dict[str, float | None]:
    return {item.name: item.value for item in figures if ":" in item.name}


def test_a_hint_is_held_against_the_labelled_step_with_baselines_beside_it(tmp_path: Path) -> None:
    found = _faults(trace_figures("agentrx", _agentrx(tmp_path), None))

    assert found == {
        "first fault: labelled runs": 4,
        "first fault: undetermined": 0.5,
        "first fault: with a hint": 0.5,
        "first fault: hint at the labelled step": 0.25,
        "first fault: the same, of those with a hint": 0.5,
        "first fault: hint within 1 of it": 0.25,
        "first fault: hint within 3 of it": 0.5,
        "baseline: any message of an agent": pytest.approx((1 / 3 + 1 / 3 + 1 / 2 + 1 / 2) / 4),
        "baseline: first message of an agent": 0.25,
        "baseline: last call": 0.75,
        "baseline: what was answered by an error first": 0.25,
        "baseline: usual step of the others": 0.75,
    }


def test_a_log_of_a_team_shows_no_calls_and_so_no_hint(tmp_path: Path) -> None:
    history = [
        {"name": "Boss", "content": "find it"},
        {"name": "Coder", "content": "```python```"},
        {"name": "Computer_terminal", "content": "exitcode: 1 (execution failed)"},
        {"name": "Coder", "content": "found"},
    ]
    log = {"question_ID": "q", "history": history, "is_correct": False}
    log |= {"mistake_agent": "Coder", "mistake_step": "1", "mistake_reason": "wrong"}
    (tmp_path / "1.json").write_text(json.dumps(log))
    (tmp_path / "note.json").write_text("no json")
    found = _faults(trace_figures("who-when", tmp_path, None))

    assert found["first fault: undetermined"] == 1
    assert found["first fault: with a hint"] == 0
    assert found["baseline: what was answered by an error first"] == 1
    assert found["baseline: agent that says most (agent)"] == 1
    (known,) = labelled_logs(tmp_path).values()
    assert (known.spoken, known.first_error) == ((0, 1, 2, 3), 1)


@pytest.mark.parametrize(
    ("name", "folder", "n"), [("agentrx", "agentrx", 27), ("who-when", "who-and-when", 29)]
)
def test_public_logs_are_reported_with_intervals(
    shared: Path, name: str, folder: str, n: int
) -> None:
    """Shares are printed, never asserted: whoever tuned on them would make them worthless."""
    figures = trace_figures(name, shared / "corpus" / folder, None)
    faults = [item for item in figures if ":" in item.name]

    assert faults[0] == Figure("first fault: labelled runs", n)
    for item in faults[1:]:
        assert item.value is not None
        assert 0 <= item.value <= 1
        assert item.note is not None
        assert item.known is None


def test_the_command_prints_them(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["eval", "agentrx", str(_agentrx(tmp_path)), "--json"])

    names = {figure["name"] for figure in json.loads(result.output)}
    assert {"first fault: undetermined", "baseline: last call"} <= names
