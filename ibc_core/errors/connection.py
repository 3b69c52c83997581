"""Errors of ICS-3: connections (codespace `connection`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class ConnectionFault(IbcError):
    """Any error of codespace `connection`."""

    codespace: ClassVar[str] = "connection"


@dataclass(eq=False)
class ConnectionExists(ConnectionFault):
    """ICS-3: `connection/2`."""

    connection_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "connection {connection_id} exists"


@dataclass(eq=False)
class ConnectionNotFound(ConnectionFault):
    """ICS-3: `connection/3`."""

    connection_id: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "no connection {connection_id}"


@dataclass(eq=False)
class ClientConnectionPathsNotFound(ConnectionFault):
    """ICS-3: `connection/4`."""

    client_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "client {client_id} has no connections"


@dataclass(eq=False)
class InvalidConnectionPath(ConnectionFault):
    """ICS-3: `connection/5`."""

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "invalid connection path: {reason}"


@dataclass(eq=False)
class InvalidConnectionState(ConnectionFault):
    """ICS-3: `connection/6`."""

    connection_id: str
    expected: str
    got: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "connection {connection_id} is {got}, expected {expected}"


@dataclass(eq=False)
class InvalidConnectionCounterparty(ConnectionFault):
    """ICS-3: `connection/7`."""

    reason: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "invalid connection counterparty: {reason}"


@dataclass(eq=False)
class InvalidConnection(ConnectionFault):
    """ICS-3: `connection/8`."""

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid connection: {reason}"


@dataclass(eq=False)
class InvalidConnectionVersion(ConnectionFault):
    """ICS-3: `connection/9`."""

    reason: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "invalid connection version: {reason}"


@dataclass(eq=False)
class VersionNegotiationFailed(ConnectionFault):
    """ICS-3: `connection/10`."""

    offered: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "no connection version in common with {offered}"


@dataclass(eq=False)
class InvalidConnectionIdentifier(ConnectionFault):
    """ICS-3: `connection/11`."""

    connection_id: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "invalid connection identifier {connection_id!a}"
