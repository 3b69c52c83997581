"""Check of messages that only the chain's authority, usually governance, may sign."""

from keepers.keepers import Keepers
from pyibc.core.errors import UnauthorizedTx


def check_authority(keepers: Keepers, signer: str) -> None:
    """Check that `signer` is the authority.

    Raises:
        UnauthorizedTx: the signer is not the authority.
    """
    if signer != keepers.authority:
        raise UnauthorizedTx(f"invalid authority: expected {keepers.authority}, got {signer}")
