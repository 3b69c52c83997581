"""IBC v2 in the reference model: packets from client to client, timeouts in seconds."""

from typing import Any, NamedTuple

from conformance.model.reference import SUCCESS, Chain, fields_of, refuse

SENTINEL = b"the error acknowledgement"
"""Stands for SHA-256 of UNIVERSAL_ERROR_ACKNOWLEDGEMENT."""

SECOND = 10**9
DAY_S = 86_400
PORTS = {"mock2", "transfer"}


class PacketV2(NamedTuple):
    """A packet with one payload: (port on A, port on B, version, encoding, value)."""

    sequence: int
    source: str
    destination: str
    until_s: int
    payload: tuple[str, str, str, str, bytes]

    @property
    def promise(self) -> tuple[Any, ...]:
        """What a commitment binds."""
        return self.destination, self.until_s, self.payload


class ClientChain(Chain):
    """A chain whose client was made by `creator`."""

    creator: str

    def register(self, client: str, counterparty: str) -> None:
        """The creator says, once, which client belongs to it."""
        if client != self.client or self.signer != self.creator:
            refuse("Unauthorized")
        if self.state.counterparty:
            refuse("InvalidRequest")
        self.state.counterparty = counterparty
        self.state.send[client] = 1

    def configure(self, *relayers: str) -> None:
        """The creator says who may relay; nobody named: everybody."""
        if self.signer != self.creator:
            refuse("Unauthorized")
        self.state.relayers = relayers

    def of_client(self, near: str, far: str) -> None:
        """A packet must belong to the client and its counterparty."""
        if near != self.client or not self.state.counterparty:
            refuse("ClientCounterpartyNotFound")
        if far != self.state.counterparty:
            refuse("InvalidClientCounterparty")

    def routed(self, port: str) -> None:
        """An application must have the port."""
        if port not in PORTS:
            refuse("InvalidRoute")

    def told(self, port: str, name: str) -> None:
        """Tells the scripted application, which writes it down."""
        if port == "mock2":
            self.calls.append(name)

    def send_v2(self, client: str, until_s: int, payload: tuple[str, str, str, str, bytes]) -> None:
        """A promises, not too far ahead, and the application agrees."""
        self.of_client(client, self.state.counterparty)
        if until_s * SECOND <= self.time:
            refuse("TimeoutElapsedV2")
        if until_s * SECOND > self.time + DAY_S * SECOND:
            refuse("InvalidTimeoutV2")
        self.must_be_active()
        if self.other.past[max(self.state.seen)][0] // SECOND >= until_s:
            refuse("TimeoutElapsedV2")
        self.routed(payload[0])
        packet = PacketV2(self.state.send[client], client, self.state.counterparty, until_s, payload)
        self.state.send[client] += 1
        self.state.commitments[client, packet.sequence] = packet.promise
        self.told(payload[0], "on_send_packet")
        if payload[0] == "transfer":
            data = fields_of(payload[4]) or refuse("InvalidType")
            if data["sender"] != self.signer:
                refuse("Unauthorized")
            self.take(("transfer", client), data["denom"], int(data["amount"]))

    def receive_v2(self, packet: PacketV2, height: int) -> str | None:
        """B takes the packet in, once and in time."""
        name = (packet.destination, packet.sequence)
        self.may_relay(packet.destination)
        self.of_client(packet.destination, packet.source)
        if self.time // SECOND >= packet.until_s:
            refuse("TimeoutElapsedV2")
        if name in self.state.receipts:
            return "noop"
        self.shown(self.look(height).commitments, (packet.source, packet.sequence), packet.promise)
        self.routed(packet.payload[1])
        self.state.receipts[name] = True
        answer = self.answer_v2_of(packet)
        if answer is None:
            self.state.waiting[name] = packet
        else:
            self.state.acks[name] = answer
        return None

    def answer_v2_of(self, packet: PacketV2) -> bytes | None:
        """What the application says; None: later. Chain A learns no more of a failure than that."""
        _, port, _, _, value = packet.payload
        if port == "transfer":
            answer = self.put((port, packet.source), (port, packet.destination), value)
            return answer if answer == SUCCESS else SENTINEL
        self.told(port, "on_recv_packet")
        if value == b"lie":
            refuse("InvalidAcknowledgementV2")
        return {b"later": None, b"refuse": SENTINEL}.get(value, b"done")

    def answer_v2(self, client: str, sequence: int, answer: bytes) -> None:
        """B answers a packet that waits for it."""
        if (client, sequence) not in self.state.waiting or not answer:
            refuse("InvalidAcknowledgementV2")
        del self.state.waiting[client, sequence]
        self.state.acks[client, sequence] = answer

    def is_done_v2(self, packet: PacketV2) -> bool:
        """Whether nothing is promised under the packet's name (any more)."""
        promised = self.state.commitments.get((packet.source, packet.sequence))
        if promised not in {None, packet.promise}:
            refuse("InvalidPacketV2")
        return promised is None

    def acknowledge_v2(self, packet: PacketV2, answer: bytes, height: int) -> str | None:
        """A learns B's answer, and is done with the packet."""
        self.may_relay(packet.source)
        self.of_client(packet.source, packet.destination)
        if self.is_done_v2(packet):
            return "noop"
        self.shown(self.look(height).acks, (packet.destination, packet.sequence), answer)
        del self.state.commitments[packet.source, packet.sequence]
        self.told(packet.payload[0], "on_acknowledgement_packet")
        if answer == SENTINEL:
            self.refund_v2(packet)
        return None

    def timeout_v2(self, packet: PacketV2, height: int) -> str | None:
        """A takes back what B can never receive, by B's own clock."""
        self.may_relay(packet.source)
        self.of_client(packet.source, packet.destination)
        if height not in self.state.seen:
            refuse("ConsensusStateNotFound")
        if self.other.past[height][0] // SECOND < packet.until_s:
            refuse("TimeoutNotReachedV2")
        if self.is_done_v2(packet):
            return "noop"
        self.shown(self.look(height).receipts, (packet.destination, packet.sequence), None)
        del self.state.commitments[packet.source, packet.sequence]
        self.told(packet.payload[0], "on_timeout_packet")
        self.refund_v2(packet)
        return None

    def refund_v2(self, packet: PacketV2) -> None:
        """The sender has his coins again."""
        if packet.payload[0] == "transfer":
            self.refund(("transfer", packet.source), packet.payload[4])
