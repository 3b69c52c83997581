"""Genesis of a walk's chain, in the format of a transcript."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from conformance.memory import MemoryStore
from conformance.transcripts.reader import STORES
from conformance.transcripts.simapp import PREFIX, SIMAPP, RecordedHost
from conformance.walks.record import store_start
from ibc_module.pipeline import Pipeline
from pyibc.chain.accounts.keeper import Accounts
from pyibc.chain.accounts.plugin import AccountsPlugin
from pyibc.chain.bank.keeper import BankKeeper
from pyibc.chain.bank.plugin import BankPlugin
from pyibc.chain.config import module_address
from pyibc.core.address import AddressCodec
from pyibc.core.host.overlay import BlockContext
from pyibc.core.paths import STORE_NAME

ADDRESSES = AddressCodec(PREFIX)
AUTHORITY = ADDRESSES.encode(module_address("gov")).text
"""The authority: the governance module account."""

COINS = ("stake", "ufoo", "with/slashes/in", "a" * 128)
RICHES = 10**19


Past = Iterable[tuple[bytes, bytes]]
"""Entries of the `ibc` store that a chain starts with, like an older one."""


def account(name: str) -> str:
    """Return an account's address, derived from its name."""
    return ADDRESSES.encode(module_address(f"account {name}")).text


def document(chain_id: str, time_ns: int, holders: Sequence[str], past: Past = ()) -> dict[str, Any]:
    """Return a chain after block 1, with its genesis state and `past`; `WalkChain` adds the root."""
    ctx, names = _first_block(chain_id, time_ns)
    for key, value in past:
        ctx.store(STORE_NAME).set(key, value)
    stores = {name: store_start(ctx.writes(name), 1) for name in STORES if name in names}
    balances = [
        {"address": holder, "denom": denom, "amount": str(RICHES)} for holder in holders for denom in COINS
    ]
    return {
        "chain_id": chain_id,
        "height": 1,
        "time_ns": time_ns,
        "stores": stores,
        "balances": balances,
    }


def _first_block(chain_id: str, time_ns: int) -> tuple[BlockContext, Collection[str]]:
    accounts = Accounts()
    host = [AccountsPlugin(accounts, ADDRESSES), BankPlugin(BankKeeper(accounts, ()), ADDRESSES)]
    pipeline = Pipeline([*host, *RecordedHost(SIMAPP, AUTHORITY).plugins])
    names = pipeline.stores()
    ctx = BlockContext(chain_id, 1, time_ns, {name: MemoryStore() for name in names})
    pipeline.init_genesis(ctx, {})
    return ctx, names
