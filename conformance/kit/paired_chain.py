"""One chain of a pair, with its accounts, its scripted application and its clients' names."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.kit.encode import to_any
from conformance.kit.scripted_app import ScriptedApp, ScriptedPlugin
from handlers.packet.sender import CoreSender
from handlers.wired import Wired
from ibc_core.coin import Coin, coin
from ibc_core.height import Height
from ibc_core.host.block import TxOutcome
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_module.plugin import Config, IbcPlugin, QueueConfig, QueuePlugin, plugins
from ibc_relayer.path import PathEnd
from ibc_relayer.wallet import Wallet
from keepers.keepers import Keepers
from keepers.queue.keepers import QueueKeepers
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.genesis import Genesis, funded

NEVER = Height(1, 1_000_000)
"""A timeout that no test reaches."""

FEE_COINS = coin("stake", 10**12)


class PairedChain:
    """One chain in memory: IBC, ICS-20, a scripted application, a relayer's account and a user's.

    Args:
        chain_id: Its id.
        clock: Of its blocks; the same for all chains that are to agree on the time.
        coins: What the user holds.
        extra: More plugins, after ours.
        config: Of the IBC module.
        ics4: Whether it has the messages of ICS-4's first text.
        queue: Of the queue protocol; None: the chain has no queues.
        **chain: Further options of `LocalChain` (config of the host, number of validators in the genesis).
    """

    def __init__(
        self,
        chain_id: str,
        clock: Callable[[], int],
        coins: Sequence[Coin] = (),
        extra: Sequence[object] = (),
        config: Config | None = None,
        ics4: bool = False,
        queue: QueueConfig | None = None,
        **chain: Any,
    ) -> None:
        relayer, user = (Wallet.from_seed(f"{name}/{chain_id}", "cosmos") for name in ("relayer", "user"))
        holders = [(relayer.address.text, [FEE_COINS]), (user.address.text, [*coins, FEE_COINS])]
        self.scripted = ScriptedPlugin()
        ours = plugins(config or Config(), ics4=ics4, queue=queue)
        self._ibc = next(plugin for plugin in ours if isinstance(plugin, IbcPlugin))
        self._queues = next((plugin for plugin in ours if isinstance(plugin, QueuePlugin)), None)
        self.chain = LocalChain(
            chain_id,
            plugins=[*ours, self.scripted, *extra],
            genesis=Genesis(app_state=funded(holders)),
            clock=clock,
            **chain,
        )
        self.relayer = LocalEndpoint(self.chain, relayer)
        self.user = LocalEndpoint(self.chain, user)
        self.client_id = ""
        """Of the other chain, once the two are connected."""

    @property
    def core(self) -> CoreSender:
        """Sends, answers and closes on whatever port: what a test does in an application's place."""
        wired = Wired()
        wired.bind(self.keepers)
        return CoreSender(wired)

    @property
    def keepers(self) -> Keepers:
        """The chain's keepers, to meddle with its state."""
        return self._ibc.keepers

    @property
    def queues(self) -> QueueKeepers:
        """The chain's queues, to meddle with their state.

        Raises:
            ValueError: it has none.
        """
        if self._queues is None:
            raise ValueError(f"{self.chain.chain_id} has no queues")
        return self._queues.keepers

    @property
    def app(self) -> ScriptedApp:
        """The application on port `mock`."""
        return self.scripted.app

    def submit(self, *messages: Any) -> TxOutcome:
        """One transaction of the relayer's, in a block of its own."""
        return self.relayer.submit([to_any(message) for message in messages])

    def submit_as_user(self, *messages: Any) -> TxOutcome:
        """One transaction of the user's, in a block of its own."""
        return self.user.submit([to_any(message) for message in messages])

    def inside(self, action: Callable[[WriteContext], Any]) -> Any:
        """Runs `action` at the beginning of a new block, as a module does; returns what it returned."""
        results: list[Any] = []
        self.scripted.at_begin.append(lambda ctx: results.append(action(ctx)))
        self.chain.make_block([])
        return results[0]

    def send(
        self,
        from_end: PathEnd,
        to_end: PathEnd,
        data: bytes,
        timeout_height: Height = NEVER,
        timeout_ns: int = 0,
    ) -> Packet:
        """Sends a packet from inside a block; returns it."""
        port, channel = from_end.port_id, from_end.channel_id
        sequence = self.inside(
            lambda ctx: self.core.send_packet(ctx, port, channel, timeout_height, timeout_ns, data)
        )
        return Packet(
            sequence, port, channel, to_end.port_id, to_end.channel_id, data, timeout_height, timeout_ns
        )

    def balance(self, holder: bytes, denom: str) -> int:
        """What an account holds after the last block."""
        return self.chain.app.bank.balance(self.chain.app.query_context(), holder, denom)
