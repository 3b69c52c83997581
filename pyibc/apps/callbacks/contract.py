"""Contracts and the values passed to them (ibc-go's ContractKeeper, callbacks/types/expected_keepers.go).

A contract derives from `Contract` and defines the callbacks it supports. Like an application's, each takes
`ctx`, its one value, both or neither.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from ibc_module.pipeline import Pipeline
from pyibc.apps.callbacks.memo import CallbackData
from pyibc.core.address import Address
from pyibc.core.host.context import WriteContext
from pyibc.core.identifiers import is_blank
from pyibc.core.packet.types import Packet
from pyibc.core.setup_error import WiringError, name_of
from pyibc.core.value import sealed
from pyibc.isolation.binding import Callback, Kind, refused
from pyibc.isolation.isolate import grant_of
from pyibc.isolation.scoped_context import Grant


@sealed
class SourceSent(NamedTuple):
    """Packet sent from this chain, in the sender's transaction."""

    asked: CallbackData
    packet: Packet  # in v1 without chain B's port and channel, not looked up yet


@sealed
class SourceAcknowledged(NamedTuple):
    """Packet sent from this chain and acknowledged; the application has processed the acknowledgement."""

    asked: CallbackData
    packet: Packet
    acknowledgement: bytes  # in v2 the payload's, or the sentinel
    relayer: Address


@sealed
class SourceTimedOut(NamedTuple):
    """Packet sent from this chain and timed out; the application has processed the timeout."""

    asked: CallbackData
    packet: Packet
    relayer: Address


@sealed
class DestinationReceived(NamedTuple):
    """Packet that this chain received and its application accepted."""

    asked: CallbackData
    packet: Packet
    acknowledgement: bytes  # the application's; may be asynchronous


class Contract:
    """Base of contracts: a subclass defines the callbacks it supports.

    An IBC v2 payload is passed as a v1 packet: client identifiers as channels, the payload's ports and value,
    no timeout. The application runs before the contract: the coins of a transfer have moved.

    A missing callback refuses: no packet that names the contract can be sent or received. A missing callback
    for an acknowledgement or a timeout is reported in an event only.

    A raised `IbcError` refuses: a send fails; a received packet gets an error acknowledgement and all its
    writes are reverted; for an acknowledgement or a timeout only the contract's own writes are reverted.
    Running out of gas and other exceptions have the same effect, but fail the transaction of a send.
    """

    @refused
    def on_send_packet(self, ctx: WriteContext, sent: SourceSent) -> None:
        """Approve a packet that names this contract in `src_callback`."""

    @refused
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: SourceAcknowledged) -> None:
        """Process the acknowledgement of a packet."""

    @refused
    def on_timeout_packet(self, ctx: WriteContext, timed_out: SourceTimedOut) -> None:
        """Process the timeout of a packet."""

    @refused
    def on_recv_packet(self, ctx: WriteContext, received: DestinationReceived) -> None:
        """Process a received packet that names this contract in `dest_callback`."""


@sealed
class BoundContract(NamedTuple):
    """Contract with all callbacks in uniform form, built at wiring."""

    on_send_packet: Callable[[WriteContext, SourceSent], None]
    on_acknowledgement_packet: Callable[[WriteContext, SourceAcknowledged], None]
    on_timeout_packet: Callable[[WriteContext, SourceTimedOut], None]
    on_recv_packet: Callable[[WriteContext, DestinationReceived], None]


_KIND = Kind(
    Contract,
    BoundContract,
    (
        Callback("on_send_packet", ("ctx", "sent")),
        Callback("on_acknowledgement_packet", ("ctx", "acknowledged")),
        Callback("on_timeout_packet", ("ctx", "timed_out")),
        Callback("on_recv_packet", ("ctx", "received")),
    ),
)


def bind_contract(contract: object, where: str, grant: Grant | None) -> BoundContract:
    """Return a contract's callbacks in uniform form; see `Kind.bind` for the arguments and errors."""
    # guard: h179-a-contract-s-context-never-ends {_KIND.bind(contract, where, grant) =>
    #   _KIND.bind(contract, where, None)} test_h179_a_contract_writes_its_plugin_s_stores_alone
    #   test_h179_its_context_ends_with_the_call
    return _KIND.bind(contract, where, grant)


# -- registry of contracts by address, filled from the plugins' hooks

ANY_ADDRESS: Final = "*"
"""Wildcard: registers one contract for all other addresses, e.g. of a virtual machine."""


class Contracts:
    """Lookup of contracts by address."""

    def __init__(self, bound: Mapping[str, BoundContract]) -> None:
        self._bound = dict(bound)
        self._any = self._bound.pop(ANY_ADDRESS, None)

    def at(self, address: str) -> BoundContract | None:
        """Return the contract at an address, None if there is none."""
        return self._bound.get(address, self._any)


def registered(pipeline: Pipeline) -> Contracts:
    """Collect the contracts that a pipeline's plugins register.

    Raises:
        WiringError: an address is registered twice or is not a string, or a contract is malformed.
    """
    contracts = {}
    for address, (plugin, contract) in pipeline.registered("ibc_contracts", "contract").items():
        if type(address) is not str or is_blank(address):
            raise WiringError(
                f"{name_of(plugin)} registers a contract at {address!a}, which is not an address"
            )
        contracts[address] = _bound(pipeline, plugin, contract, address)
    return Contracts(contracts)


def _bound(pipeline: Pipeline, plugin: object, contract: Contract, address: str) -> BoundContract:
    # guard: h179-contracts-write-anywhere {pipeline.stores_of(plugin) => frozenset(['transfer'])}
    #   test_a_transcript_is_followed_to_its_last_block
    # guard: h179-contracts-have-the-block {grant_of(pipeline.stores_of(plugin), plugin, contract) => None}
    #   test_a_destination_s_contract_may_refuse_a_packet
    grant = grant_of(pipeline.stores_of(plugin), plugin, contract)
    try:
        return bind_contract(contract, f"{name_of(plugin)} for contract {address!a}", grant)
    except ValueError as error:
        raise WiringError(str(error)) from error
