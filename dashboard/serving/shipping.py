"""Shipping from a running server: who ships, and what is told of it."""

from typing import TYPE_CHECKING, Final

from dashboard.errors import SettingsError

if TYPE_CHECKING:
    from dashboard.settings import Settings
    from replay_store.cluster.ship import Shipper
    from replay_store.database import Database

__all__ = ["shipper"]

_NONE: Final = "none"
"""In place of an address: nothing is shipped any more."""


def shipper(database: "Database", settings: "Settings") -> "Shipper | None":
    """Who ships this store; None where it ships nowhere. Not started yet.

    Where nothing is said of it, what waits goes on to wait; `none` ends that.

    Raises:
        SettingsError: It is a cluster that is read; what is received is shipped where it is received.
        ClusterError: The address cannot be read.
    """
    if settings.ship is None:
        return None
    if settings.ship.get_secret_value() == _NONE:
        from replay_store.cluster.ship_state import stop_shipping

        stop_shipping(database)
        return None
    if settings.engine is not None:
        raise SettingsError(
            "TOOLSIGHT_SHIP and TOOLSIGHT_ENGINE (or the options of these names): a server that reads "
            "a cluster receives nothing to ship: expected one of them; unset the other"
        )
    from replay_store.cluster.client import Client, ClusterUrl
    from replay_store.cluster.ship import Shipper

    password = settings.ship_password.get_secret_value() if settings.ship_password else None
    url = ClusterUrl.parse(settings.ship.get_secret_value(), password)
    return Shipper(database, Client(url))
