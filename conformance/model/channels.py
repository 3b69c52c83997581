"""Classic channels and their packets in the reference model."""

import json

from conformance.model.reference import (
    SUCCESS,
    Chain,
    End,
    Packet,
    Place,
    State,
    failure,
    fields_of,
    is_late,
    refuse,
)

PORTS = {"mock": "mock-version", "transfer": "ics20-1"}


class ChannelChain(Chain):
    """A chain with channels. `connections`: name -> (the counterparty's name for it, its delay)."""

    connections: dict[str, tuple[str, int]]

    def end(self, place: Place) -> End:
        """Return a channel end of this chain."""
        if place[0] not in PORTS:
            refuse("InvalidRoute")
        return self.state.ends.get(place) or refuse("ChannelNotFound")

    def open_end(self, place: Place) -> End:
        """Return an open channel end."""
        end = self.end(place)
        return end if end.state == "OPEN" else refuse("InvalidChannelState")

    def call(self, place: Place, name: str) -> None:
        """Call the scripted application, which records the call."""
        if place[0] == "mock":
            self.calls.append(name)

    # -- handshake

    def new_end(self, port: str, end: End) -> None:
        """Store an end under the next free channel id; ICS-20 has no ordered channels."""
        place = (port, f"channel-{self.state.channels}")
        self.state.channels += 1
        if port == "transfer" and end.ordered:
            refuse("InvalidChannelOrdering")
        self.state.ends[place] = end
        for counter in (self.state.send, self.state.recv, self.state.ack):
            counter[place] = 1

    def open_init(self, port: str, ordered: bool, connection: str, version: str) -> None:
        """Open an end in INIT."""
        if connection not in self.connections:
            refuse("ConnectionNotFound")
        self.must_be_active()
        self.call((port, ""), "on_chan_open_init")
        if port == "transfer" and not ordered and version not in {"", "ics20-1"}:
            refuse("InvalidTransferVersion")
        self.new_end(port, End("INIT", ordered, (port, ""), connection, version or PORTS[port]))

    def open_try(
        self, port: str, ordered: bool, connection: str, far: Place, version: str, height: int
    ) -> None:
        """Open an end in TRYOPEN, if A has a matching one in INIT."""
        if connection not in self.connections:
            refuse("ConnectionNotFound")
        asked = End("INIT", ordered, (port, ""), self.connections[connection][0], version)
        self.shown(self.look(height).ends, far, asked)
        self.call((port, ""), "on_chan_open_try")
        self.new_end(port, End("TRYOPEN", ordered, far, connection, PORTS[port]))

    def open_ack(self, place: Place, far_channel: str, version: str, height: int) -> None:
        """Open A's end, if B has a matching one in TRYOPEN."""
        end = self.end(place)
        if end.state != "INIT":
            refuse("InvalidChannelState")
        far = (end.far[0], far_channel)
        self.shown(self.look(height).ends, far, self.mirror(place, end, "TRYOPEN", version))
        self.state.ends[place] = end._replace(state="OPEN", far=far, version=version)
        self.call(place, "on_chan_open_ack")

    def open_confirm(self, place: Place, height: int) -> None:
        """Open B's end, if A's is OPEN."""
        end = self.end(place)
        if end.state != "TRYOPEN":
            refuse("InvalidChannelState")
        self.shown(self.look(height).ends, end.far, self.mirror(place, end, "OPEN", end.version))
        self.state.ends[place] = end._replace(state="OPEN")
        self.call(place, "on_chan_open_confirm")

    def close_init(self, place: Place) -> None:
        """Close a channel by a user's message: the application is asked first, and ICS-20 refuses."""
        if place[0] == "transfer":
            refuse("InvalidRequest")
        self.call(place, "on_chan_close_init")
        self.close(place)

    def close(self, place: Place) -> None:
        """Close a channel by its application."""
        end = self.end(place)
        if end.state == "CLOSED":
            refuse("InvalidChannelState")
        self.must_be_active()
        self.state.ends[place] = end._replace(state="CLOSED")

    def close_confirm(self, place: Place, height: int) -> None:
        """Close this end, if the other end is CLOSED."""
        self.call(place, "on_chan_close_confirm")
        end = self.end(place)
        if end.state == "CLOSED":
            refuse("InvalidChannelState")
        self.shown(self.look(height).ends, end.far, self.mirror(place, end, "CLOSED", end.version))
        self.state.ends[place] = end._replace(state="CLOSED")

    def mirror(self, place: Place, end: End, state: str, version: str) -> End:
        """Return the counterparty end that a proof must show."""
        return End(state, end.ordered, place, self.connections[end.connection][0], version)

    # -- packets

    def send_packet(self, place: Place, data: bytes, until_height: int, until_ns: int) -> None:
        """Store a packet commitment."""
        end = self.open_end(place)
        packet = Packet(self.state.send[place], place, end.far, data, until_height, until_ns)
        if not data or (not until_height and not until_ns):
            refuse("InvalidPacket")
        self.must_be_active()
        newest = max(self.state.seen)
        if is_late(packet, newest, self.other.past[newest][0]):
            refuse("TimeoutElapsed")
        self.state.send[place] += 1
        self.state.commitments[place, packet.sequence] = packet.promise

    def transfer(
        self, place: Place, denom: str, amount: int, receiver: str, until_height: int, until_ns: int
    ) -> None:
        """Send coins from a user."""
        fields = {"denom": denom, "amount": str(amount), "sender": self.user, "receiver": receiver}
        self.take(place, denom, amount)
        self.send_packet(place, json.dumps(fields, separators=(",", ":")).encode(), until_height, until_ns)

    def receive(self, packet: Packet, height: int) -> str | None:
        """Receive a packet, once and before its timeout."""
        place, name = packet.destination, (packet.destination, packet.sequence)
        end = self.open_end(place)
        if end.far != packet.source:
            refuse("InvalidPacket")
        if is_late(packet, self.height, self.time):
            refuse("TimeoutElapsed")
        far = self.look(height, self.connections[end.connection][1])
        self.shown(far.commitments, (packet.source, packet.sequence), packet.promise)
        if end.ordered and packet.sequence > self.state.recv[place]:
            refuse("PacketSequenceOutOfOrder")
        if name in self.state.receipts or (end.ordered and packet.sequence < self.state.recv[place]):
            return "noop"
        if end.ordered:
            self.state.recv[place] += 1
        else:
            self.state.receipts[name] = True
        answer = self.answer_of(packet)
        if answer is not None:
            self.answer(packet, answer)
        return None

    def answer_of(self, packet: Packet) -> bytes | None:
        """Return the application's acknowledgement, or None if it is asynchronous."""
        if packet.destination[0] == "transfer":
            return self.put(packet.source, packet.destination, packet.data)
        self.calls.append("on_recv_packet")
        if packet.data == b"refuse":
            return failure(7)
        self.state.last = packet.data
        return None if packet.data == b"later" else SUCCESS

    def answer(self, packet: Packet, acknowledgement: bytes) -> None:
        """Store the acknowledgement of a packet, once."""
        self.open_end(packet.destination)
        name = (packet.destination, packet.sequence)
        if name in self.state.acks:
            refuse("AcknowledgementExists")
        if not acknowledgement:
            refuse("InvalidAcknowledgement")
        self.state.acks[name] = acknowledgement

    def is_done(self, packet: Packet) -> bool:
        """Return whether the packet has no commitment, or none any more."""
        promised = self.state.commitments.get((packet.source, packet.sequence))
        if promised not in {None, packet.promise}:
            refuse("InvalidPacket")
        return promised is None

    def acknowledge(self, packet: Packet, acknowledgement: bytes, height: int) -> str | None:
        """Delete the commitment of a packet that B acknowledged."""
        end = self.open_end(packet.source)
        if end.far != packet.destination:
            refuse("InvalidPacket")
        if (packet.source, packet.sequence) not in self.state.commitments:
            return "noop"
        if acknowledgement.replace(b" ", b"") == SUCCESS != acknowledgement:
            refuse("InvalidAcknowledgement")
        self.is_done(packet)
        far = self.look(height, self.connections[end.connection][1])
        self.shown(far.acks, (packet.destination, packet.sequence), acknowledgement)
        if end.ordered and packet.sequence != self.state.ack[packet.source]:
            refuse("PacketSequenceOutOfOrder")
        if end.ordered:
            self.state.ack[packet.source] += 1
        del self.state.commitments[packet.source, packet.sequence]
        self.call(packet.source, "on_acknowledgement_packet")
        if packet.source[0] == "transfer":
            self.learn_answer(packet, acknowledgement)
        return None

    def learn_answer(self, packet: Packet, acknowledgement: bytes) -> None:
        """Refund coins that B refused; ICS-20 accepts only acknowledgements of the standard form."""
        fields = fields_of(acknowledgement) or refuse("UnknownRequest")
        if fields_of(packet.data) is None:
            refuse("InvalidType")
        if "error" in fields:
            self.refund(packet.source, packet.data)

    def timeout(self, packet: Packet, next_recv: int, height: int) -> str | None:
        """Time out a packet that B can no longer receive, by B's height or time."""
        end = self.end(packet.source)
        if end.far != packet.destination:
            refuse("InvalidPacket")
        if height not in self.state.seen:
            refuse("ConsensusStateNotFound")
        if not is_late(packet, height, self.other.past[height][0]):
            refuse("TimeoutNotReached")
        if self.is_done(packet):
            return "noop"
        if end.ordered and next_recv > packet.sequence:
            refuse("PacketReceived")
        self.take_back(packet, end, next_recv, height)
        return None

    def timeout_on_close(self, packet: Packet, next_recv: int, height: int) -> str | None:
        """Time out a packet that B can no longer receive because B closed its end."""
        end = self.end(packet.source)
        if end.far != packet.destination:
            refuse("InvalidPacket")
        if self.is_done(packet):
            return "noop"
        closed = self.mirror(packet.source, end, "CLOSED", end.version)
        self.shown(self.look(height).ends, packet.destination, closed)
        if end.ordered and next_recv > packet.sequence:
            refuse("InvalidPacket")
        self.take_back(packet, end, next_recv, height)
        return None

    def take_back(self, packet: Packet, end: End, next_recv: int, height: int) -> None:
        """Revert a packet that B did not receive; an ordered channel closes."""
        far: State = self.look(height, self.connections[end.connection][1])
        if end.ordered:
            self.shown(far.recv, packet.destination, next_recv)
            self.state.ends[packet.source] = end._replace(state="CLOSED")
        else:
            self.shown(far.receipts, (packet.destination, packet.sequence), None)
        del self.state.commitments[packet.source, packet.sequence]
        self.call(packet.source, "on_timeout_packet")
        if packet.source[0] == "transfer":
            self.refund(packet.source, packet.data)
