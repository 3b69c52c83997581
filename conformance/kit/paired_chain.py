"""One chain of a pair, with its accounts, scripted application and client id."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.kit.encode import to_any
from conformance.kit.scripted_app import ScriptedApp, ScriptedPlugin
from conformance.kit.sides import ALONE, Side
from handlers.keepers_ref import KeepersRef
from handlers.packet.sender import CoreSender
from ibc_module.plugin import Config, IbcPlugin
from keepers.keepers import Keepers
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.settings import Genesis, funded
from pyibc.core.coin import Coin, coin
from pyibc.core.height import Height
from pyibc.core.host.block import TxOutcome
from pyibc.core.host.context import WriteContext
from pyibc.core.packet.types import Packet
from pyibc.default_plugins import plugins
from pyibc.direct.plugin import DirectPlugin
from pyibc.queues.keepers import QueueKeepers
from pyibc.queues.packet import QueueConfig
from pyibc.queues.plugin import QueuePlugin
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.path import PathEnd

NEVER = Height(1, 1_000_000)
"""A timeout height that no test reaches."""

FEE_COINS = coin("stake", 10**12)


Extra = Sequence[object] | Callable[[], Sequence[object]]
"""Additional plugins, or a function that returns them."""


def made(extra: Extra) -> Sequence[object]:
    """Return the additional plugins."""
    return extra() if callable(extra) else extra


class PairedChain:
    """An in-memory chain with IBC, ICS-20, a scripted application, a relayer's account and a user's.

    Args:
        chain_id: The chain id.
        clock: The clock for block times, usually shared with the other chain.
        coins: Balances of the user account.
        extra: Plugins after the default ones, or a function that returns them, if each chain needs
            its own.
        config: Configuration of the IBC module.
        direct: Whether modules may call the handlers directly (`DirectPlugin`).
        queue: Configuration of the queue protocol; None disables it.
        side: The scripted application's port and the chain's first identifiers.
        **chain: Further arguments of `LocalChain`.
    """

    def __init__(
        self,
        chain_id: str,
        clock: Callable[[], int],
        coins: Sequence[Coin] = (),
        extra: Extra = (),
        config: Config | None = None,
        *,
        direct: bool = False,
        queue: QueueConfig | None = None,
        side: Side = ALONE,
        **chain: Any,
    ) -> None:
        relayer, user = (Wallet.from_seed(f"{name}/{chain_id}", "cosmos") for name in ("relayer", "user"))
        holders = [(relayer.address.text, [FEE_COINS]), (user.address.text, [*coins, FEE_COINS])]
        self.port = side.port
        self.scripted = ScriptedPlugin(side.port)
        ours = plugins(config or Config())
        self._ibc = next(plugin for plugin in ours if isinstance(plugin, IbcPlugin))
        self._queues = None if queue is None else QueuePlugin(queue)
        ours += [DirectPlugin()] * direct + [each for each in [self._queues] if each is not None]
        self.chain = LocalChain(
            chain_id,
            plugins=[*ours, self.scripted, *made(extra)],
            genesis=Genesis(app_state={**funded(holders), **side.numbers.app_state()}),
            clock=clock,
            **chain,
        )
        self.relayer = LocalEndpoint(self.chain, relayer)
        self.user = LocalEndpoint(self.chain, user)
        self.client_id = ""
        """Id of the client of the other chain, once connected."""

    @property
    def core(self) -> CoreSender:
        """Services that send, acknowledge and close on any port, in place of an application."""
        ref: KeepersRef[Keepers] = KeepersRef()
        ref.bind(self.keepers)
        return CoreSender(ref)

    @property
    def keepers(self) -> Keepers:
        """Keepers of the chain, for direct changes to its state."""
        return self._ibc.keepers

    @property
    def queues(self) -> QueueKeepers:
        """Queue keepers of the chain, for direct changes to their state.

        Raises:
            ValueError: queues are disabled.
        """
        if self._queues is None:
            raise ValueError(f"{self.chain.chain_id} has no queues")
        return self._queues.keepers

    @property
    def app(self) -> ScriptedApp:
        """Return the scripted application on `port`."""
        return self.scripted.app

    def submit(self, *messages: Any) -> TxOutcome:
        """Submit one transaction of the relayer, in its own block."""
        return self.relayer.submit([to_any(message) for message in messages])

    def submit_as_user(self, *messages: Any) -> TxOutcome:
        """Submit one transaction of the user, in its own block."""
        return self.user.submit([to_any(message) for message in messages])

    def inside(self, action: Callable[[WriteContext], Any]) -> Any:
        """Run `action` at the beginning of a new block, as a module would; return its result."""
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
        """Send a packet from inside a block."""
        port, channel = from_end.port_id, from_end.channel_id
        sequence = self.inside(
            lambda ctx: self.core.send_packet(ctx, port, channel, timeout_height, timeout_ns, data)
        )
        return Packet(
            sequence, port, channel, to_end.port_id, to_end.channel_id, data, timeout_height, timeout_ns
        )

    def balance(self, holder: bytes, denom: str) -> int:
        """Return an account's balance after the last block."""
        return self.chain.app.bank.balance(self.chain.app.query_context(), holder, denom)
