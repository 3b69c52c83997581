"""The plugin that gives a host chain IBC.

A host makes a `Pipeline` of its own plugins and of `plugins(config)`, and calls the pipeline's hooks as
its blocks go by. Nothing else of this distribution needs to be imported. Options are plugins that a host
lists besides: `ibc_module.queue.plugin.QueuePlugin`, `ibc_module.direct.plugin.DirectPlugin`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from handlers import redundancy
from handlers.client import software_upgrade
from handlers.dispatch import HANDLERS, routes
from ibc_core.config import Config
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.gas import DEFAULT_PRICES, Prices
from ibc_core.host.routes import CheckedMessage, MessageRoute, QueryRoute
from ibc_core.host.shipped import shipped
from ibc_core.paths import STORE_NAME, UPGRADE_STORE_NAME
from ibc_module import genesis as ibc_genesis
from ibc_module import hookimpl, queries
from ibc_module.apps.transfer.plugin import TransferPlugin
from ibc_module.at_wiring import AtWiring
from ibc_module.pipeline import Pipeline
from ibc_module.wiring import wire
from ibc_module.wiring_error import WiringError
from keepers.keepers import Keepers
from light_client.attestations.client import AttestationsLightClient
from light_client.interface import LightClient
from light_client.registry import builtin

__all__ = [
    "AttestationsPlugin",
    "Config",
    "IbcPlugin",
    "LightClientsPlugin",
    "Pipeline",
    "WiringError",
    "plugins",
]


def plugins(config: Config, *, transfer: bool = True) -> list[object]:
    """IBC for a host, as a list to append to the host's own plugins.

    `transfer`: with ICS-20, which needs a plugin of the host's that offers its coins (`ibc_bank`).
    """
    parts: list[object] = [IbcPlugin(config), LightClientsPlugin(config.prices)]
    if transfer:
        parts.append(TransferPlugin())
    return parts


@shipped
class LightClientsPlugin:
    """The light clients that this distribution brings, through the hook that is open to every other."""

    def __init__(self, prices: Prices = DEFAULT_PRICES) -> None:
        """`prices`: gas of what they verify."""
        self._prices = prices

    @hookimpl
    def ibc_register_light_clients(self) -> Iterable[LightClient]:
        """07-tendermint, 06-solomachine, 09-localhost."""
        return builtin(self._prices)


@shipped
class AttestationsPlugin:
    """The light client `attestations`: a chain is believed where enough of a fixed set have signed.

    No part of `plugins`: a host lists it where it wants such clients (docs/attestations.md).
    """

    def __init__(self, prices: Prices = DEFAULT_PRICES) -> None:
        """`prices`: gas of the signatures that it verifies."""
        self._prices = prices

    @hookimpl
    def ibc_register_light_clients(self) -> Iterable[LightClient]:
        """The one light client."""
        return (AttestationsLightClient(self._prices),)


@shipped
class IbcPlugin:
    """Clients, connections, channels and packets of one chain."""

    keepers = AtWiring[Keepers]()
    """The chain's keepers."""

    def __init__(self, config: Config) -> None:
        self.config = config

    @hookimpl
    def chain_wired(self, pipeline: Pipeline) -> None:
        """Builds the module from what the other plugins register.

        Raises:
            WiringError: the host is set up wrongly.
        """
        if "keepers" in vars(self):
            raise WiringError("one IbcPlugin is listed in two pipelines: make one of its own for each chain")
        self.keepers = wire(pipeline, self.config)
        pipeline.wired(self.keepers)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """`ibc` and `upgrade`: counterparties prove against them."""
        return (STORE_NAME, UPGRADE_STORE_NAME)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Every message of ICS-2, ICS-3 and ICS-4, and of IBC v2."""
        return routes(self.keepers, HANDLERS)

    @hookimpl
    def chain_check_tx(self, ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
        """Refuses redundant transactions of relayers (CheckTx).

        Raises:
            RedundantTx: nothing is left to do in any of its packet messages.
            IbcError: one of its messages would fail in a block.
        """
        strict = self.config.strict_mempool
        redundancy.check(self.keepers, ctx, messages, recheck=recheck, strict=strict)

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Queries of clients, connections, channels and packets."""
        return queries.routes(self.keepers)

    @hookimpl
    def chain_begin_block(self, ctx: WriteContext) -> None:
        """Before a planned upgrade, commits to the upgraded consensus state."""
        software_upgrade.begin_block(self.keepers, ctx)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Writes the first state.

        Raises:
            InvalidGenesis: an entry is malformed; the message names key and value.
        """
        ibc_genesis.init(self.keepers, ctx, self.config, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """The whole state."""
        return ibc_genesis.export(ctx)
