"""Who asks for a prompt: what may be shown beyond what the model reads.

Debug prompts hold raw outputs and every step of reading. They are for people at the machine and
for those with a privileged role; whoever serves others over a network says so. Source: S0 §5.2.
"""

from enum import StrEnum
from typing import Final

from pipeline.observation.errors import TemplateError


class Caller(StrEnum):
    """Who reads a rendered prompt."""

    LOCAL = "local"
    """Somebody at this machine, over loopback or in this process."""
    PRIVILEGED = "privileged"
    """Somebody elsewhere with a role that may see raw outputs."""
    REMOTE = "remote"
    """Anybody else."""

    @property
    def sees_raw(self) -> bool:
        """Whether raw outputs may be shown."""
        return self is not Caller.REMOTE


DEBUG: Final = "debug"


def caller_at(address: str, *, is_privileged: bool = False) -> Caller:
    """Who a request comes from.

    Args:
        address: IP address of the peer, as the connection has it; never one from a header. What is
            no address counts as remote.
        is_privileged: Whether its role was checked and may see raw outputs.
    """
    if is_privileged:
        return Caller.PRIVILEGED
    from ipaddress import ip_address  # slow to import, seldom needed

    try:
        return Caller.LOCAL if ip_address(address).is_loopback else Caller.REMOTE
    except ValueError:
        return Caller.REMOTE


def require_template(template: str, caller: Caller) -> None:
    """Refuse debug prompts to those who may not see raw outputs.

    Raises:
        TemplateError: They may not.
    """
    if template == DEBUG and not caller.sees_raw:
        problem = "shows raw outputs: for local and privileged callers only"
        raise TemplateError(template, None, problem, ("concise", "verbose"))
