"""What a contract is, and what it is told (ibc-go's ContractKeeper, callbacks/types/expected_keepers.go).

A contract derives from `Contract` and spells the callbacks that it has, each with `ctx`, its one value, both
or neither, as an application does.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ibc_core.address import Address
from ibc_core.application.binding import Callback, Kind
from ibc_core.application.omitted import refused
from ibc_core.callbacks.asked import Asked
from ibc_core.host.confined import Grant, confined
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_core.value import sealed


@sealed
class SourceSent(NamedTuple):
    """A packet that is sent from this chain, in the transaction of its sender."""

    asked: Asked
    packet: Packet  # of IBC classic without chain B's port and channel: nobody has asked for them yet


@sealed
class SourceAcknowledged(NamedTuple):
    """A packet of this chain's that chain B answered; its application has settled it."""

    asked: Asked
    packet: Packet
    acknowledgement: bytes  # in IBC v2 the payload's, or the sentinel
    relayer: Address


@sealed
class SourceTimedOut(NamedTuple):
    """A packet of this chain's that chain B will never receive; its application has settled it."""

    asked: Asked
    packet: Packet
    relayer: Address


@sealed
class DestinationReceived(NamedTuple):
    """A packet that this chain received and its application executed."""

    asked: Asked
    packet: Packet
    acknowledgement: bytes  # what the application answered; later, perhaps, than the packet came


class Contract:
    """A contract: a subclass spells its callbacks, as an application does.

    A packet of IBC v2 is told as one of IBC classic: clients for channels, the payload's ports and value, no
    timeout. Its application has done its part before: a transfer's coins are where they go.

    What a subclass leaves out is closed: nobody sends or receives a packet that asks for it, and where it is
    missing for an acknowledgement or a timeout, an event says so.

    A raised `IbcError` refuses: a send fails, and a packet that comes in is answered with the error, all that
    was done for it undone. An acknowledgement or a timeout takes its course; only what the contract wrote is
    undone. Running out of gas and any other exception count as refusals too, but fail a send's transaction.
    """

    @refused
    def on_send_packet(self, ctx: WriteContext, sent: SourceSent) -> None:
        """A packet is sent that names the contract as its source's."""

    @refused
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: SourceAcknowledged) -> None:
        """Chain A learns the answer."""

    @refused
    def on_timeout_packet(self, ctx: WriteContext, timed_out: SourceTimedOut) -> None:
        """Chain A takes the packet back."""

    @refused
    def on_recv_packet(self, ctx: WriteContext, received: DestinationReceived) -> None:
        """A packet came in that names the contract as its destination's."""


@sealed
class BoundContract(NamedTuple):
    """A contract as the middleware calls it, with the callbacks of `Contract`; made at wiring."""

    on_send_packet: Callable[[WriteContext, SourceSent], None]
    on_acknowledgement_packet: Callable[[WriteContext, SourceAcknowledged], None]
    on_timeout_packet: Callable[[WriteContext, SourceTimedOut], None]
    on_recv_packet: Callable[[WriteContext, DestinationReceived], None]


_KIND = Kind(
    Contract,
    (
        Callback("on_send_packet", ("ctx", "sent")),
        Callback("on_acknowledgement_packet", ("ctx", "acknowledged")),
        Callback("on_timeout_packet", ("ctx", "timed_out")),
        Callback("on_recv_packet", ("ctx", "received")),
    ),
)


def bind_contract(contract: object, where: str, grant: Grant | None) -> BoundContract:
    """A contract with uniform callbacks, each with a context confined to `grant`; None: it is shipped.

    Raises:
        ValueError: it has a method that is no callback, lacks one, or one that takes what there is not.
    """
    calls: dict[str, Any] = dict(_KIND.bind(contract, where, shipped=grant is None))
    if grant is not None:
        # guard: h179-contracts-have-the-block test_h179_a_contract_writes_its_plugin_s_stores_alone
        #   test_h179_its_context_ends_with_the_call
        calls = {name: confined(call, grant) for name, call in calls.items()}
    return BoundContract(**calls)
