"""The packet sender for IBC v2 applications, which calls the handlers for the application's own ports."""

from handlers.keepers_ref import KeepersRef
from handlers.packet_v2 import send
from handlers.packet_v2.write_acknowledgement import write_later
from keepers.keepers import Keepers
from pyibc.core.address import Address
from pyibc.core.application.services import PortOwner
from pyibc.core.application.v2 import PacketSenderV2
from pyibc.core.errors import NotPortOwner
from pyibc.core.host.context import WriteContext
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import AcknowledgementV2, Payload
from pyibc.isolation.limits import check_address, check_record, check_types, check_u64
from pyibc.isolation.scoped_context import opened

_check_payload = check_record(
    Payload, port_id_on_a=str, port_id_on_b=str, version=str, encoding=str, value=bytes
)


class CoreSenderV2(PacketSenderV2):
    """Packet sender for all ports; not passed to applications."""

    def __init__(self, ref: KeepersRef[Keepers]) -> None:
        self._ref = ref

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Check and execute a MsgSendPacket."""
        keepers = self._ref.keepers
        msg = MsgSendPacket(client_id_on_a, timeout_s_on_b, payloads, signer.text)
        msg.check(keepers)
        return send.execute(keepers, ctx, send.validate(keepers, ctx, msg))

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Write an asynchronous acknowledgement."""
        write_later(self._ref.keepers, ctx, client_id_on_b, sequence, acknowledgement)


class PortGateV2:
    """Packet sender of one owner, for payloads of its own ports only; see `PortGate`."""

    __slots__ = ("_above", "_owner", "_ref")

    def __init__(self, above: PacketSenderV2, owner: PortOwner, ref: KeepersRef[Keepers]) -> None:
        self._above = above
        self._owner = owner
        self._ref = ref

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Send a packet from the owner's ports only.

        Raises:
            NotPortOwner: a payload's source port belongs to another owner.
            LogicFault: an argument has a wrong type.
            IbcError: see `MsgSendPacket.check` and `handlers.packet_v2.send`.
        """
        payloads = tuple(payloads)
        for payload in payloads:
            self._check(payload)
            self._require_own(payload.port_id_on_a)
        check_types("a packet", (client_id_on_a, str), (timeout_s_on_b, int))
        # guard: h244-times-of-any-size-in-v2 drop
        #   test_h244_times_and_sequences_that_no_field_holds_are_refused
        check_u64("a packet", timeout_s_on_b)
        check_address(signer, "a signer")
        return self._above.send_packet(opened(ctx), client_id_on_a, timeout_s_on_b, payloads, signer)

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Write an asynchronous acknowledgement, for payloads of the owner's ports.

        Raises:
            NotPortOwner: a payload's destination port belongs to another owner.
            LogicFault: the acknowledgement is not a tuple of bytes.
            IbcError: see `handlers.packet_v2.write_acknowledgement`.
        """
        if type(client_id_on_b) is not str or type(sequence) is not int:
            raise NotPortOwner(f"{type(client_id_on_b).__name__}/{type(sequence).__name__}")
        # guard: h244-sequences-of-any-size-in-v2 drop
        #   test_h244_times_and_sequences_that_no_field_holds_are_refused
        check_u64("an acknowledgement", sequence)
        block, acknowledgement = opened(ctx), tuple(acknowledgement)
        for payload in self._ref.keepers.v2.packets.async_packet(block, client_id_on_b, sequence).payloads:
            self._require_own(payload.port_id_on_b)
        check_types("an acknowledgement", *[(each, bytes) for each in acknowledgement])
        self._above.write_acknowledgement(block, client_id_on_b, sequence, acknowledgement)

    def _check(self, payload: Payload) -> None:
        if type(payload) is not Payload:
            raise NotPortOwner(type(payload).__name__)
        _check_payload(payload, "a payload")

    def _require_own(self, port_id: str) -> None:
        if not self._owner.holds(port_id):
            raise NotPortOwner(port_id)
