"""Two chains with users, on one clock."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from ibc_module.plugin import Config, IbcPlugin
from localnet.endpoint import LocalEndpoint
from localnet.settings import Genesis, funded
from pyibc.chain.config import HostConfig
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.coin import Coin, coin
from pyibc.core.host.block import TxOutcome
from pyibc.default_plugins import plugins
from pyibc.relayer.links.link import Link
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_client_path, make_path
from pyibc.relayer.paths.path import AnyPath, ClientPath, Path
from pyibc.testing.faults import without_waiting
from pyibc.testing.watched_chain import WatchedChain

# -- A clock controlled by the test

SECOND = 1_000_000_000
"""One second in nanoseconds, the chains' unit of time."""
START_NS = 1_700_000_000 * SECOND


class ManualClock:
    """A clock for chains: each reading, one per block, advances it by a step."""

    def __init__(self, now_ns: int = START_NS, step_ns: int = SECOND) -> None:
        """Start at `now_ns`, unix nanoseconds."""
        self.now_ns = now_ns
        self.step_ns = step_ns

    def __call__(self) -> int:
        """Return the time of the next block, unix nanoseconds."""
        self.now_ns += self.step_ns
        return self.now_ns

    def advance(self, by_ns: int) -> None:
        """Advance the clock without blocks; a negative value moves it back."""
        self.now_ns += by_ns


# -- first numbers of identifiers: different on each chain, so that confusing two channel ends is detected


class Numbers(NamedTuple):
    """Numbers of the first client, connection and channel that a chain creates."""

    client: int = 0
    connection: int = 0
    channel: int = 0

    def app_state(self) -> dict[str, Any]:
        """Return the genesis sections that set the numbers, for `Genesis.app_state`."""
        return {
            "ibc": {
                "client_genesis": {"next_client_sequence": str(self.client)},
                "connection_genesis": {"next_connection_sequence": str(self.connection)},
                "channel_genesis": {"next_channel_sequence": str(self.channel)},
            }
        }


SHIFTED = Numbers(client=3, connection=5, channel=8)
"""Numbers of one chain of two; the other chain's begin at zero."""
THIRD = Numbers(client=7, connection=2, channel=4)
"""Numbers of the third chain of three."""


# -- the chains

FUNDS = (coin("stake", 10**12),)
RELAYER = "relayer"

Plugins = Callable[[], Sequence[object]]
"""Function that creates the plugins of one chain: each chain gets its own."""


class Party:
    """One chain, its users' wallets, and the relayer's endpoint to it."""

    def __init__(self, chain: WatchedChain, users: dict[str, Wallet]) -> None:
        """Create a party; `users` includes the relayer."""
        self.chain = chain
        self.users = users
        self.endpoint = LocalEndpoint(chain, users[RELAYER])

    def address(self, user: str) -> str:
        """Return a user's address on this chain."""
        return self.users[user].address.text

    def balance(self, user: str, denom: str) -> int:
        """Return a user's balance after the last block."""
        app = self.chain.app
        return app.bank.balance(app.query_context(), self.users[user].address.raw, denom)

    def execute(self, user: str, *messages: AnyMessage) -> TxOutcome:
        """Sign one transaction, execute it in its own block and return its outcome.

        An exception in an application is raised here, with its traceback; see `faults_answered`.
        """
        return LocalEndpoint(self.chain, self.users[user]).submit(messages)


class TwoChains:
    """Two parties with a common clock."""

    def __init__(self, a: Party, b: Party, clock: ManualClock) -> None:
        self.a = a
        self.b = b
        self.clock = clock

    def open(self, port: str | tuple[str, str], order: Order, version: str) -> Path:
        """Open a channel, with the clients and the connection that it needs, by means of the relayer.

        Existing objects are reused, including a channel; for a second one call
        `make_path(self.a.endpoint, self.b.endpoint, ..., new_channel=True)`.
        """
        return make_path(self.a.endpoint, self.b.endpoint, port, order, version)

    def open_clients(self) -> ClientPath:
        """Create two clients that carry packets of IBC v2, by means of the relayer."""
        return make_client_path(self.a.endpoint, self.b.endpoint)

    def link(self, *paths: AnyPath) -> Link:
        """Return a relayer of these channels and pairs of clients."""
        return Link(paths, self.a.endpoint, self.b.endpoint, options=without_waiting())

    def relay(self, *paths: AnyPath) -> None:
        """Relay until nothing is pending."""
        link = self.link(*paths)
        try:
            link.until_idle()
        finally:
            link.close()

    def close(self) -> None:
        """Close both chains."""
        self.a.chain.close()
        self.b.chain.close()


@contextmanager
def faults_answered(*parties: Party) -> Iterator[None]:
    """Let the chains answer exceptions of applications inside the `with` block, with `undefined/111222`.

    Outside of it the call that ran the application raises the exception, after the block is committed.
    """
    before = [party.chain.answers_faults for party in parties]
    for party in parties:
        party.chain.answers_faults = True
    try:
        yield
    finally:
        for party, answered in zip(parties, before, strict=True):
            party.chain.answers_faults = answered


def ibc_plugins() -> Sequence[object]:
    """Return the IBC plugin with ICS-20, for addresses with the prefix `cosmos`."""
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
    """Create two chains in this process, whose clients, connections and channels have different numbers.

    Args:
        plugins: Creates the plugins of each chain, in addition to accounts and bank.
        users: Names of users; each has `funds` on both chains. A relayer is added.
        funds: Coins of each user.
        chain_ids: Ids of the two chains.
        validators: Number of validators of each chain.
        home: Folder of their state; None keeps it in memory.
        clock: Common clock; None for one that always starts at the same time.
        config: Configuration of both chains; its chain id is replaced.
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
    """Create chains with the same users and a relayer; `numbers` and `funds` are by chain id."""
    wallets = {name: Wallet.from_seed(name, "cosmos") for name in (*users, RELAYER)}
    parties = []
    for chain_id, first in numbers.items():
        listed = plugins()
        state = funded((wallet.address.text, funds[chain_id]) for wallet in wallets.values())
        chain = WatchedChain(
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
