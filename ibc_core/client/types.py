"""Clients as every layer sees them (ICS-2)."""

from enum import Enum


class Status(Enum):
    """What a light client may be used for; only `ACTIVE` verifies anything."""

    ACTIVE = "Active"
    FROZEN = "Frozen"
    EXPIRED = "Expired"
    UNKNOWN = "Unknown"
    UNAUTHORIZED = "Unauthorized"


TENDERMINT = "07-tendermint"
SOLOMACHINE = "06-solomachine"
LOCALHOST = "09-localhost"

ALLOW_ALL_CLIENTS = "*"
"""In the parameter `allowed_clients`: every registered client type."""
