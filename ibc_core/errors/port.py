"""Errors of ICS-5: ports (codespace `port`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class PortError(IbcError):
    """Any error of codespace `port`."""

    codespace: ClassVar[str] = "port"


@dataclass(eq=False)
class PortExists(PortError):
    """ICS-5: `port/2`."""

    port_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "port {port_id!a} is bound"


@dataclass(eq=False)
class InvalidRoute(PortError):
    """ICS-5: `port/5`."""

    port_id: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "no application is bound to port {port_id!a}"
