"""Accounts and coins of the recorded hosts: what SDK 0.54 does other than the reference host.

An account's number is made of the block, the transaction and the address, not counted
(x/auth/types/account_id.go); a module's account is made when the module first mints or burns.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Final

from google.protobuf.any_pb2 import Any as PbAny

from conformance.transcripts.document import Message
from ibc_core.address import Address
from ibc_core.coin import Coin, coin
from ibc_core.host.context import WriteContext
from ibc_core.host.overlay import BlockContext
from ibc_core.numbers import MAX_U64, be8
from localnet.host import events
from localnet.host.accounts import ACCOUNTS, STORE, Account, Accounts, decode_account
from localnet.host.bank import STORE as BANK_STORE
from localnet.host.bank import BankKeeper
from localnet.host.config import module_address

BLOCKED: Final = (
    "fee_collector", "distribution", "mint", "bonded_tokens_pool", "not_bonded_tokens_pool",
    "transfer", "interchainaccounts", "ratelimit",
)  # fmt: skip
"""Blocked module accounts of ibc-go's testing application (gov and mock may receive coins)."""
NO_TX: Final = -1
"""The index of the transaction under way where there is none."""
_FIRST_NUMBER: Final = 2**63
_MODULES: Final = {module_address(name): name for name in ("transfer",)}


class RecordedAccounts(Accounts):
    """Accounts whose numbers are those of SDK 0.54; `tx_index` says which transaction is under way."""

    def __init__(self) -> None:
        self.tx_index = NO_TX

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> Account:
        """Creates an account with the number that x/auth would give it here."""
        told = be8(ctx.height.revision_height) + ctx.app_hash + be8(self.tx_index & MAX_U64)
        digest = sha256(told + address.raw + module.encode()).digest()
        number = int.from_bytes(digest[:8], "big") | _FIRST_NUMBER
        account = Account(address.text, b"", number, 0, module, owner)
        self.put(ctx, address.raw, account)
        return account

    def adopt(self, ctx: WriteContext, address: Address, packed: Message) -> None:
        """Stores an account as the recorded chain has it."""
        raw = PbAny(type_url=packed.type_url, value=packed.value).SerializeToString()
        ctx.store(STORE).set(ACCOUNTS + address.raw, raw)

    def made(
        self, ctx: BlockContext, before: Callable[[bytes], bytes | None]
    ) -> Iterator[tuple[str, int, Message]]:
        """Address, number and Any of the accounts that a block made."""
        for key, raw in ctx.writes(STORE):
            if key.startswith(ACCOUNTS) and raw is not None and before(key) is None:
                packed, account = PbAny.FromString(raw), decode_account(raw)
                yield account.address, account.number, Message(packed.type_url, packed.value)


class RecordedBank(BankKeeper):
    """The bank of a recorded host."""

    def __init__(self, accounts: Accounts) -> None:
        super().__init__(accounts, BLOCKED)
        self._made = accounts

    def mint(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Mints coins to a module account, which is created with it."""
        self._ensure_module(ctx, module)
        super().mint(ctx, module, amount)

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Burns coins of a module account, which is created with it."""
        self._ensure_module(ctx, module)
        super().burn(ctx, module, amount)

    def bond(self, ctx: WriteContext, delegator: Address, pool: Address, amount: Coin) -> None:
        """Moves coins that are delegated; raises InsufficientBalance."""
        store = ctx.store(BANK_STORE)
        self._take(store, delegator, amount)
        ctx.emit(events.coin_spent(delegator.text, amount.text))
        self._give(store, pool, amount)
        ctx.emit(events.coin_received(pool.text, amount.text))

    def set_supply(self, ctx: WriteContext, rest: Address, denom: str, amount: int) -> None:
        """Makes a denomination's supply `amount`: what the recording does not show is `rest`'s."""
        more = amount - self.supply(ctx, denom)
        if more > 0:
            self.endow(ctx, rest, coin(denom, more))
        elif more < 0:
            super().burn(ctx, rest, coin(denom, -more))

    def _ensure_module(self, ctx: WriteContext, module: Address) -> None:
        if self._made.get(ctx, module.raw) is None:
            self._made.create(ctx, module, _MODULES.get(module.raw, ""))
