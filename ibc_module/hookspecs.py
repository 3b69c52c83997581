"""Every hook: the contract between a host chain, this module and its extensions.

A host calls the `chain_*` hooks, in the order of its configuration; its own bank and accounts may
implement the same ones. Extensions implement the `ibc_*` hooks. Plugins are called in the order in
which `Pipeline` was given them, whatever was installed first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ibc_core.application.classic import IbcApp
from ibc_core.application.services import Bank, PacketSender, Services
from ibc_core.application.v2 import IbcAppV2, PacketSenderV2
from ibc_core.host.block import CommittedBlock
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import CheckedMessage, MessageRoute, QueryRoute
from ibc_core.queue.application import MakeQueueApp
from ibc_module import hookspec
from light_client.interface import LightClient


class Middleware(NamedTuple):
    """A wrapper around the application of one port (ICS-30); bases: `ibc_core.application.middleware`."""

    port_id: str
    wrap: Callable[[IbcApp, Services], IbcApp]
    """Given what is below and the services, makes what stands there instead."""
    wrap_sender: Callable[[PacketSender], PacketSender] | None = None
    """Given what is above, makes what the application sends through instead; None: it sends past us."""


class MiddlewareV2(NamedTuple):
    """A wrapper around the IBC v2 application of one port."""

    port_id: str
    wrap: Callable[[IbcAppV2, Services], IbcAppV2]
    """Given what is below and the services, makes what stands there instead."""
    wrap_sender: Callable[[PacketSenderV2], PacketSenderV2] | None = None
    """Given what is above, makes what the application sends and answers through instead; None: past us."""


# -- what the host calls


@hookspec
def chain_wired(pipeline: Any) -> None:
    """Fires once, when all plugins are registered, before any other hook; `pipeline` is the `Pipeline`."""


@hookspec
def chain_stores() -> Sequence[str]:  # type: ignore[empty-body]
    """Names of the stores that the plugin keeps its state in."""


@hookspec
def chain_messages() -> Mapping[str, MessageRoute]:  # type: ignore[empty-body]
    """Type URL -> route of each message that the plugin handles."""


@hookspec
def chain_queries() -> Mapping[str, QueryRoute]:  # type: ignore[empty-body]
    """Route of each query that the plugin answers, by gRPC method path."""


@hookspec
def chain_init_genesis(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Fires once, before the first block; `genesis` has one entry a module."""


@hookspec
def chain_export_genesis(ctx: ReadContext) -> Mapping[str, Any]:  # type: ignore[empty-body]
    """The state as genesis entries, from which a new chain can start."""


@hookspec
def chain_check_tx(ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
    """Fires for a transaction at the mempool's door; raise IbcError to refuse it.

    Writes last until the next commit, so that a later transaction meets them; a refusal drops them.
    """


@hookspec
def chain_prepare_proposal(ctx: ReadContext, txs: Sequence[bytes]) -> Sequence[bytes] | None:
    """Fires when this validator proposes a block; the last plugin that answers decides what is in it."""


@hookspec
def chain_process_proposal(ctx: ReadContext, txs: Sequence[bytes]) -> bool | None:
    """Fires on another validator's proposal; False refuses it. Must be deterministic."""


@hookspec
def chain_begin_block(ctx: WriteContext) -> None:
    """Fires before the first transaction of a block. Never raises."""


@hookspec
def chain_end_block(ctx: WriteContext) -> None:
    """Fires after the last transaction of a block. Never raises."""


@hookspec
def chain_committed(block: CommittedBlock) -> None:
    """Fires when a block is on disk: exporters and relayers listen here. Nothing it does is state."""


# -- what extensions register


@hookspec(firstresult=True)
def ibc_bank() -> Bank | None:
    """The host's coins, for ICS-20."""


@hookspec(firstresult=True)
def ibc_account_prefix() -> str | None:
    """The bech32 prefix of the host's addresses: the module refuses to be wired with another."""


@hookspec
def ibc_register_apps(services: Services) -> Mapping[str, IbcApp]:  # type: ignore[empty-body]
    """Port id -> application."""


@hookspec
def ibc_register_apps_v2(services: Services) -> Mapping[str, IbcAppV2]:  # type: ignore[empty-body]
    """Port id -> application of IBC v2; after `ibc_register_apps`."""


@hookspec
def ibc_register_light_clients() -> Iterable[LightClient]:  # type: ignore[empty-body]
    """Light clients, one a client type; one that is not whole is refused when the chain is wired."""


@hookspec
def ibc_register_middleware() -> Iterable[Middleware]:  # type: ignore[empty-body]
    """Middleware; the first declared is outermost."""


@hookspec
def ibc_register_middleware_v2() -> Iterable[MiddlewareV2]:  # type: ignore[empty-body]
    """Middleware of IBC v2; the first declared is outermost."""


@hookspec
def ibc_register_queue_apps() -> Mapping[str, MakeQueueApp]:  # type: ignore[empty-body]
    """Type of packets on queues -> what makes its application; asked where the queue plugin is listed."""
