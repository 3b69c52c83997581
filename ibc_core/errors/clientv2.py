"""Errors of IBC v2: counterparties of clients (codespace `clientv2`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class ClientV2Error(IbcError):
    """Any error of codespace `clientv2`."""

    codespace: ClassVar[str] = "clientv2"


@dataclass(eq=False)
class InvalidClientCounterparty(ClientV2Error):
    """IBC v2: `clientv2/34`."""

    reason: str
    code: ClassVar[int] = 34
    text: ClassVar[str] = "invalid counterparty: {reason}"


@dataclass(eq=False)
class ClientCounterpartyNotFound(ClientV2Error):
    """IBC v2: `clientv2/35`."""

    client_id: str
    code: ClassVar[int] = 35
    text: ClassVar[str] = "client {client_id} has no counterparty"
