"""Accounts of this chain: a number and a nonce each, so that a transaction executes once."""

from collections.abc import Sequence
from typing import NamedTuple

from pyibc import Address, ReadContext, WriteContext, hookimpl
from pyibc.errors import InvalidSdkRequest, WrongSequence

STORE = "accounts"
_NEXT_NUMBER = b"next"
_ACCOUNT = b"/"


class TinyAccount(NamedTuple):
    """Account."""

    number: int
    sequence: int  # nonce of the next transaction
    module: str = ""  # module name, if no key signs for it
    owner: str = ""  # controller port, if it is an interchain account


class Accounts:
    """Accounts in the store `accounts`: `/` address -> number, nonce (8 bytes each), names.

    An account is created by its first transaction, or by an application that acts as one (`ibc_accounts`).
    """

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the store."""
        return (STORE,)

    @hookimpl
    def ibc_accounts(self) -> "Accounts":
        """Offer these accounts to applications."""
        return self

    def get(self, ctx: ReadContext, address: bytes) -> TinyAccount | None:
        """Return the account at `address`, None if there is none."""
        raw = ctx.reader(STORE).get(_ACCOUNT + address)
        if raw is None:
            return None
        module, _, owner = raw[16:].decode().partition("\0")
        return TinyAccount(int.from_bytes(raw[:8], "big"), int.from_bytes(raw[8:16], "big"), module, owner)

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> TinyAccount:
        """Create the account of `address`: a module account, or with an `owner` an interchain account.

        Raises:
            InvalidSdkRequest: it exists; nothing is written.
        """
        if self.get(ctx, address.raw) is not None:
            raise InvalidSdkRequest(f"account {address.text} exists")
        return self._make(ctx, address.raw, module, owner)

    def nonce(self, ctx: ReadContext, address: bytes) -> int:
        """Return the nonce that the account's next transaction must have."""
        found = self.get(ctx, address)
        return 0 if found is None else found.sequence

    def use_nonce(self, ctx: WriteContext, address: bytes, nonce: int) -> None:
        """Increment an account's nonce; create the account on its first transaction.

        Raises:
            WrongSequence: `nonce` is not the next one; relayers know this error and sign again.
        """
        expected = self.nonce(ctx, address)
        if nonce != expected:
            raise WrongSequence(expected, nonce)
        account = self.get(ctx, address) or self._make(ctx, address, "")
        self._put(ctx, address, account._replace(sequence=nonce + 1))

    def _make(self, ctx: WriteContext, address: bytes, module: str, owner: str = "") -> TinyAccount:
        store = ctx.store(STORE)
        number = int.from_bytes(store.get(_NEXT_NUMBER) or b"", "big")
        store.set(_NEXT_NUMBER, (number + 1).to_bytes(8))
        made = TinyAccount(number, 0, module, owner)
        self._put(ctx, address, made)
        return made

    def _put(self, ctx: WriteContext, address: bytes, account: TinyAccount) -> None:
        names = f"{account.module}\0{account.owner}".encode()
        raw = account.number.to_bytes(8) + account.sequence.to_bytes(8) + names
        ctx.store(STORE).set(_ACCOUNT + address, raw)
