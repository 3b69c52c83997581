"""Accounts and bank of the recorded hosts, where SDK 0.54 differs from the reference host.

An account number is derived from the block, the transaction and the address instead of counted
(x/auth/types/account_id.go); a module account is created when the module first mints or burns.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Final

from google.protobuf.any_pb2 import Any as PbAny

from conformance.transcripts.document import Message
from pyibc.chain import events
from pyibc.chain.accounts.keeper import ACCOUNTS, STORE, Account, Accounts, decode_account
from pyibc.chain.bank.keeper import STORE as BANK_STORE
from pyibc.chain.bank.keeper import BankKeeper
from pyibc.chain.config import module_address
from pyibc.core.address import Address
from pyibc.core.coin import Coin, coin
from pyibc.core.host.context import WriteContext
from pyibc.core.host.overlay import BlockContext
from pyibc.core.numbers import MAX_U64, be8

BLOCKED: Final = (
    "fee_collector", "distribution", "mint", "bonded_tokens_pool", "not_bonded_tokens_pool",
    "transfer", "interchainaccounts", "ratelimit",
)  # fmt: skip
"""Blocked module accounts of ibc-go's testing application (gov and mock may receive coins)."""
NO_TX: Final = -1
"""Transaction index outside of transactions."""
_FIRST_NUMBER: Final = 2**63
_MODULES: Final = {module_address(name): name for name in ("transfer",)}


class RecordedAccounts(Accounts):
    """Accounts with the numbers of SDK 0.54; `tx_index` is the index of the current transaction."""

    def __init__(self) -> None:
        self.tx_index = NO_TX

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> Account:
        """Create an account with the number that x/auth would assign."""
        told = be8(ctx.height.revision_height) + ctx.app_hash + be8(self.tx_index & MAX_U64)
        digest = sha256(told + address.raw + module.encode()).digest()
        number = int.from_bytes(digest[:8], "big") | _FIRST_NUMBER
        account = Account(address.text, b"", number, 0, module, owner)
        self.put(ctx, address.raw, account)
        return account

    def adopt(self, ctx: WriteContext, address: Address, packed: Message) -> None:
        """Store an account as recorded."""
        raw = PbAny(type_url=packed.type_url, value=packed.value).SerializeToString()
        ctx.store(STORE).set(ACCOUNTS + address.raw, raw)

    def made(
        self, ctx: BlockContext, before: Callable[[bytes], bytes | None]
    ) -> Iterator[tuple[str, int, Message]]:
        """Return address, number and Any of the accounts that a block created."""
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
        """Mint coins to a module account, which is created if needed."""
        self._ensure_module(ctx, module)
        super().mint(ctx, module, amount)

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Burn coins of a module account, which is created if needed."""
        self._ensure_module(ctx, module)
        super().burn(ctx, module, amount)

    def bond(self, ctx: WriteContext, delegator: Address, pool: Address, amount: Coin) -> None:
        """Move delegated coins to a pool; raises InsufficientBalance."""
        store = ctx.store(BANK_STORE)
        self._take(store, delegator, amount)
        ctx.emit(events.coin_spent(delegator.text, amount.text))
        self._give(store, pool, amount)
        ctx.emit(events.coin_received(pool.text, amount.text))

    def set_supply(self, ctx: WriteContext, rest: Address, denom: str, amount: int) -> None:
        """Set a denomination's supply to `amount`, by assigning the unrecorded remainder to `rest`."""
        more = amount - self.supply(ctx, denom)
        if more > 0:
            self.endow(ctx, rest, coin(denom, more))
        elif more < 0:
            super().burn(ctx, rest, coin(denom, -more))

    def _ensure_module(self, ctx: WriteContext, module: Address) -> None:
        if self._made.get(ctx, module.raw) is None:
            self._made.create(ctx, module, _MODULES.get(module.raw, ""))
