"""Names of ICS-27: ports, version, and whose a controller's port is."""

from ibc_core.errors import InvalidAccountAddress
from ibc_core.identifiers import is_blank

MODULE_NAME = "interchainaccounts"
HOST_PORT = "icahost"
CONTROLLER = "icacontroller"
CONTROLLER_PREFIX = f"{CONTROLLER}-"
"""A controller's port is this and then the owner."""

VERSION = "ics27-1"


def controller_port(owner: str) -> str:
    """The port over which `owner` controls accounts.

    Raises:
        InvalidAccountAddress: the owner is blank.
    """
    if is_blank(owner):
        raise InvalidAccountAddress(owner)
    return CONTROLLER_PREFIX + owner
