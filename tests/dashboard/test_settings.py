"""Settings come from the environment once; a bad value is named."""

from pathlib import Path

import pytest

from dashboard.errors import SettingsError
from dashboard.settings import Settings, default_db, read_settings
from metrics import Promise
from pipeline.errors import ToolsightError


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOOLSIGHT_{name.upper()}", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_defaults_serve_on_loopback_in_utc(tmp_path: Path) -> None:
    settings = read_settings()

    assert (settings.host, settings.port, settings.time_zone) == ("127.0.0.1", 8501, "UTC")
    assert settings.language is None
    assert settings.db == default_db()


@pytest.mark.parametrize(
    ("platform", "variable", "value", "expected"),
    [
        ("linux", "XDG_DATA_HOME", "/data", "/data/toolsight/toolsight.duckdb"),
        ("linux", "XDG_DATA_HOME", "", "/h/.local/share/toolsight/toolsight.duckdb"),
        ("darwin", "HOME", "/h", "/h/Library/Application Support/toolsight/toolsight.duckdb"),
        ("win32", "LOCALAPPDATA", "/local", "/local/toolsight/toolsight.duckdb"),
    ],
)
def test_the_store_lies_in_the_platforms_data_folder(
    monkeypatch: pytest.MonkeyPatch, platform: str, variable: str, value: str, expected: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("HOME", "/h")
    monkeypatch.setenv(variable, value)

    assert default_db() == Path(expected)


def test_contracts_of_a_folder_promise_what_figures_are_judged_by(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    contract = '{"name": "pay", "sla_p95_ms": 900, "quotas": {"per_day": 50, "caller_per_day": 5}}'
    (tmp_path / "pay.json").write_text(contract)
    (tmp_path / "look.json").write_text('{"name": "look"}')
    monkeypatch.setenv("TOOLSIGHT_CONTRACT_FOLDER", str(tmp_path))

    assert read_settings().thresholds.promises == (Promise("pay", 900, 50, 5),)

    (tmp_path / "look.json").write_text("{}")
    with pytest.raises(ToolsightError, match=r"look\.json"):
        read_settings()


def test_the_environment_gives_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSIGHT_PORT", "9000")
    monkeypatch.setenv("TOOLSIGHT_DB", "x.duckdb")
    monkeypatch.setenv("TOOLSIGHT_TIME_ZONE", "Asia/Shanghai")
    monkeypatch.setenv("TOOLSIGHT_LANGUAGE", "zh")
    monkeypatch.setenv("TOOLSIGHT_MEMORY_LIMIT", "2GB")

    settings = read_settings()

    assert settings.port == 9000
    assert settings.db == Path("x.duckdb")
    assert settings.time_zone == "Asia/Shanghai"
    assert settings.language == "zh"
    assert settings.memory_limit == "2GB"


def test_what_is_given_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSIGHT_PORT", "9000")

    assert read_settings(port=1234, db=None).port == 1234


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TIME_ZONE", "Mars/Olympus"),
        ("TIME_ZONE", "../etc/passwd"),
        ("PORT", "70000"),
        ("PORT", "http"),
        ("LANGUAGE", "fr"),
        ("MEMORY_LIMIT", "much"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"TOOLSIGHT_{name}", value)

    with pytest.raises(SettingsError, match=f"^TOOLSIGHT_{name} .*{value}"):
        read_settings()
