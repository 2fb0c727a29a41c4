"""Streamlit's options as the server sets them; put back afterwards."""

from collections.abc import Iterator

import pytest

from dashboard.serving.streamlit_options import configure_streamlit
from dashboard.settings import Settings


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    from streamlit import config

    before = {name: config.get_option(name) for name in config.get_config_options()}
    yield
    for name, value in before.items():
        if config.get_option(name) != value:
            config.set_option(name, value)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("server.address", "127.0.0.1"),
        ("server.port", 8600),
        ("server.allowedHosts", ["127.0.0.1", "localhost"]),
        ("server.fileWatcherType", "none"),
        ("server.enableAgentApi", False),
        ("server.enableStaticServing", False),
        ("browser.gatherUsageStats", False),
        ("client.showErrorDetails", "none"),
        ("client.showErrorLinks", False),
        ("runner.magicEnabled", False),
    ],
)
def test_what_bears_on_safety_is_set_in_code(
    monkeypatch: pytest.MonkeyPatch, name: str, expected: object
) -> None:
    from streamlit import config

    monkeypatch.setenv(f"STREAMLIT_{name.upper().replace('.', '_')}", "true")

    configure_streamlit(Settings(port=8600), ("localhost", "127.0.0.1"))

    assert config.get_option(name) == expected


def test_both_themes_reach_streamlit() -> None:
    from streamlit import config

    configure_streamlit(Settings(), ())

    assert config.get_option("theme.light.backgroundColor") == "#ffffff"
    assert len(config.get_option("theme.dark.chartCategoricalColors")) == 10


def test_an_option_that_an_older_release_lacks_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from streamlit import config

    known = {k: v for k, v in config.get_config_options().items() if k != "server.allowedHosts"}
    with monkeypatch.context() as patched:
        patched.setattr(config, "get_config_options", lambda: known)
        configure_streamlit(Settings(), ("localhost",))

    assert config.get_option("browser.gatherUsageStats") is False
