"""Hook specifications: the contract between a host chain, the IBC module and its extensions.

A host calls the `chain_*` hooks in the order of its configuration; its own bank and accounts may implement
them too. Extensions implement the `ibc_*` hooks. Plugins are called in the order in which `Pipeline` got
them, independent of the order of installation.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from handlers.keepers_ref import KeepersRef
from ibc_module import hookspec
from keepers.keepers import Keepers
from keepers.port import PortOwners
from light_client.interface import LightClient
from pyibc.core.application.classic import BoundApp, IbcApp
from pyibc.core.application.services import Accounts, Bank, PacketSender, PortKey, PortOwner, Services
from pyibc.core.application.v2 import BoundAppV2, IbcAppV2, PacketSenderV2
from pyibc.core.host.block import CommittedBlock
from pyibc.core.host.context import CheckedMessage, MessageRoute, QueryRoute, ReadContext, WriteContext

if TYPE_CHECKING:  # a host without direct calls does not import them
    from pyibc.direct.handlers.handler import DirectHandler


class Middleware(NamedTuple):
    """Wrapper around the application of one port or prefix (ICS-30).

    `pyibc.PassThroughApp` and `pyibc.PassThroughSender` are base classes for both layers.
    """

    port_id: PortKey
    """Port identifier or `PortPrefix`, equal to that of the application."""
    wrap: Callable[[BoundApp, Services], IbcApp | BoundApp]
    """Build the layer around the application, given what is below and the services."""
    wrap_sender: Callable[[PacketSender], PacketSender] | None = None
    """Build the layer between application and core, given what is above; None: there is none."""
    needs: tuple[str, ...] = ()
    """Callbacks that the layers below must have, such as `decode_packet_data`; checked at wiring."""


class MiddlewareV2(NamedTuple):
    """Wrapper around the IBC v2 application of one port or prefix.

    `pyibc.PassThroughAppV2` and `pyibc.PassThroughSenderV2` are base classes for both layers.
    """

    port_id: PortKey
    """Port identifier or `PortPrefix`, equal to that of the application."""
    wrap: Callable[[BoundAppV2, Services], IbcAppV2 | BoundAppV2]
    """Build the layer around the application, given what is below and the services."""
    wrap_sender: Callable[[PacketSenderV2], PacketSenderV2] | None = None
    """Build the layer between application and core, given what is above; None: there is none."""
    needs: tuple[str, ...] = ()
    """Callbacks that the layers below must have; checked at wiring."""


class Upgrade(NamedTuple):
    """Upgrade that this software performs in the block of its plan (docs/upgrades.md)."""

    genesis: Mapping[str, Any] = MappingProxyType({})
    """Genesis of the added plugins, by entry; a missing one is that of a new chain."""
    run: Callable[[WriteContext], None] | None = None
    """Function called after the genesis of added plugins and all migrations."""


class DirectCalls(Protocol):
    """Extension that lets modules call the handlers themselves (ICS-25)."""

    def handler(self, owner: PortOwner) -> "DirectHandler":
        """Return the value of `Services.direct` for one plugin."""

    def application(self) -> BoundApp:
        """Return the application for a port that a plugin bound without registering one."""


# -- what the host calls


@hookspec
def chain_wired(pipeline: Any) -> None:
    """Fire once, when all plugins are registered, before any other hook; `pipeline` is the `Pipeline`."""


@hookspec
def chain_hookspecs() -> Iterable[ModuleType]:  # type: ignore[empty-body]
    """Return modules with further hook specifications of the plugin; fires before `chain_wired`."""


@hookspec
def chain_stores() -> Sequence[str]:  # type: ignore[empty-body]
    """Return the names of the plugin's stores."""


@hookspec
def chain_messages() -> Mapping[str, MessageRoute]:  # type: ignore[empty-body]
    """Return the routes of the plugin's messages by type URL."""


@hookspec
def chain_queries() -> Mapping[str, QueryRoute]:  # type: ignore[empty-body]
    """Return the routes of the plugin's queries by gRPC method path."""


