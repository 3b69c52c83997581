"""IBC v2 in the reference model: packets from client to client, timeouts in seconds."""

from typing import Any, NamedTuple

from conformance.model.reference import SUCCESS, Chain, fields_of, refuse

SENTINEL = b"the error acknowledgement"
"""Stands for UNIVERSAL_ERROR_ACKNOWLEDGEMENT, the SHA-256 of that name."""

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
        """The content of the commitment."""
        return self.destination, self.until_s, self.payload


class ClientChain(Chain):
    """A chain whose client was made by `creator`."""

    creator: str

    def register(self, client: str, counterparty: str) -> None:
        """Register the counterparty client, once, by the creator."""
        if client != self.client or self.signer != self.creator:
            refuse("Unauthorized")
        if self.state.counterparty:
            refuse("InvalidRequest")
        self.state.counterparty = counterparty
        self.state.send[client] = 1

    def configure(self, *relayers: str) -> None:
        """Set the allowed relayers, by the creator; an empty list allows all."""
        if self.signer != self.creator:
            refuse("Unauthorized")
        self.state.relayers = relayers

    def of_client(self, near: str, far: str) -> None:
        """Check that a packet belongs to the client and its counterparty."""
        if near != self.client or not self.state.counterparty:
            refuse("ClientCounterpartyNotFound")
        if far != self.state.counterparty:
            refuse("InvalidClientCounterparty")

    def routed(self, port: str) -> None:
        """Refuse a port without an application."""
        if port not in PORTS:
            refuse("InvalidRoute")

    def told(self, port: str, name: str) -> None:
        """Call the scripted application, which records the call."""
        if port == "mock2":
            self.calls.append(name)

    def send_v2(self, client: str, until_s: int, payload: tuple[str, str, str, str, bytes]) -> None:
        """Store a packet commitment, with a limited timeout, if the application agrees."""
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
        """Receive a packet, once and before its timeout."""
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
        """Return the application's acknowledgement; None if it is asynchronous.

        Failures give no details to chain A.
        """
        _, port, _, _, value = packet.payload
        if port == "transfer":
            answer = self.put((port, packet.source), (port, packet.destination), value)
            return answer if answer == SUCCESS else SENTINEL
        self.told(port, "on_recv_packet")
        if value == b"lie":
            refuse("InvalidAcknowledgementV2")
        return {b"later": None, b"refuse": SENTINEL}.get(value, b"done")

    def answer_v2(self, client: str, sequence: int, answer: bytes) -> None:
        """Store the acknowledgement of a packet that has none yet."""
        if (client, sequence) not in self.state.waiting or not answer:
            refuse("InvalidAcknowledgementV2")
        del self.state.waiting[client, sequence]
        self.state.acks[client, sequence] = answer

    def is_done_v2(self, packet: PacketV2) -> bool:
        """Return whether the packet has no commitment, or none any more."""
        promised = self.state.commitments.get((packet.source, packet.sequence))
        if promised not in {None, packet.promise}:
            refuse("InvalidPacketV2")
        return promised is None

    def acknowledge_v2(self, packet: PacketV2, answer: bytes, height: int) -> str | None:
        """Delete the commitment of a packet that B acknowledged."""
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
        """Time out a packet that B can no longer receive, by B's time."""
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
        """Refund the sender."""
        if packet.payload[0] == "transfer":
            self.refund(("transfer", packet.source), packet.payload[4])
