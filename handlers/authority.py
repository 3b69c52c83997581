"""Who may send the messages that only the chain's authority may send (governance, as a rule)."""

from ibc_core.errors import UnauthorizedTx
from keepers.keepers import Keepers


def check_authority(keepers: Keepers, signer: str) -> None:
    """Checks that `signer` is the authority.

    Raises:
        UnauthorizedTx: it is not.
    """
    if signer != keepers.authority:
        raise UnauthorizedTx(f"invalid authority: expected {keepers.authority}, got {signer}")
