"""Errors of the queue protocol (codespace `queue`); their texts begin with the words of [IBC-channels]."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class QueueError(IbcError):
    """Any error of codespace `queue`."""

    codespace: ClassVar[str] = "queue"


class UnregisteredSender(QueueError):
    """The remote end that a packet or receipt is said to come from was never registered here.

    `queue/2`: [IBC-channels 3.5].
    """

    sender: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "unregistered sender {sender!a}"


class UnregisteredDestination(QueueError):
    """The remote end that a packet should go to was never registered, so there is no queue to push it to.

    `queue/3`: [IBC-channels 3.4].
    """

    destination: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "unregistered destination {destination!a}"


class WrongSender(QueueError):
    """A packet's source is not the registered end, or a proof's key belongs to another remote end.

    `queue/4`: [IBC-channels 3.4].
    """

    expected: str
    got: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "wrong sender {got!a}, expected {expected!a}"


class WrongPacketSequence(QueueError):
    """The message asks for a sequence other than the next one of the queue.

    `queue/5`: [IBC-channels 3.4].
    """

    expected: int
    got: int
    code: ClassVar[int] = 5
    text: ClassVar[str] = "wrong sequence {got}, expected {expected}"


class MustBeSend(QueueError):
    """The proof's key is not of a queue of sent packets; a receipt must not be received as a packet.

    `queue/6`: [IBC-packets 3.3].
    """

    key: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "must be a send, not {key}"


class MustBeRecipient(QueueError):
    """The proof's key is not of a queue of receipts; a packet must not be handled as a receipt.

    `queue/7`: [IBC-packets 3.4].
    """

    key: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "must be a recipient, not {key}"


class SentToDifferentChain(QueueError):
    """The proof's key names another destination than this chain: a valid proof, but not for us.

    `queue/8`: [IBC-packets 3.3], queues between chains.
    """

    expected: str
    got: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "sent to a different chain: {got!a}, not {expected!a}"


class WrongDestination(QueueError):
    """The proof's key names another destination than the registered channel end.

    `queue/9`: [IBC-channels 3.5], queues between channels.
    """

    expected: str
    got: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "wrong destination {got!a}, expected {expected!a}"


class OutOfOrder(QueueError):
    """A packet, receipt or timeout is not the next of its queue; queues are handled strictly in order.

    `queue/10`: [IBC-channels 3.5].
    """

    expected: int
    got: int
    code: ClassVar[int] = 10
    text: ClassVar[str] = "out of order: {got}, expected {expected}"


class MustSubmitHeader(QueueError):
    """The client has no header of the proof's height yet: update the client first.

    `queue/11`: [IBC-channels 3.5].
    """

    height: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "must submit header for height {height}"


class InvalidQueueProof(QueueError):
    """The proof does not verify against the root of the height it names.

    `queue/12`: [IBC-channels 3.5].
    """

    reason: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "invalid Merkle proof: {reason}"


class OnlyMessageProofs(QueueError):
    """The proof's key is a queue's head or tail: only elements of a queue are packets or receipts.

    `queue/13`: [IBC-packets 3.4].
    """

    key: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "only accepts message proofs, not one of {key}"


class MessageTimeoutNotYetReached(QueueError):
    """The packet's timeout has not passed at the proven height and time of the receiving chain.

    That chain could still execute the packet.

    `queue/14`: [ICS5-2019 Timeouts].
    """

    sequence: int
    height: str
    time_ns: int
    code: ClassVar[int] = 14
    text: ClassVar[str] = "message timeout not yet reached: packet {sequence}, height {height}, {time_ns} ns"


class PacketExpired(QueueError):
    """The packet came after its timeout.

    Never raised here: it is written into the receipt, and the sender rolls back when it reads it.

    `queue/15`: [ICS5-2019 Timeouts], its `TimeoutError`.
    """

    code: ClassVar[int] = 15
    text: ClassVar[str] = "the packet had expired when it came"


class UnknownPacketType(QueueError):
    """No application handles packets of this type.

    On the receiving chain it goes into the receipt, so that later packets are not blocked.

    `queue/16`: [IBC-packets 3.3].
    """

    packet_type: str
    code: ClassVar[int] = 16
    text: ClassVar[str] = "no application handles packets of type {packet_type!a}"


class QueueExhausted(QueueError):
    """The queue's next index would not fit into 64 bits.

    `queue/17`: an index has 64 bits (ADR 0014).
    """

    queue: str
    code: ClassVar[int] = 17
    text: ClassVar[str] = "queue {queue} has no index left: they end at 2^64-1"


class AdvanceBelowHead(QueueError):
    """The head would move back, or stay: elements that were popped would be there again.

    `queue/18`: ADR 0014.
    """

    head: int
    to: int
    code: ClassVar[int] = 18
    text: ClassVar[str] = "cannot advance to {to}, the head is {head}"


class InvalidEnd(QueueError):
    """An end is malformed, on the wrong chain, or at another level (chain or channel) than its partner.

    `queue/19`: ADR 0014.
    """

    end: str
    reason: str
    code: ClassVar[int] = 19
    text: ClassVar[str] = "invalid end {end!a}: {reason}"


class AlreadyRegistered(QueueError):
    """The end has a partner already; a second one would share its sequences.

    `queue/20`: ADR 0014.
    """

    end: str
    code: ClassVar[int] = 20
    text: ClassVar[str] = "{end!a} is registered"


class ClientOfAnotherChain(QueueError):
    """The light client follows another chain than the remote end names.

    Its proofs would vouch for the wrong chain.

    `queue/21`: ADR 0014.
    """

    client_id: str
    expected: str
    got: str
    code: ClassVar[int] = 21
    text: ClassVar[str] = "client {client_id} follows {got!a}, not {expected!a}"


class ConnectionBoundElsewhere(QueueError):
    """The local connection already belongs to another client or remote connection.

    `queue/22`: ADR 0014.
    """

    connection: str
    expected: str
    got: str
    code: ClassVar[int] = 22
    text: ClassVar[str] = "{connection!a} is bound to {expected!a}, not {got!a}"


class PacketTimeoutRequired(QueueError):
    """This chain requires a timeout on every packet, and the packet has none.

    `queue/23`: [ICS5-2019 Timeouts].
    """

    code: ClassVar[int] = 23
    text: ClassVar[str] = "packets of this chain need a timeout"


class PacketTimeoutTooFar(QueueError):
    """The packet's timeout is later than this chain's limit allows.

    `queue/24`: [ICS5-2019 Timeouts].
    """

    limit: str
    got: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "timeout {got} is beyond {limit}"


class InvalidQueuePacket(QueueError):
    """A packet has a malformed type or too much data, or its bytes are not in the canonical encoding.

    `queue/25`: ADR 0014.
    """

    reason: str
    code: ClassVar[int] = 25
    text: ClassVar[str] = "invalid packet: {reason}"


class InvalidReceipt(QueueError):
    """The proven bytes of the counterparty's receipt queue do not decode to a receipt.

    `queue/26`: ADR 0014.
    """

    sequence: int
    code: ClassVar[int] = 26
    text: ClassVar[str] = "receipt {sequence} cannot be read"


class ProtectedStore(QueueError):
    """An application tried to write the protocol's stores, emit its events, or use a context after its call.

    Queues have one writer; otherwise an application could forge packets of others.

    `queue/27`: [IBC-channels 3.3].
    """

    what: str
    code: ClassVar[int] = 27
    text: ClassVar[str] = "applications may not {what}"


class NoSuchPacket(QueueError):
    """The queue of sent packets has no element at this index: it was never sent, or is settled and removed.

    `queue/28`: ADR 0014.
    """

    sequence: int
    code: ClassVar[int] = 28
    text: ClassVar[str] = "packet {sequence} is not in the queue"


class QueueNotFound(QueueError):
    """No queue of this name exists.

    `queue/29`: ADR 0014.
    """

    queue: str
    code: ClassVar[int] = 29
    text: ClassVar[str] = "no queue {queue!a}"


class UnnamedChain(QueueError):
    """Light clients of this type do not say which chain they follow, so none can vouch for a remote end.

    `queue/30`: ADR 0014.
    """

    client_id: str
    code: ClassVar[int] = 30
    text: ClassVar[str] = "client {client_id} does not tell which chain it follows"
