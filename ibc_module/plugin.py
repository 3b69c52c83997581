"""Plugin that gives a host chain IBC.

A host builds a `Pipeline` from its own plugins and `plugins(config)`, and calls the pipeline's hooks for each
block. It needs no other import of this distribution. Options are plugins that a host lists in addition:
`pyibc.queues.plugin.QueuePlugin`, `pyibc.direct.plugin.DirectPlugin`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from handlers import redundancy
from handlers.client import software_upgrade
from handlers.dispatch import HANDLERS, routes
from ibc_module import genesis as ibc_genesis
from ibc_module import hookimpl, queries
from ibc_module.pipeline import Pipeline
from ibc_module.registration import AtWiring
from ibc_module.wiring import wire
from keepers.keepers import Keepers
from light_client.attestations.client import AttestationsLightClient
from light_client.interface import LightClient
from light_client.registry import builtin_light_clients
from pyibc.core.host.context import (
    CheckedMessage,
    Config,
    MessageRoute,
    QueryRoute,
    ReadContext,
    WriteContext,
)
from pyibc.core.host.gas import DEFAULT_PRICES, Prices
from pyibc.core.paths import STORE_NAME, UPGRADE_STORE_NAME
from pyibc.core.setup_error import WiringError
from pyibc.isolation.isolate import builtin

__all__ = [
    "AttestationsPlugin",
    "Config",
    "IbcPlugin",
    "LightClientsPlugin",
    "Pipeline",
    "WiringError",
]


@builtin
class LightClientsPlugin:
    """Builtin light clients, registered through the public hook."""

    def __init__(self, prices: Prices = DEFAULT_PRICES) -> None:
        """Set the gas prices of verification."""
        self._prices = prices

    @hookimpl
    def ibc_register_light_clients(self) -> Iterable[LightClient]:
        """Register 07-tendermint, 06-solomachine and 09-localhost."""
        return builtin_light_clients(self._prices)


@builtin
class AttestationsPlugin:
    """Light client `attestations`: trusts a state that enough of a fixed set of attestors have signed.

    Not part of `plugins`: a host lists it to support such clients (docs/attestations.md).
    """

    def __init__(self, prices: Prices = DEFAULT_PRICES) -> None:
        """Set the gas prices of signature verification."""
        self._prices = prices

    @hookimpl
    def ibc_register_light_clients(self) -> Iterable[LightClient]:
        """Register the light client."""
        return (AttestationsLightClient(self._prices),)


@builtin
class IbcPlugin:
    """Clients, connections, channels and packets of one chain."""

    keepers = AtWiring[Keepers]()
    """Keepers of the chain, set at wiring."""

    def __init__(self, config: Config) -> None:
        self.config = config

    @hookimpl
    def chain_wired(self, pipeline: Pipeline) -> None:
        """Build the module from the other plugins' registrations.

        Raises:
            WiringError: the host is set up incorrectly.
        """
        if "keepers" in vars(self):
            raise WiringError("one IbcPlugin is listed in two pipelines: create one for each chain")
        self.keepers = wire(pipeline, self.config)
        pipeline.wired(self.keepers)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the stores `ibc` and `upgrade`; counterparties verify proofs of both."""
        return (STORE_NAME, UPGRADE_STORE_NAME)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route the messages of ICS-2, ICS-3 and ICS-4, and of IBC v2."""
        return routes(self.keepers, HANDLERS)

    @hookimpl
    def chain_check_tx(self, ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
        """Refuse redundant relay transactions (CheckTx).

        Raises:
            RedundantTx: all of its packet messages are redundant.
            IbcError: one of its messages would fail in a block.
        """
        strict = self.config.strict_mempool
        redundancy.check(self.keepers, ctx, messages, recheck=recheck, strict=strict)

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Route the queries of clients, connections, channels and packets."""
        return queries.routes(self.keepers)

    @hookimpl
    def chain_begin_block(self, ctx: WriteContext) -> None:
        """Commit to the upgraded consensus state in the block before a planned upgrade."""
        software_upgrade.begin_block(self.keepers, ctx)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Write the initial state.

        Raises:
            InvalidGenesis: an entry is malformed; the message has key and value.
        """
        ibc_genesis.init(self.keepers, ctx, self.config, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export the whole state."""
        return ibc_genesis.export(ctx)
