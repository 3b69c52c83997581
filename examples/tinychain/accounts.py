"""Accounts of this chain: a nonce each, so that a transaction runs once."""

from collections.abc import Sequence

from pyibc import ReadContext, WriteContext, hookimpl
from pyibc.errors import WrongSequence

STORE = "accounts"


class Accounts:
    """The only writer of the store `accounts`: address -> 8-byte big-endian nonce. Absent: 0."""

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (STORE,)

    def nonce(self, ctx: ReadContext, address: bytes) -> int:
        """The nonce that the account's next transaction must carry."""
        return int.from_bytes(ctx.reader(STORE).get(address) or b"", "big")

    def use_nonce(self, ctx: WriteContext, address: bytes, nonce: int) -> None:
        """Moves the account on.

        Raises:
            WrongSequence: `nonce` is not its next one; relayers know the error and sign anew.
        """
        expected = self.nonce(ctx, address)
        if nonce != expected:
            raise WrongSequence(expected, nonce)
        ctx.store(STORE).set(address, (nonce + 1).to_bytes(8))
