"""Errors of IBC v2: counterparties of clients (codespace `clientv2`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class ClientV2Error(IbcError):
    """Any error of codespace `clientv2`."""

    codespace: ClassVar[str] = "clientv2"


class InvalidClientCounterparty(ClientV2Error):
    """A packet names another client than the registered counterparty, or a counterparty has no Merkle prefix.

    `clientv2/34`: IBC v2, ibc-go's `ErrInvalidCounterparty`.
    """

    reason: str
    code: ClassVar[int] = 34
    text: ClassVar[str] = "invalid counterparty: {reason}"


class ClientCounterpartyNotFound(ClientV2Error):
    """No counterparty is registered for this client, so packets over it have no destination.

    `clientv2/35`: IBC v2, ibc-go's `ErrCounterpartyNotFound`.
    """

    client_id: str
    code: ClassVar[int] = 35
    text: ClassVar[str] = "client {client_id} has no counterparty"
