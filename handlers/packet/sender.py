"""What applications send through: the handlers, without a transaction's message, for their own ports."""

from handlers.channel import close_init
from handlers.keepers_ref import KeepersRef
from handlers.packet import send, write_acknowledgement
from ibc_core.application.exact import check_height, check_packet, check_types
from ibc_core.application.ports import PortOwner
from ibc_core.application.services import PacketSender
from ibc_core.errors import NotPortOwner
from ibc_core.height import Height
from ibc_core.host.confined import opened
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet, event_head
from keepers.keepers import Keepers


class CoreSender(PacketSender):
    """The handlers, for every port: no application is given it."""

    def __init__(self, ref: KeepersRef[Keepers]) -> None:
        self._ref = ref

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Sends a packet; returns its sequence."""
        keepers = self._ref.keepers
        msg = send.SendPacket(port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)
        return send.execute(keepers, ctx, send.validate(keepers, ctx, msg))

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Writes the acknowledgement that was due."""
        keepers = self._ref.keepers
        verified = write_acknowledgement.validate(keepers, ctx, packet, acknowledgement)
        write_acknowledgement.execute(keepers, ctx, verified, event_head(packet))

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Closes the application's own end of a channel."""
        keepers = self._ref.keepers
        close_init.close(keepers, ctx, close_init.validate_close(keepers, ctx, port_id, channel_id))


class PortGate:
    """What one owner sends through: for the ports it owns, and for no others.

    Names and packets must be of exactly their types: one of a class of the application's own could pass as
    its own here and be another's where the store key is made. Nor may what is stored or cached be of such a
    class. Applications' contexts end here: beyond stands the block's own.
    """

    __slots__ = ("_above", "_owner", "_ref")

    def __init__(self, above: PacketSender, owner: PortOwner, ref: KeepersRef[Keepers]) -> None:
        self._above = above
        self._owner = owner
        self._ref = ref

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Sends a packet of one of the owner's ports; returns its sequence.

        Raises:
            ChannelNotFound: there is no such channel.
            NotPortOwner: the port is another's.
            LogicFault: an argument is of another type.
            IbcError: see `handlers.packet.send`.
        """
        block = opened(ctx)
        self._check(block, port_id, channel_id)
        check_height(timeout_height_on_b, "a timeout")
        if type(timeout_ns_on_b) is not int or type(data) is not bytes:
            check_types("a packet", (timeout_ns_on_b, int), (data, bytes))
        return self._above.send_packet(block, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Answers a packet that came to one of the owner's ports.

        Raises:
            ChannelNotFound: there is no such channel.
            NotPortOwner: it came to another's.
            LogicFault: an argument, or a field of the packet, is of another type.
            IbcError: see `handlers.packet.write_acknowledgement`.
        """
        if type(packet) is not Packet:
            raise NotPortOwner(type(packet).__name__)
        block = opened(ctx)
        self._check(block, packet.port_id_on_b, packet.channel_id_on_b)
        # guard: h81-a-packet-of-other-types-is-answered test_h81_senders_take_exact_types
        check_packet(packet)
        check_types("an acknowledgement", (acknowledgement, bytes))
        self._above.write_acknowledgement(block, packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Closes an end of one of the owner's ports.

        Raises:
            ChannelNotFound: there is no such channel.
            NotPortOwner: the port is another's.
            IbcError: see `handlers.channel.close_init`.
        """
        block = opened(ctx)
        self._check(block, port_id, channel_id)
        self._above.close_channel(block, port_id, channel_id)

    def _check(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        if type(port_id) is not str or type(channel_id) is not str:
            raise NotPortOwner(f"{type(port_id).__name__}/{type(channel_id).__name__}")
        if not self._owner.holds(port_id):
            # In the text's order, which is ibc-go's too: what is not there is nobody's.
            self._ref.keepers.channels.get(ctx, port_id, channel_id)
            raise NotPortOwner(port_id)
