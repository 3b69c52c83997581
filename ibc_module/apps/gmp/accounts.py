"""Accounts of callers: found, or made at their first call."""

from ibc_core.address import Address, AddressCodec
from ibc_core.application.services import Accounts
from ibc_core.errors import CallAccountNotFound
from ibc_core.gmp.account import AccountIdentifier, CallAccount
from ibc_core.host.context import ReadContext, WriteContext
from ibc_module.apps.gmp import state


class CallAccounts:
    """The accounts of one chain's callers."""

    def __init__(self, accounts: Accounts, addresses: AddressCodec) -> None:
        self._accounts = accounts
        self._addresses = addresses

    def ensure(self, ctx: WriteContext, identifier: AccountIdentifier) -> Address:
        """The account of a caller, which has one from now on.

        One that was funded before it was called is there already, and stays as it is.

        Raises:
            InvalidIdentifier, InvalidAddress: no account can be of this client or sender.
            CallAccountNotFound: it was called before, and the host has it no more.
        """
        known = state.account(ctx, identifier)
        if known is not None:
            return self._existing(ctx, known)
        address = self._addresses.encode(identifier.address)
        if self._accounts.get(ctx, address.raw) is None:
            self._accounts.create(ctx, address)
        state.set_account(ctx, CallAccount(address.text, identifier), address.raw)
        return address

    def _existing(self, ctx: ReadContext, known: CallAccount) -> Address:
        address = self._addresses.decode(known.address, "account")
        if self._accounts.get(ctx, address.raw) is None:
            raise CallAccountNotFound(known.address)
        return address

    def address_of(self, ctx: ReadContext, identifier: AccountIdentifier) -> str:
        """The address that a caller has, or will have.

        Raises:
            InvalidIdentifier, InvalidAddress: no account can be of this client or sender.
        """
        known = state.account(ctx, identifier)
        return self._addresses.encode(identifier.address).text if known is None else known.address
