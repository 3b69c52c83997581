"""Bank of this chain as a plugin: coins for ICS-20 (`ibc_bank`), a message and a genesis of its own."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pyibc import (
    Address,
    AddressCodec,
    AnyMessage,
    Bank,
    Coin,
    MessageRoute,
    ReadContext,
    WriteContext,
    coin,
    hookimpl,
)
from pyibc.errors import InsufficientBalance, InvalidSdkCoins, LogicFault, TxDecode, UnauthorizedTx
from pyibc.host import MAX_U256, is_denom, module_address

STORE = "coins"
SEND = "/tiny.Send"
_BLOCKED = frozenset({module_address("transfer")})  # where ICS-20 mints and burns vouchers


class Send(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Message of this chain, as JSON. The amount is text: not every JSON parser keeps large numbers."""

    sender: str
    receiver: str
    denom: str
    amount: str


def send_message(sender: str, receiver: str, denom: str, amount: int) -> AnyMessage:
    """Build the message that moves coins."""
    return AnyMessage(SEND, msgspec.json.encode(Send(sender, receiver, denom, str(amount))))


class _Move(msgspec.Struct, frozen=True):
    """Decoded Send."""

    sender: Address
    receiver: Address
    amount: Coin


class TinyBank:
    """Coins in the store `coins`: length, address, denom -> 32-byte big-endian balance.

    The supply of a denom is stored at the empty address.
    """

    def __init__(self, addresses: AddressCodec) -> None:
        self._addresses = addresses

    # -- hooks

    @hookimpl
    def ibc_bank(self) -> Bank:
        """Offer these coins to ICS-20."""
        return self

    @hookimpl
    def ibc_account_prefix(self) -> str:
        """Return the prefix of this chain's addresses."""
        return self._addresses.prefix

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the store."""
        return (STORE,)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route the chain's own message, through the same hook as those of IBC."""
        return {SEND: MessageRoute(self._decode, _signers, self._deliver, "/tiny.SendResponse")}

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Set balances from `{"coins": {address: {denom: amount}}}`."""
        for holder, balances in genesis.get("coins", {}).items():
            for denom, amount in balances.items():
                address = self._addresses.decode(holder, "genesis holder")
                self._issue(ctx, address, coin(denom, amount))

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export all balances, in key order."""
        coins: dict[str, dict[str, int]] = {}
        for key, raw in ctx.reader(STORE).iterate(b"\x01", None):
            end = 1 + key[0]
            holder = self._addresses.encode(key[1:end]).text
            coins.setdefault(holder, {})[key[end:].decode()] = int.from_bytes(raw, "big")
        return {"coins": coins}

    # -- bank interface of ICS-20 (core.application.Bank)

    def send(self, ctx: WriteContext, sender: Address, receiver: Address, amount: Coin) -> None:
        """Move coins."""
        self._add(ctx, sender, amount, sign=-1)
        self._add(ctx, receiver, amount)
        moved = (("from", sender.text), ("to", receiver.text), ("amount", amount.text))
        ctx.emit(("coins_moved", moved))

    def mint(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Mint coins."""
        self._issue(ctx, module, amount)
        ctx.emit(("coins_made", (("amount", amount.text),)))

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Burn coins."""
        self._add(ctx, module, amount, sign=-1)
        self._write(ctx, b"", amount.denom, self.supply(ctx, amount.denom) - amount.amount)
        ctx.emit(("coins_destroyed", (("amount", amount.text),)))

    def balance(self, ctx: ReadContext, address: bytes, denom: str) -> int:
        """Return the balance of an account."""
        return int.from_bytes(ctx.reader(STORE).get(_key(address, denom)) or b"", "big")

    def supply(self, ctx: ReadContext, denom: str) -> int:
        """Return the supply of `denom`."""
        return self.balance(ctx, b"", denom)

    def is_blocked(self, address: bytes) -> bool:
        """Return whether it is a module account, which must not receive coins from users."""
        return address in _BLOCKED

    def is_send_enabled(self, ctx: ReadContext, denom: str) -> bool:  # noqa: ARG002 - the protocol's shape
        """Return True: all coins may be moved."""
        return True

    # -- internals

    def _issue(self, ctx: WriteContext, holder: Address, amount: Coin) -> None:
        """Mint coins; raise before writing. No balance exceeds the supply of its denom."""
        supply = self.supply(ctx, amount.denom) + amount.amount
        if supply > MAX_U256:
            raise LogicFault(f"the supply of {amount.denom} would exceed 2^256-1")
        self._add(ctx, holder, amount)
        self._write(ctx, b"", amount.denom, supply)

    def _add(self, ctx: WriteContext, holder: Address, amount: Coin, sign: int = 1) -> None:
        """Change one balance; raise before writing."""
        before = self.balance(ctx, holder.raw, amount.denom)
        after = before + sign * amount.amount
        if after < 0:
            raise InsufficientBalance(holder.text, f"{before}{amount.denom}", amount.text)
        self._write(ctx, holder.raw, amount.denom, after)

    def _write(self, ctx: WriteContext, holder: bytes, denom: str, amount: int) -> None:
        ctx.store(STORE).set(_key(holder, denom), amount.to_bytes(32, "big"))

    def _decode(self, raw: bytes) -> _Move:
        try:
            message = msgspec.json.decode(raw, type=Send)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise TxDecode(str(error)) from error
        digits = message.amount.isascii() and message.amount.isdigit() and len(message.amount) <= 78
        if not digits or not is_denom(message.denom):
            raise InvalidSdkCoins(f"{message.amount[:80]}{message.denom[:128]}")
        sender = self._addresses.decode(message.sender, "sender")
        receiver = self._addresses.decode(message.receiver, "receiver")
        return _Move(sender, receiver, coin(message.denom, int(message.amount)))

    def _deliver(self, ctx: WriteContext, move: _Move) -> bytes:
        if self.is_blocked(move.receiver.raw):
            raise UnauthorizedTx(f"{move.receiver.text} may not receive coins")
        self.send(ctx, move.sender, move.receiver, move.amount)
        return b""


def _signers(move: _Move) -> tuple[bytes, ...]:
    return (move.sender.raw,)


def _key(address: bytes, denom: str) -> bytes:
    return bytes((len(address),)) + address + denom.encode()
