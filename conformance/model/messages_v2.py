"""Real IBC v2 messages for the messages of the reference model."""

from typing import Any

from conformance.model.messages import Datagrams
from conformance.model.v2 import PacketV2
from conformance.model.view import real_answer
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.client_v2 import MsgRegisterCounterparty, MsgUpdateClientConfig
from pyibc.core.packet_v2 import types as core
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgRecvPacketV2, MsgSendPacket, MsgTimeoutV2
from pyibc.core.wire.message import pack_msg


class DatagramsV2(Datagrams):
    """Builder of messages, IBC v2 included."""

    def register(self, signer: str, client: str, counterparty: str) -> AnyMessage:
        """Return the registration of a client's counterparty by its creator."""
        message = MsgRegisterCounterparty(client, (b"ibc", b""), counterparty, signer)
        return pack_msg(message)

    def configure(self, signer: str, *relayers: str) -> AnyMessage:
        """Return the setting of a client's allowed relayers by its creator."""
        message = MsgUpdateClientConfig(self.chain.client, relayers, signer)
        return pack_msg(message)

    def send_v2(self, signer: str, client: str, until_s: int, payload: tuple[Any, ...]) -> AnyMessage:
        """Return a MsgSendPacket."""
        message = MsgSendPacket(client, until_s, (core.Payload(*payload),), signer)
        return pack_msg(message)

    def receive_v2(self, signer: str, packet: PacketV2, height: int) -> AnyMessage:
        """Return a MsgRecvPacket."""
        proof = self.prove(paths.packet_commitment_v2_path(packet.source, packet.sequence), height)
        message = MsgRecvPacketV2(_packet(packet), *proof, signer)
        return pack_msg(message)

    def acknowledge_v2(self, signer: str, packet: PacketV2, answer: bytes, height: int) -> AnyMessage:
        """Return a MsgAcknowledgement."""
        key = paths.packet_acknowledgement_v2_path(packet.destination, packet.sequence)
        proof = self.prove(key, height)
        message = MsgAcknowledgementV2(_packet(packet), (real_answer(answer),), *proof, signer)
        return pack_msg(message)

    def timeout_v2(self, signer: str, packet: PacketV2, height: int) -> AnyMessage:
        """Return a MsgTimeout."""
        proof = self.prove(paths.packet_receipt_v2_path(packet.destination, packet.sequence), height)
        message = MsgTimeoutV2(_packet(packet), *proof, signer)
        return pack_msg(message)


def _packet(packet: PacketV2) -> core.PacketV2:
    payloads = (core.Payload(*packet.payload),)
    return core.PacketV2(packet.sequence, packet.source, packet.destination, packet.until_s, payloads)
