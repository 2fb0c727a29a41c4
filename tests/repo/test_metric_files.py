"""Every metric text has a head comment, a function, and binds on an empty store."""

import re
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest

import metrics
from metrics.behind import _QUESTIONS
from metrics.statements import parameter_names, statement
from replay_store.database import Database

SQL = Path(str(files(metrics))) / "sql"
NAMES = sorted(path.relative_to(SQL).with_suffix("").as_posix() for path in SQL.rglob("*.sql"))
SAMPLE = {
    "left": "concise",
    "right": "verbose",
    "counted": "call",
    "before_hour": -24,
    "first_day_hour": -24,
    "start_day_hour": 0,
    "start_hour": 0,
    "next_day_hour": 0,
    "end_day_hour": 24,
    "end_hour": 24,
    "hours_1": (1, 2),
    "hours_6": (),
    "hours_24": (24,),
    "hours_168": (),
    "seen_hours": (1,),
    "before_time_ns": -1,
    "start_time_ns": 0,
    "end_time_ns": 1,
    "bucket_ns": 1,
    "day_offset_ns": 0,
    "tool_name": None,
    "agent_name": None,
    "source": "audit",
    "reading": "current",
    "figure": "unknown",
    "many_steps": 2,
    "q": 0.95,
    "q_low": 0.9,
    "q_high": 0.99,
    "slow_ns": 1,
    "part": "numerator",
    "limit": 1,
    "offset": 0,
    "is_whole_call": False,
    "is_success_rate": False,
    "limit_ms": 50,
    "contract_version": None,
    "model": None,
    "template": None,
    "batch_id": "00000000-0000-0000-0000-000000000000",
    "sign": "timeout",
    "score_name": "reward",
    "rule": "danger",
    "is_of_hits": False,
    "error_type": None,
    "trace_id": "0" * 32,
}


@pytest.fixture(scope="module")
def database() -> Database:
    """An empty migrated store."""
    return Database.open()


def test_there_are_texts_to_check() -> None:
    assert len(NAMES) > 15


@pytest.mark.parametrize("name", NAMES)
def test_a_text_binds_on_an_empty_store(database: Database, name: str) -> None:
    parameters = {key: SAMPLE[key] for key in parameter_names(name)}
    database.rows(f"explain {statement(name)}", parameters)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_says_what_it_counts(name: str) -> None:
    head = statement(name).split("\nwith ", maxsplit=1)[0]
    assert all(line.startswith("--") for line in head.splitlines())
    for word in ("What:", "Unit:", "Denominator:", "Excluded"):
        assert word in head


@pytest.mark.parametrize("name", NAMES)
def test_a_text_runs_on_both_engines_and_is_ordered(name: str) -> None:
    code = re.sub(r"--.*", "", statement(name)).lower()
    for word in ("qualify", "filter (", " over (", "select *", "exclude (", "::", "//"):
        assert word not in code
    assert "order by" in code.rsplit("from final", maxsplit=1)[1]


@pytest.mark.parametrize("name", [name for name in NAMES if "/" not in name])
def test_a_text_has_an_exported_function_of_its_name(name: str) -> None:
    assert name in metrics.__all__
    assert callable(getattr(metrics, name))


def test_every_text_of_traces_belongs_to_a_metric() -> None:
    used = {question.statement for question in _QUESTIONS.values()}
    assert used == {name.removeprefix("behind/") for name in NAMES if name.startswith("behind/")}
    assert set(_QUESTIONS) == {item.key for item in metrics.DEFINITIONS}


def test_all_lists_exactly_the_public_names() -> None:
    modules = {path.stem for path in Path(str(files(metrics))).iterdir()}
    public = {name for name in vars(metrics) if not name.startswith("_")}
    assert public - modules <= set(metrics.__all__)
    assert all(hasattr(metrics, name) for name in metrics.__all__)
    assert metrics.__all__ == sorted(set(metrics.__all__), key=_isort_order)


def test_each_module_imports_alone() -> None:
    folder = Path(str(files(metrics)))
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        import_module(".".join(("metrics", *parts)).removesuffix(".__init__"))


def _isort_order(name: str) -> tuple[int, str]:
    if name.isupper():
        return 0, name
    return (1 if name[0].isupper() else 2), name
