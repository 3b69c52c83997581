"""Errors of IBC v2: counterparties of clients (codespace `clientv2`)."""

from ibc_core.errors.base import IbcError


class ClientV2Error(IbcError):
    """Any error of codespace `clientv2`."""

    codespace = "clientv2"


class InvalidClientCounterparty(ClientV2Error, code=34, source="IBC v2, ibc-go's `ErrInvalidCounterparty`"):
    """A packet names another client than the registered one, or a counterparty has no Merkle prefix."""

    reason: str
    text = "invalid counterparty: {reason}"


class ClientCounterpartyNotFound(ClientV2Error, code=35, source="IBC v2, ibc-go's `ErrCounterpartyNotFound`"):
    """No counterparty is registered for this client, so packets over it have no destination."""

    client_id: str
    text = "client {client_id} has no counterparty"