@hookspec
def chain_init_genesis(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Fire once; `genesis` has one entry per module.

    It fires before the first block. For a plugin that is added to a running chain it fires in the block of
    that upgrade, with `Upgrade.genesis`.
    """


@hookspec
def chain_export_genesis(ctx: ReadContext) -> Mapping[str, Any]:  # type: ignore[empty-body]
    """Return the state as genesis entries, from which a new chain can start."""


@hookspec
def chain_version() -> tuple[str, int]:  # type: ignore[empty-body]
    """Return name and version of the plugin's state and rules; by default its first store's name, and 1.

    Raise the version with each consensus-breaking change: validators then switch at one height.
    """


@hookspec
def chain_migrate(ctx: WriteContext, from_version: int) -> None:
    """Fire once per version in the block of an upgrade; change the state from `from_version` to the next."""


@hookspec
def chain_upgrades() -> Mapping[str, Upgrade]:  # type: ignore[empty-body]
    """Return the upgrades that this software performs, by the names of their plans."""


@hookspec
def chain_check_tx(ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
    """Fire in CheckTx; raise IbcError to refuse the transaction.

    Writes last until the next commit, so that later transactions see them; a refusal reverts them.
    """


@hookspec
def chain_prepare_proposal(ctx: ReadContext, txs: Sequence[bytes]) -> Sequence[bytes] | None:
    """Fire when this validator proposes a block; the last plugin's answer is proposed."""


@hookspec
def chain_process_proposal(ctx: ReadContext, txs: Sequence[bytes]) -> bool | None:
    """Fire on another validator's proposal; False refuses it. Must be deterministic."""


@hookspec
def chain_begin_block(ctx: WriteContext) -> None:
    """Fire before the first transaction of a block. Never raises."""


@hookspec
def chain_end_block(ctx: WriteContext) -> None:
    """Fire after the last transaction of a block. Never raises."""


@hookspec
def chain_committed(block: CommittedBlock) -> None:
    """Fire when a block is on disk, for exporters and relayers. Must not change state."""


# -- what extensions register


@hookspec
def ibc_wired(pipeline: Any, keepers: Keepers) -> None:
    """Fire once, when the IBC module is wired, for options that use its clients and handlers."""


@hookspec
def ibc_bank() -> Bank | None:
    """Return the host's bank, for ICS-20. At most one plugin may answer."""


@hookspec
def ibc_accounts() -> Accounts | None:
    """Return the host's accounts, for applications that act as one. At most one plugin may answer."""


@hookspec
def ibc_account_prefix() -> str | None:
    """Return the bech32 prefix of the host's addresses; wiring fails if it differs from the module's."""


@hookspec
def ibc_direct_calls(keepers: KeepersRef[Keepers], owners: PortOwners) -> DirectCalls | None:
    """Return the factory of `Services.direct`; at most one plugin may answer. `owners`: of v1 ports."""


@hookspec
def ibc_register_apps(services: Services) -> Mapping[PortKey, IbcApp]:  # type: ignore[empty-body]
    """Return IBC v1 applications by port identifier or `PortPrefix`."""


@hookspec
def ibc_register_apps_v2(services: Services) -> Mapping[PortKey, IbcAppV2]:  # type: ignore[empty-body]
    """Return IBC v2 applications by port identifier or `PortPrefix`; fires after `ibc_register_apps`."""


@hookspec
def ibc_register_light_clients() -> Iterable[LightClient]:  # type: ignore[empty-body]
    """Return light clients, one per client type; incomplete ones are refused at wiring."""


@hookspec
def ibc_register_middleware() -> Iterable[Middleware]:  # type: ignore[empty-body]
    """Return IBC v1 middleware; the first declared is outermost."""


@hookspec
def ibc_register_middleware_v2() -> Iterable[MiddlewareV2]:  # type: ignore[empty-body]
    """Return IBC v2 middleware; the first declared is outermost."""
