"""Accounts of this chain: a number and a nonce each, so that a transaction runs once."""

from collections.abc import Sequence
from typing import NamedTuple

from pyibc import Address, ReadContext, WriteContext, hookimpl
from pyibc.errors import InvalidSdkRequest, WrongSequence

STORE = "accounts"
_NEXT_NUMBER = b"next"
_ACCOUNT = b"/"


class TinyAccount(NamedTuple):
    """One account."""

    number: int
    sequence: int  # the nonce of its next transaction
    module: str = ""  # whose it is, where no key signs for it
    owner: str = ""  # the controller's port, of an interchain account


class Accounts:
    """The only writer of the store `accounts`: `/` address -> number, nonce (8 bytes each), names.

    An account is made by its first transaction, or by an application that acts as one (`ibc_accounts`).
    """

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (STORE,)

    @hookimpl
    def ibc_accounts(self) -> "Accounts":
        """These accounts."""
        return self

    def get(self, ctx: ReadContext, address: bytes) -> TinyAccount | None:
        """The account at `address`, None where there is none."""
        raw = ctx.reader(STORE).get(_ACCOUNT + address)
        if raw is None:
            return None
        module, _, owner = raw[16:].decode().partition("\0")
        return TinyAccount(int.from_bytes(raw[:8], "big"), int.from_bytes(raw[8:16], "big"), module, owner)

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> TinyAccount:
        """Makes the account of `address`: a module's, or with an `owner` an interchain account.

        Raises:
            InvalidSdkRequest: there is one; nothing is written.
        """
        if self.get(ctx, address.raw) is not None:
            raise InvalidSdkRequest(f"account {address.text} exists")
        return self._make(ctx, address.raw, module, owner)

    def nonce(self, ctx: ReadContext, address: bytes) -> int:
        """The nonce that the account's next transaction must carry."""
        found = self.get(ctx, address)
        return 0 if found is None else found.sequence

    def use_nonce(self, ctx: WriteContext, address: bytes, nonce: int) -> None:
        """Moves the account on; makes it if this is its first transaction.

        Raises:
            WrongSequence: `nonce` is not its next one; relayers know the error and sign anew.
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
