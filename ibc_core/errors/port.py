"""Errors of ICS-5: ports (codespace `port`)."""

from ibc_core.errors.base import IbcError


class PortError(IbcError):
    """Any error of codespace `port`."""

    codespace = "port"


class PortExists(PortError, code=2, source="ICS-5, ibc-go's `ErrPortExists`"):
    """Another application has bound this port."""

    port_id: str
    text = "port {port_id!a} is bound"


class InvalidRoute(PortError, code=5, source="ICS-5, ibc-go's `ErrInvalidRoute`"):
    """No application is bound to this port, or the one that is bound serves another.

    An application binds its ports before the chain starts; later ones are refused.
    """

    port_id: str
    text = "no application is bound to port {port_id!a}"
