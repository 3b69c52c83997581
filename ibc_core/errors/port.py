"""Errors of ICS-5: ports (codespace `port`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class PortError(IbcError):
    """Any error of codespace `port`."""

    codespace: ClassVar[str] = "port"


class PortExists(PortError):
    """Another application has bound this port.

    `port/2`: ICS-5, ibc-go's `ErrPortExists`.
    """

    port_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "port {port_id!a} is bound"


class InvalidRoute(PortError):
    """No application is bound to this port, or the one that is bound serves another.

    An application binds its ports before the chain starts; later ones are refused.

    `port/5`: ICS-5, ibc-go's `ErrInvalidRoute`.
    """

    port_id: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "no application is bound to port {port_id!a}"
