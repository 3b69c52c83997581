"""ICS-4 as its first text has it (ICS-25): functions that a module calls with its capability.

Applications that relayers' messages are routed to need none of this (`ibc_core/application/classic.py`). A
module that handles packets in messages of its own does: it calls the handler, which calls nothing back.

Every function that raises an `IbcError` has changed nothing. Proofs are MerkleProof bytes against the other
chain's state at `proof_height`, which is a height of that chain.
"""

from typing import NamedTuple, Protocol

from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, Order
from ibc_core.direct.capability import Capability
from ibc_core.direct.opaque import OpaquePacket
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.types import Packet
from ibc_core.value import sealed

AnyPacket = Packet | OpaquePacket


@sealed
class Opening(NamedTuple):
    """What a module asks to be opened."""

    port_id: str
    channel_id: str  # chosen; "": generated, `channel-N`
    order: Order
    connection_hops: tuple[str, ...]  # one connection id
    counterparty: ChannelCounterparty  # channel_id "": the other chain names its end itself
    version: str


@sealed
class OpenedChannel(NamedTuple):
    """What an opening yields."""

    channel_id: str
    capability: Capability


@sealed
class ProvenEntry(NamedTuple):
    """What a host's `prove` answers: an entry of the `ibc` store or its absence, provable to others."""

    value: bytes | None
    proof: bytes  # MerkleProof
    height: Height  # whose header has the root that the proof leads to


@sealed
class ProvenChannel(NamedTuple):
    """A channel end, or that there is none, with the proof of it."""

    end: ChannelEnd | None
    proof: bytes
    height: Height


class DirectHandler(Protocol):
    """The handler as one plugin holds it: bound to the ports of that plugin."""

    def bind_port(self, port_id: str) -> Capability:
        """Binds a port while the chain is wired; later, gives its owner the capability again.

        A port that is bound and has no application at the end of wiring takes direct calls only.
        """

    def channel_capability(
        self, ctx: ReadContext, port: Capability, port_id: str, channel_id: str
    ) -> Capability:
        """The capability of a channel of the port, however it was opened; `port` is the port's."""

    def chan_open_init(self, ctx: WriteContext, port: Capability, opening: Opening) -> OpenedChannel:
        """Starts a channel; `port` is the port's capability."""

    def chan_open_try(
        self,
        ctx: WriteContext,
        port: Capability,
        opening: Opening,
        counterparty_version: str,
        proof_init: bytes,
        proof_height: Height,
        *,
        named_by_counterparty: bool = True,
    ) -> OpenedChannel:
        """Answers an INIT, or starts from an own INIT of the same name (both sides started).

        `named_by_counterparty`: the other end names `opening.channel_id`; without effect where that is "".
        """

    def chan_open_ack(
        self,
        ctx: WriteContext,
        channel: Capability,
        port_id: str,
        channel_id: str,
        counterparty: tuple[str, str],
        proof_try: bytes,
        proof_height: Height,
    ) -> None:
        """Goes OPEN; `counterparty` is the other end's channel id and version."""

    def chan_open_confirm(
        self,
        ctx: WriteContext,
        channel: Capability,
        port_id: str,
        channel_id: str,
        proof_ack: bytes,
        proof_height: Height,
    ) -> None:
        """Goes OPEN after the other end."""

    def chan_close_init(self, ctx: WriteContext, channel: Capability, port_id: str, channel_id: str) -> None:
        """Closes the module's own end."""

    def chan_close_confirm(
        self,
        ctx: WriteContext,
        channel: Capability,
        port_id: str,
        channel_id: str,
        proof_init: bytes,
        proof_height: Height,
    ) -> None:
        """Closes the module's end after the other one."""

    def send_packet(self, ctx: WriteContext, channel: Capability, packet: Packet) -> None:
        """Sends a packet, whose sequence must be the next."""

    def recv_packet(
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        acknowledgement: bytes,
    ) -> Packet:
        """Receives a packet and answers it; b"": no answer now. Returns it in the clear."""

    def write_acknowledgement(
        self, ctx: WriteContext, channel: Capability, packet: AnyPacket, acknowledgement: bytes
    ) -> None:
        """Answers a packet that was received without an answer."""

    def acknowledge_packet(
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        acknowledgement: bytes,
        proof: bytes,
        proof_height: Height,
    ) -> Packet:
        """Closes a packet that the other chain answered. Returns it in the clear."""

    def timeout_packet(
        self,
        ctx: WriteContext,
        held: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        next_sequence_recv: int | None,
    ) -> Packet:
        """Takes back a packet that timed out; `held` is the channel's capability, or the port's.

        `next_sequence_recv` is the other chain's, on an ordered channel; None there: the other chain has no
        such channel, and `proof` shows that it has no such counter.
        """

    def timeout_on_close(
        self,
        ctx: WriteContext,
        held: Capability,
        packet: AnyPacket,
        proofs: tuple[bytes, bytes],
        proof_height: Height,
        next_sequence_recv: int | None,
    ) -> Packet:
        """Takes back a packet because the other end is CLOSED; `proofs` are of not received, of closed."""

    def cleanup_packet(
        self,
        ctx: WriteContext,
        channel: Capability,
        packet: AnyPacket,
        proof: bytes,
        proof_height: Height,
        next_sequence_recv_or_acknowledgement: int | bytes,
    ) -> Packet:
        """Forgets a packet that the other chain received: its next sequence (ordered), or its answer."""

    def query_channel(self, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd | None:
        """The end of that name; None: there is none. Needs no capability."""

    def to_opaque(self, packet: Packet) -> OpaquePacket:
        """Packet -> OpaquePacket; the way back leads through a proof."""
