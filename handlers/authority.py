"""The chain's authority, usually governance: the only signer of some messages."""

from ibc_core.errors import UnauthorizedTx
from keepers.keepers import Keepers


def check_authority(keepers: Keepers, signer: str) -> None:
    """Checks that `signer` is the authority.

    Raises:
        UnauthorizedTx: it is not.
    """
    if signer != keepers.authority:
        raise UnauthorizedTx(f"invalid authority: expected {keepers.authority}, got {signer}")
