"""The real messages of IBC v2 for those of the reference model."""

from typing import Any

from conformance.model.messages import Datagrams
from conformance.model.v2 import PacketV2
from conformance.model.view import real_answer
from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.client_v2.update_config import MsgUpdateClientConfig
from ibc_core.packet_v2 import types as core
from ibc_core.packet_v2.acknowledge import MsgAcknowledgementV2
from ibc_core.packet_v2.recv import MsgRecvPacketV2
from ibc_core.packet_v2.send import MsgSendPacket
from ibc_core.packet_v2.timeout import MsgTimeoutV2
from ibc_core.wire.message import pack_msg


class DatagramsV2(Datagrams):
    """Messages of IBC v2 as well."""

    def register(self, signer: str, client: str, counterparty: str) -> AnyMessage:
        """The creator of a client names its counterparty."""
        message = MsgRegisterCounterparty(client, (b"ibc", b""), counterparty, signer)
        return pack_msg(message)

    def configure(self, signer: str, *relayers: str) -> AnyMessage:
        """The creator of a client names its relayers."""
        message = MsgUpdateClientConfig(self.chain.client, relayers, signer)
        return pack_msg(message)

    def send_v2(self, signer: str, client: str, until_s: int, payload: tuple[Any, ...]) -> AnyMessage:
        """A sends."""
        message = MsgSendPacket(client, until_s, (core.Payload(*payload),), signer)
        return pack_msg(message)

    def receive_v2(self, signer: str, packet: PacketV2, height: int) -> AnyMessage:
        """B takes a packet in."""
        proof = self.prove(paths.packet_commitment_v2_path(packet.source, packet.sequence), height)
        message = MsgRecvPacketV2(_packet(packet), *proof, signer)
        return pack_msg(message)

    def acknowledge_v2(self, signer: str, packet: PacketV2, answer: bytes, height: int) -> AnyMessage:
        """A learns B's answer."""
        key = paths.packet_acknowledgement_v2_path(packet.destination, packet.sequence)
        proof = self.prove(key, height)
        message = MsgAcknowledgementV2(_packet(packet), (real_answer(answer),), *proof, signer)
        return pack_msg(message)

    def timeout_v2(self, signer: str, packet: PacketV2, height: int) -> AnyMessage:
        """A takes a packet back."""
        proof = self.prove(paths.packet_receipt_v2_path(packet.destination, packet.sequence), height)
        message = MsgTimeoutV2(_packet(packet), *proof, signer)
        return pack_msg(message)


def _packet(packet: PacketV2) -> core.PacketV2:
    payloads = (core.Payload(*packet.payload),)
    return core.PacketV2(packet.sequence, packet.source, packet.destination, packet.until_s, payloads)
