"""The bank: balances and supply.

Store `bank`: `00 denom` -> supply, `02 length(1) address denom` -> balance; amounts are big-endian without
leading zeros, and absent if zero. Invariants: no balance is negative, amounts are below 2^256, and the
balances of a denomination add up to its supply.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pyibc.chain import events
from pyibc.chain.accounts.keeper import Accounts
from pyibc.chain.config import module_address
from pyibc.core.address import Address
from pyibc.core.coin import Coin
from pyibc.core.errors import InsufficientBalance, LogicFault
from pyibc.core.host.context import KVStore, ReadContext, ReadStore, WriteContext, prefix_end
from pyibc.core.numbers import MAX_U256

STORE = "bank"
SUPPLY = b"\x00"
BALANCES = b"\x02"


@lru_cache(4096)
def holder_prefix(address: bytes) -> bytes:
    """Return the key prefix of an account's balances."""
    return BALANCES + bytes((len(address),)) + address


def _read(store: ReadStore, key: bytes) -> int:
    raw = store.get(key)
    return int.from_bytes(raw, "big") if raw is not None else 0


def _write(store: KVStore, key: bytes, amount: int) -> None:
    if amount:
        store.set(key, amount.to_bytes((amount.bit_length() + 7) // 8, "big"))
    else:
        store.delete(key)


def coins_text(coins: Iterable[Coin]) -> str:
    """Format coins for events, separated by commas."""
    return ",".join([coin.text for coin in coins])


class BankKeeper:
    """The only writer of the `bank` store."""

    def __init__(self, accounts: Accounts, module_accounts: Sequence[str]) -> None:
        self._accounts = accounts
        self._blocked = frozenset(module_address(name) for name in module_accounts)

    # -- the `Bank` protocol of ICS-20

    def send(self, ctx: WriteContext, sender: Address, receiver: Address, amount: Coin) -> None:
        """Move coins, creating the receiver's account if absent.

        Raises:
            InsufficientBalance: the sender's balance is too small; nothing is written.
        """
        self.send_coins(ctx, sender, receiver, (amount,))

    def mint(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Mint coins to a module account.

        Raises:
            LogicFault: the supply would reach 2^256, where the SDK panics; nothing is written.
        """
        self._issue(ctx.store(STORE), module, amount)
        ctx.emit(events.coin_received(module.text, amount.text))
        ctx.emit(events.coinbase(module.text, amount.text))

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Burn coins of a module account.

        Raises:
            InsufficientBalance: the module account's balance is too small; nothing is written.
        """
        store = ctx.store(STORE)
        self._take(store, module, amount)
        key = SUPPLY + amount.denom.encode()
        _write(store, key, _read(store, key) - amount.amount)
        ctx.emit(events.coin_spent(module.text, amount.text))
        ctx.emit(events.burn(module.text, amount.text))

    def balance(self, ctx: ReadContext, address: bytes, denom: str) -> int:
        """Return an account's balance of `denom`."""
        return _read(ctx.reader(STORE), holder_prefix(address) + denom.encode())

    def is_blocked(self, address: bytes) -> bool:
        """Return whether users may not send coins to the account, because it is a module account."""
        return address in self._blocked

    def is_send_enabled(self, ctx: ReadContext, denom: str) -> bool:  # noqa: ARG002 - signature of the protocol
        """Return True: this host restricts no denomination."""
        return True

    # -- the host's own messages and queries

    def send_coins(
        self, ctx: WriteContext, sender: Address, receiver: Address, coins: Sequence[Coin]
    ) -> None:
        """Move several denominations with one set of events, as the SDK's MsgSend does.

        Raises:
            InsufficientBalance: a balance is too small; earlier denominations are already debited, so call it
                in a branch.
        """
        store, text = ctx.store(STORE), coins_text(coins)
        for amount in coins:
            self._take(store, sender, amount)
        ctx.emit(events.coin_spent(sender.text, text))
        for amount in coins:
            self._give(store, receiver, amount)
        ctx.emit(events.coin_received(receiver.text, text))
        self._accounts.ensure(ctx, receiver)
        ctx.emit(events.transfer(receiver.text, sender.text, text))
        ctx.emit(events.message_sender(sender.text))

    def multi_send(
        self,
        ctx: WriteContext,
        sender: Address,
        coins: Sequence[Coin],
        outputs: Sequence[tuple[Address, Sequence[Coin]]],
    ) -> None:
        """Move coins to several accounts; the caller has checked that inputs equal outputs.

        Raises:
            InsufficientBalance: a balance is too small; see `send_coins`.
        """
        store = ctx.store(STORE)
        ctx.emit(events.message_sender(sender.text))
        for amount in coins:
            self._take(store, sender, amount)
        ctx.emit(events.coin_spent(sender.text, coins_text(coins)))
        for receiver, part in outputs:
            for amount in part:
                self._give(store, receiver, amount)
            text = coins_text(part)
            ctx.emit(events.coin_received(receiver.text, text))
            ctx.emit(events.transfer(receiver.text, sender.text, text))
            self._accounts.ensure(ctx, receiver)

    def endow(self, ctx: WriteContext, holder: Address, amount: Coin) -> None:
        """Credit a genesis balance and create its account, without events.

        Raises:
            LogicFault: the supply would reach 2^256; nothing is written.
        """
        self._issue(ctx.store(STORE), holder, amount)
        self._accounts.ensure(ctx, holder)

    def supply(self, ctx: ReadContext, denom: str) -> int:
        """Return the total supply of `denom`."""
        return _read(ctx.reader(STORE), SUPPLY + denom.encode())

    def balances(self, ctx: ReadContext, address: bytes) -> Iterator[tuple[str, int]]:
        """Iterate over denominations and amounts of an account's balances, by denomination."""
        prefix = holder_prefix(address)
        for key, raw in ctx.reader(STORE).iterate(prefix, prefix_end(prefix)):
            yield key[len(prefix) :].decode(), int.from_bytes(raw, "big")

    def all_balances(self, ctx: ReadContext) -> Iterator[tuple[bytes, str, int]]:
        """Iterate over address, denomination and amount of every balance, in key order."""
        for key, raw in ctx.reader(STORE).iterate(BALANCES, prefix_end(BALANCES)):
            end = 2 + key[1]
            yield key[2:end], key[end:].decode(), int.from_bytes(raw, "big")

    def total_supply(self, ctx: ReadContext) -> Iterator[tuple[str, int]]:
        """Iterate over all denominations and their supplies."""
        for key, raw in ctx.reader(STORE).iterate(SUPPLY, prefix_end(SUPPLY)):
            yield key[1:].decode(), int.from_bytes(raw, "big")

    def _issue(self, store: KVStore, holder: Address, amount: Coin) -> None:
        key = SUPPLY + amount.denom.encode()
        supply = _read(store, key) + amount.amount
        if supply > MAX_U256:
            raise LogicFault(f"the supply of {amount.denom} would reach 2^256")
        self._give(store, holder, amount)
        _write(store, key, supply)

    def _take(self, store: KVStore, holder: Address, amount: Coin) -> None:
        key = holder_prefix(holder.raw) + amount.denom.encode()
        balance = _read(store, key)
        if balance < amount.amount:
            raise InsufficientBalance(holder.text, f"{balance}{amount.denom}", amount.text)
        _write(store, key, balance - amount.amount)

    def _give(self, store: KVStore, holder: Address, amount: Coin) -> None:
        key = holder_prefix(holder.raw) + amount.denom.encode()
        _write(store, key, _read(store, key) + amount.amount)
