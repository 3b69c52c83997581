"""The packet sender for applications, which calls the handlers for the application's own ports."""

from handlers.channel import close_init
from handlers.keepers_ref import KeepersRef
from handlers.packet import send, write_acknowledgement
from keepers.keepers import Keepers
from pyibc.core.application.services import PacketSender, PortOwner
from pyibc.core.errors import NotPortOwner
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.packet.types import Packet, event_head
from pyibc.isolation.limits import check_height, check_record, check_types, check_u64
from pyibc.isolation.scoped_context import opened

_check_packet = check_record(
    Packet,
    sequence=int,
    port_id_on_a=str,
    channel_id_on_a=str,
    port_id_on_b=str,
    channel_id_on_b=str,
    data=bytes,
    timeout_height_on_b=Height,
    timeout_ns_on_b=int,
)


class CoreSender(PacketSender):
    """Packet sender for all ports; not passed to applications."""

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
        """Send a packet, and return its sequence."""
        keepers = self._ref.keepers
        msg = send.SendPacket(port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)
        return send.execute(keepers, ctx, send.validate(keepers, ctx, msg))

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Write an asynchronous acknowledgement."""
        keepers = self._ref.keepers
        verified = write_acknowledgement.validate(keepers, ctx, packet, acknowledgement)
        write_acknowledgement.execute(keepers, ctx, verified, event_head(packet))

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Close a channel end."""
        keepers = self._ref.keepers
        close_init.close(keepers, ctx, close_init.validate_close(keepers, ctx, port_id, channel_id))


class PortGate:
    """Packet sender of one owner, for its own ports only.

    Identifiers and packets must be of the exact types: a subclass could pass the check of ownership here
    and appear as another port's where the store key is built. Nor may instances of subclasses be stored or
    cached. The application's confined context is replaced by the block's own.
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
        """Send a packet from one of the owner's ports, and return its sequence.

        Raises:
            ChannelNotFound: there is no such channel.
            NotPortOwner: the port belongs to another owner.
            LogicFault: an argument has a wrong type.
            IbcError: see `handlers.packet.send`.
        """
        block = opened(ctx)
        self._check(block, port_id, channel_id)
        check_height(timeout_height_on_b, "a timeout")
        if type(timeout_ns_on_b) is not int or type(data) is not bytes:
            check_types("a packet", (timeout_ns_on_b, int), (data, bytes))
        # guard: h244-times-of-any-size drop test_h244_numbers_that_no_field_holds_are_refused
        check_u64("a packet", timeout_ns_on_b)
        return self._above.send_packet(block, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Write the acknowledgement of a packet received on one of the owner's ports.

        Raises:
            ChannelNotFound: there is no such channel.
            NotPortOwner: the port belongs to another owner.
            LogicFault: an argument or a field of the packet has a wrong type.
            IbcError: see `handlers.packet.write_acknowledgement`.
        """
        if type(packet) is not Packet:
            raise NotPortOwner(type(packet).__name__)
        block = opened(ctx)
        self._check(block, packet.port_id_on_b, packet.channel_id_on_b)
        # guard: h81-a-packet-of-other-types-is-answered test_h81_senders_take_exact_types
        _check_fields(packet)
        check_types("an acknowledgement", (acknowledgement, bytes))
        self._above.write_acknowledgement(block, packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Close a channel end of one of the owner's ports.

        Raises:
            ChannelNotFound: there is no such channel.
            NotPortOwner: the port belongs to another owner.
            IbcError: see `handlers.channel.close_init`.
        """
        block = opened(ctx)
        self._check(block, port_id, channel_id)
        self._above.close_channel(block, port_id, channel_id)

    def _check(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        if type(port_id) is not str or type(channel_id) is not str:
            raise NotPortOwner(f"{type(port_id).__name__}/{type(channel_id).__name__}")
        if not self._owner.holds(port_id):
            # As in ICS-4 and ibc-go, a missing channel takes precedence over a wrong owner.
            self._ref.keepers.channels.get(ctx, port_id, channel_id)
            raise NotPortOwner(port_id)


def _check_fields(given: Packet) -> None:
    """Raise LogicFault unless the value is a `Packet` with fields of the declared types and ranges."""
    _check_packet(given, "a packet")
    # guard: h244-packets-of-any-numbers drop test_h244_numbers_that_no_field_holds_are_refused
    check_u64("a packet", given.sequence, given.timeout_ns_on_b)
    check_height(given.timeout_height_on_b, "a packet's timeout")
