"""Packets and acknowledgements seen in events, as a relayer would track them."""

from collections.abc import Iterable

from pyibc.core.host.block import Event
from pyibc.core.packet.events import read_packet_event
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import AcknowledgementV2, PacketV2, decode_packet
from pyibc.proto.ibc.core.channel.v2 import packet_pb2


class PacketLog:
    """Packets and acknowledgements of one chain, in order of their events."""

    def __init__(self) -> None:
        self.sent: list[Packet] = []
        self.received: list[Packet] = []
        self.answers: dict[tuple[str, str, int], bytes] = {}
        """Port, channel and sequence on the receiving chain -> acknowledgement."""
        self.sent_v2: list[PacketV2] = []
        self.received_v2: list[PacketV2] = []
        self.answers_v2: dict[tuple[str, int], AcknowledgementV2] = {}
        """Client and sequence on the receiving chain -> acknowledgement."""

    def learn(self, events: Iterable[Event]) -> None:
        """Process the events of a block."""
        for event in events:
            attributes = dict(event[1])
            if "encoded_packet_hex" in attributes and "packet_source_client" in attributes:
                self._learn_v2(event[0], attributes)
                continue
            seen = read_packet_event(event)
            if seen is None:
                continue
            if seen.kind == "send_packet":
                self.sent.append(seen.packet)
            elif seen.kind == "recv_packet":
                self.received.append(seen.packet)
            elif seen.kind == "write_acknowledgement":
                packet = seen.packet
                place = packet.port_id_on_b, packet.channel_id_on_b, packet.sequence
                self.answers[place] = seen.acknowledgement

    def _learn_v2(self, kind: str, attributes: dict[str, str]) -> None:
        packet = decode_packet(bytes.fromhex(attributes["encoded_packet_hex"]))
        if kind == "send_packet":
            self.sent_v2.append(packet)
        elif kind == "recv_packet" and packet not in self.received_v2:
            self.received_v2.append(packet)
        elif kind == "write_acknowledgement":
            raw = bytes.fromhex(attributes["encoded_acknowledgement_hex"])
            answer = tuple(packet_pb2.Acknowledgement.FromString(raw).app_acknowledgements)
            self.answers_v2[packet.client_id_on_b, packet.sequence] = answer
