"""What can go wrong while the server starts, or a page runs without one.

ToolsightError
└── DashboardError
    ├── NotStartedError   a page ran outside a server
    ├── HostRefusedError  the address would let other machines in
    ├── PortInUseError    something else listens on the port
    ├── OwnerUnreachableError  another process serves the store and cannot be asked
    ├── DictionaryEditError  an entry cannot be changed in place
    ├── GateClosedError   a draft does not meet what publishing asks for
    └── SettingsError     a setting has a value that cannot be used
"""

from pipeline.errors import ToolsightError


class DashboardError(ToolsightError):
    """The dashboard cannot do what was asked."""


class NotStartedError(DashboardError):
    """A page ran outside a server."""


class HostRefusedError(DashboardError):
    """The address to listen on would let other machines in."""


class PortInUseError(DashboardError):
    """Something else listens on the port; the message says which and what to do."""


class OwnerUnreachableError(DashboardError):
    """Another process serves the store and cannot be asked; the message says what to do."""


class SettingsError(DashboardError):
    """A setting has a value that cannot be used; names the setting."""


class GateClosedError(DashboardError):
    """A draft does not meet what publishing asks for; names each gate that is closed."""


class DictionaryEditError(DashboardError):
    """An entry cannot be changed in place; the message says what to do instead."""
