"""Two chains with users, on one clock."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from ibc_core.any_message import AnyMessage
from ibc_core.channel.types import Order
from ibc_core.coin import Coin, coin
from ibc_core.host.block import TxOutcome
from ibc_module.plugin import Config, IbcPlugin, plugins
from ibc_relayer.link import Link
from ibc_relayer.open_clients import make_client_path
from ibc_relayer.open_path import make_path
from ibc_relayer.path import AnyPath, ClientPath, Path
from ibc_relayer.wallet import Wallet
from ibc_testing.clock import ManualClock
from ibc_testing.numbers import SHIFTED, Numbers
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.genesis import Genesis, funded
from localnet.host.config import HostConfig

FUNDS = (coin("stake", 10**12),)
RELAYER = "relayer"

Plugins = Callable[[], Sequence[object]]
"""Makes the plugins of one chain: each chain gets its own."""


class Party:
    """One chain, its users' wallets, and the relayer's endpoint to it."""

    def __init__(self, chain: LocalChain, users: dict[str, Wallet]) -> None:
        """`users` has the relayer too."""
        self.chain = chain
        self.users = users
        self.endpoint = LocalEndpoint(chain, users[RELAYER])

    def address(self, user: str) -> str:
        """A user's address on this chain."""
        return self.users[user].address.text

    def balance(self, user: str, denom: str) -> int:
        """What a user holds after the last block."""
        app = self.chain.app
        return app.bank.balance(app.query_context(), self.users[user].address.raw, denom)

    def execute(self, user: str, *messages: AnyMessage) -> TxOutcome:
        """Signs one transaction, puts it into a block of its own and returns what came of it."""
        return LocalEndpoint(self.chain, self.users[user]).submit(messages)


class TwoChains:
    """Two parties and the time they share."""

    def __init__(self, a: Party, b: Party, clock: ManualClock) -> None:
        self.a = a
        self.b = b
        self.clock = clock

    def open(self, port: str | tuple[str, str], order: Order, version: str) -> Path:
        """An open channel, with the clients and the connection it needs; made by the relayer's module.

        What exists is reused, a channel too: a second one is
        `make_path(self.a.endpoint, self.b.endpoint, ..., new_channel=True)`.
        """
        return make_path(self.a.endpoint, self.b.endpoint, port, order, version)

    def open_clients(self) -> ClientPath:
        """Two clients that carry packets of IBC v2; made by the relayer's module."""
        return make_client_path(self.a.endpoint, self.b.endpoint)

    def link(self, *paths: AnyPath) -> Link:
        """A relayer of these channels and pairs of clients."""
        return Link(paths, self.a.endpoint, self.b.endpoint)

    def relay(self, *paths: AnyPath) -> None:
        """Relays until nothing is pending."""
        link = self.link(*paths)
        try:
            link.until_idle()
        finally:
            link.close()

    def close(self) -> None:
        """Lets go of both chains."""
        self.a.chain.close()
        self.b.chain.close()


def ibc_plugins() -> Sequence[object]:
    """IBC with ICS-20, for addresses with the prefix `cosmos`."""
    return plugins(Config())


def two_chains(
    *,
    plugins: Plugins = ibc_plugins,
    users: Sequence[str] = ("alice", "bob"),
    funds: Sequence[Coin] = FUNDS,
    chain_ids: tuple[str, str] = ("chain-a-1", "chain-b-1"),
    validators: int = 4,
    home: FilePath | None = None,
    clock: ManualClock | None = None,
    config: HostConfig | None = None,
) -> TwoChains:
    """Two chains in this process, whose clients, connections and channels begin at different numbers.

    Args:
        plugins: Makes the plugins of each chain, beside accounts and coins.
        users: Names; each has `funds` on both chains. A relayer is added.
        funds: Coins of each user.
        chain_ids: Of the two chains.
        validators: How many each has.
        home: Folder of their state; None: in memory.
        clock: The time they share; None: one that starts at the same time always.
        config: The rules of both; the chain id in it is replaced.
    """
    time = clock or ManualClock()
    a, b = make_parties(
        dict(zip(chain_ids, (Numbers(), SHIFTED), strict=True)),
        plugins=plugins,
        users=users,
        funds=dict.fromkeys(chain_ids, funds),
        validators=validators,
        home=home,
        clock=time,
        config=config,
    )
    return TwoChains(a, b, time)


def make_parties(
    numbers: Mapping[str, Numbers],
    *,
    plugins: Plugins,
    users: Sequence[str],
    funds: Mapping[str, Sequence[Coin]],
    clock: ManualClock,
    validators: int = 4,
    home: FilePath | None = None,
    config: HostConfig | None = None,
) -> list[Party]:
    """Chains with the same users and a relayer: `numbers` and `funds` by their ids; else as `two_chains`."""
    wallets = {name: Wallet.from_seed(name, "cosmos") for name in (*users, RELAYER)}
    parties = []
    for chain_id, first in numbers.items():
        listed = plugins()
        state = funded((wallet.address.text, funds[chain_id]) for wallet in wallets.values())
        chain = LocalChain(
            chain_id,
            home / chain_id if home else None,
            plugins=listed,
            config=config or HostConfig(chain_id),
            genesis=Genesis(_numbered(state, listed, first), clock.now_ns, validators),
            clock=clock,
        )
        parties.append(Party(chain, wallets))
    return parties


def _numbered(state: Mapping[str, Any], listed: Sequence[object], numbers: Numbers) -> Mapping[str, Any]:
    has_ibc = any(isinstance(plugin, IbcPlugin) for plugin in listed)
    return {**state, **numbers.app_state()} if has_ibc else state
