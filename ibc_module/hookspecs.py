"""Every hook: the contract between a host chain, this module and its extensions.

A host calls the `chain_*` hooks, in the order of its configuration; its own bank and accounts may
implement the same ones. Extensions implement the `ibc_*` hooks. Plugins are called in the order in
which `Pipeline` was given them, whatever was installed first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from handlers.keepers_ref import KeepersRef
from ibc_core.application.classic import BoundApp, IbcApp
from ibc_core.application.ports import PortKey, PortOwner
from ibc_core.application.services import Accounts, Bank, PacketSender, Services
from ibc_core.application.v2 import BoundAppV2, IbcAppV2, PacketSenderV2
from ibc_core.host.block import CommittedBlock
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import CheckedMessage, MessageRoute, QueryRoute
from ibc_module import hookspec
from keepers.keepers import Keepers
from keepers.port import PortOwners
from light_client.interface import LightClient

if TYPE_CHECKING:  # a host without direct calls does not import them
    from ibc_core.direct.calls import DirectHandler


class Middleware(NamedTuple):
    """A wrapper around the application of one port or prefix (ICS-30).

    `pyibc.PassThroughApp` and `pyibc.PassThroughSender` are bases for both sides.
    """

    port_id: PortKey
    """As the application is registered: a port, or a `PortPrefix`."""
    wrap: Callable[[BoundApp, Services], IbcApp | BoundApp]
    """Makes the layer around what is below, given that and the services."""
    wrap_sender: Callable[[PacketSender], PacketSender] | None = None
    """Given what is above, makes what the application sends through instead; None: it sends past us."""
    needs: tuple[str, ...] = ()
    """Callbacks that the application must not leave out, such as `decode_packet_data`: refused at wiring."""


class MiddlewareV2(NamedTuple):
    """A wrapper around the IBC v2 application of one port or prefix.

    `pyibc.PassThroughAppV2` and `pyibc.PassThroughSenderV2` are bases for both sides.
    """

    port_id: PortKey
    """As the application is registered: a port, or a `PortPrefix`."""
    wrap: Callable[[BoundAppV2, Services], IbcAppV2 | BoundAppV2]
    """Makes the layer around what is below, given that and the services."""
    wrap_sender: Callable[[PacketSenderV2], PacketSenderV2] | None = None
    """Given what is above, makes what the application sends and answers through instead; None: past us."""
    needs: tuple[str, ...] = ()
    """As for `Middleware`."""


class DirectCalls(Protocol):
    """What a plugin offers that lets modules call the handlers themselves (ICS-25)."""

    def handler(self, owner: PortOwner) -> "DirectHandler":
        """What one plugin is given as `Services.direct`."""

    def application(self) -> BoundApp:
        """The application for a port that a plugin bound without registering one."""


# -- what the host calls


@hookspec
def chain_wired(pipeline: Any) -> None:
    """Fires once, when all plugins are registered, before any other hook; `pipeline` is the `Pipeline`."""


@hookspec
def chain_hookspecs() -> Iterable[ModuleType]:  # type: ignore[empty-body]
    """Modules with further hook specifications, which the plugin asks itself; fires before `chain_wired`."""


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
    """Fires in CheckTx; raise IbcError to refuse the transaction.

    Writes last until the next commit, so that later transactions see them; a refusal reverts them.
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


@hookspec
def ibc_wired(pipeline: Any, keepers: Keepers) -> None:
    """Fires once, when the IBC module is wired: options that use its clients and handlers listen here."""


@hookspec
def ibc_bank() -> Bank | None:
    """The host's coins, for ICS-20. At most one plugin answers."""


@hookspec
def ibc_accounts() -> Accounts | None:
    """The host's accounts, for applications that act as one. At most one plugin answers."""


@hookspec
def ibc_account_prefix() -> str | None:
    """The bech32 prefix of the host's addresses: the module refuses to be wired with another."""


@hookspec
def ibc_direct_calls(keepers: KeepersRef[Keepers], owners: PortOwners) -> DirectCalls | None:
    """Makes `Services.direct`; at most one plugin answers. `owners`: who owns which port of IBC classic."""


@hookspec
def ibc_register_apps(services: Services) -> Mapping[PortKey, IbcApp]:  # type: ignore[empty-body]
    """Port id or `PortPrefix` -> application."""


@hookspec
def ibc_register_apps_v2(services: Services) -> Mapping[PortKey, IbcAppV2]:  # type: ignore[empty-body]
    """Port id or `PortPrefix` -> application of IBC v2; after `ibc_register_apps`."""


@hookspec
def ibc_register_light_clients() -> Iterable[LightClient]:  # type: ignore[empty-body]
    """Light clients, one a client type; one that is not whole is refused when the chain is wired."""


@hookspec
def ibc_register_middleware() -> Iterable[Middleware]:  # type: ignore[empty-body]
    """Middleware; the first declared is outermost."""


@hookspec
def ibc_register_middleware_v2() -> Iterable[MiddlewareV2]:  # type: ignore[empty-body]
    """Middleware of IBC v2; the first declared is outermost."""
