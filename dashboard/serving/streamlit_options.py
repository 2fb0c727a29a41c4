"""Streamlit's options, set in code: no file in the current folder decides on safety or speed."""

from collections.abc import Iterable
from typing import Final

from dashboard.settings import Settings
from dashboard.theme import streamlit_theme

__all__ = ["configure_streamlit"]

_FIXED: Final[dict[str, object]] = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
    "global.showWarningOnDirectExecution": False,
    "logger.enableRich": False,
    "logger.level": "warning",
    "runner.magicEnabled": False,
    "server.enableAgentApi": False,
    "server.enableStaticServing": False,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.maxUploadSize": 20,
    "server.runOnSave": False,
}


def configure_streamlit(settings: Settings, hosts: Iterable[str]) -> None:
    """Set every option that matters here, over whatever a file or the environment says.

    Args:
        settings: Address and port. With an address set, Streamlit looks up no network names.
        hosts: Host names that the websocket accepts.
    """
    from streamlit import config

    wanted = _FIXED | streamlit_theme() | _of(settings, hosts)
    known = config.get_config_options()
    for name, value in wanted.items():
        if name in known:  # a release at our lower bound lacks the newest ones
            config.set_option(name, value)


def _of(settings: Settings, hosts: Iterable[str]) -> dict[str, object]:
    return {
        "server.address": settings.host,
        "server.port": settings.port,
        "browser.serverAddress": settings.host,
        "browser.serverPort": settings.port,
        "server.allowedHosts": sorted(hosts),
    }
