"""Client types and status (ICS-2)."""

from enum import Enum


class Status(Enum):
    """The status of a client; only an `ACTIVE` one verifies anything."""

    ACTIVE = "Active"
    FROZEN = "Frozen"
    EXPIRED = "Expired"
    UNKNOWN = "Unknown"
    UNAUTHORIZED = "Unauthorized"


TENDERMINT = "07-tendermint"
SOLOMACHINE = "06-solomachine"
LOCALHOST = "09-localhost"

ALLOW_ALL_CLIENTS = "*"
"""Wildcard for every registered client type in the parameter `allowed_clients`."""
