"""Errors of the queue protocol (codespace `queue`); their texts begin with the words of [IBC-channels]."""

from pyibc.core.errors.base import IbcError


class QueueError(IbcError):
    """Base of the errors of codespace `queue`."""

    codespace = "queue"


class UnregisteredSender(QueueError, code=2, source="[IBC-channels 3.5]"):
    """The remote end that a packet or receipt claims to come from is not registered on this chain."""

    sender: str
    text = "unregistered sender {sender!a}"


class UnregisteredDestination(QueueError, code=3, source="[IBC-channels 3.4]"):
    """The destination of a packet is not registered on this chain, so it has no queue."""

    destination: str
    text = "unregistered destination {destination!a}"


class WrongSender(QueueError, code=4, source="[IBC-channels 3.4]"):
    """A packet's source is not the registered end, or a proof's key belongs to another remote end."""

    expected: str
    got: str
    text = "wrong sender {got!a}, expected {expected!a}"


class WrongPacketSequence(QueueError, code=5, source="[IBC-channels 3.4]"):
    """The message asks for a sequence other than the next one of the queue."""

    expected: int
    got: int
    text = "wrong sequence {got}, expected {expected}"


class MustBeSend(QueueError, code=6, source="[IBC-packets 3.3]"):
    """The proof's key is not of a queue of sent packets; a receipt must not be received as a packet."""

    key: str
    text = "must be a send, not {key}"


class MustBeRecipient(QueueError, code=7, source="[IBC-packets 3.4]"):
    """The proof's key is not of a queue of receipts; a packet must not be handled as a receipt."""

    key: str
    text = "must be a recipient, not {key}"


class SentToDifferentChain(QueueError, code=8, source="[IBC-packets 3.3], queues between chains"):
    """The proof's key names a destination other than this chain."""

    expected: str
    got: str
    text = "sent to a different chain: {got!a}, not {expected!a}"


class WrongDestination(QueueError, code=9, source="[IBC-channels 3.5], queues between channels"):
    """The proof's key names another destination than the registered channel end."""

    expected: str
    got: str
    text = "wrong destination {got!a}, expected {expected!a}"


class OutOfOrder(QueueError, code=10, source="[IBC-channels 3.5]"):
    """A packet, receipt or timeout is not the next of its queue; queues are handled strictly in order."""

    expected: int
    got: int
    text = "out of order: {got}, expected {expected}"


class MustSubmitHeader(QueueError, code=11, source="[IBC-channels 3.5]"):
    """The client has no header of the proof's height yet: update the client first."""

    height: str
    text = "must submit header for height {height}"


class InvalidQueueProof(QueueError, code=12, source="[IBC-channels 3.5]"):
    """The proof does not verify against the root of the height it names."""

    reason: str
    text = "invalid Merkle proof: {reason}"


class OnlyMessageProofs(QueueError, code=13, source="[IBC-packets 3.4]"):
    """The proof's key is a queue's head or tail: only elements of a queue are packets or receipts."""

    key: str
    text = "only accepts message proofs, not one of {key}"


class MessageTimeoutNotYetReached(QueueError, code=14, source="[ICS5-2019 Timeouts]"):
    """The packet's timeout has not passed at the proven height and time of the receiving chain.

    That chain could still execute the packet.
    """

    sequence: int
    height: str
    time_ns: int
    text = "message timeout not yet reached: packet {sequence}, height {height}, {time_ns} ns"


class PacketExpired(QueueError, code=15, source="[ICS5-2019 Timeouts], its `TimeoutError`"):
    """The packet arrived after its timeout.

    Never raised here: it is written into the receipt, and the sender rolls back when it reads it.
    """

    text = "the packet had expired when it arrived"


class UnknownPacketType(QueueError, code=16, source="[IBC-packets 3.3]"):
    """No application is registered for this packet type.

    On the receiving chain the error goes into the receipt, so that later packets are not blocked.
    """

    packet_type: str
    text = "no application handles packets of type {packet_type!a}"


class QueueExhausted(QueueError, code=17, source="an index has 64 bits (ADR 0014)"):
    """The queue's next index would not fit into 64 bits."""

    queue: str
    text = "queue {queue} has no index left; the last one is 2^64-1"


class AdvanceBelowHead(QueueError, code=18, source="ADR 0014"):
    """The new head is not above the current one: removed elements would return."""

    head: int
    to: int
    text = "cannot advance to {to}, the head is {head}"


class InvalidEnd(QueueError, code=19, source="ADR 0014"):
    """An end is malformed, on the wrong chain, or not at the level (chain or channel) of its partner."""

    end: str
    reason: str
    text = "invalid end {end!a}: {reason}"


class AlreadyRegistered(QueueError, code=20, source="ADR 0014"):
    """The end has a partner already; a second one would share its sequences."""

    end: str
    text = "{end!a} is registered"


class ClientOfAnotherChain(QueueError, code=21, source="ADR 0014"):
    """The light client tracks another chain than the remote end names.

    Its proofs would verify the wrong chain.
    """

    client_id: str
    expected: str
    got: str
    text = "client {client_id} tracks {got!a}, not {expected!a}"


class ConnectionBoundElsewhere(QueueError, code=22, source="ADR 0014"):
    """The local connection already belongs to another client or remote connection."""

    connection: str
    expected: str
    got: str
    text = "{connection!a} is bound to {expected!a}, not {got!a}"


class PacketTimeoutRequired(QueueError, code=23, source="[ICS5-2019 Timeouts]"):
    """This chain requires a timeout on every packet, and the packet has none."""

    text = "packets of this chain need a timeout"


class PacketTimeoutTooFar(QueueError, code=24, source="[ICS5-2019 Timeouts]"):
    """The packet's timeout is later than this chain's limit allows."""

    limit: str
    got: str
    text = "timeout {got} is beyond {limit}"


class InvalidQueuePacket(QueueError, code=25, source="ADR 0014"):
    """A packet has a malformed type or too much data, or its bytes are not in the canonical encoding."""

    reason: str
    text = "invalid packet: {reason}"


class InvalidReceipt(QueueError, code=26, source="ADR 0014"):
    """The proven value in the counterparty's receipt queue is not a receipt."""

    sequence: int
    text = "receipt {sequence} cannot be decoded"


class ProtectedStore(QueueError, code=27, source="[IBC-channels 3.3]"):
    """An application tried to write the protocol's stores, emit its events, or use a context after its call.

    Only the protocol writes queues; otherwise an application could forge packets of others.
    """

    what: str
    text = "applications may not {what}"


class NoSuchPacket(QueueError, code=28, source="ADR 0014"):
    """The queue of sent packets has no element at this index: never sent, or handled and removed."""

    sequence: int
    text = "packet {sequence} is not in the queue"


class QueueNotFound(QueueError, code=29, source="ADR 0014"):
    """No queue of this name exists."""

    queue: str
    text = "no queue {queue!a}"


class UnnamedChain(QueueError, code=30, source="ADR 0014"):
    """Light clients of this type do not name the chain they track, so they cannot verify a remote end."""

    client_id: str
    text = "client {client_id} does not name the chain that it tracks"
