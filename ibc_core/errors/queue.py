"""Errors of the queue protocol (codespace `queue`); their first words are the source documents'."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class QueueError(IbcError):
    """Any error of codespace `queue`."""

    codespace: ClassVar[str] = "queue"


@dataclass(eq=False)
class UnregisteredSender(QueueError):
    """000 3.5: `queue/2`."""

    sender: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "unregistered sender {sender!a}"


@dataclass(eq=False)
class UnregisteredDestination(QueueError):
    """000 3.4: `queue/3`."""

    destination: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "unregistered destination {destination!a}"


@dataclass(eq=False)
class WrongSender(QueueError):
    """000 3.4: `queue/4`."""

    expected: str
    got: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "wrong sender {got!a}, expected {expected!a}"


@dataclass(eq=False)
class WrongPacketSequence(QueueError):
    """000 3.4: `queue/5`."""

    expected: int
    got: int
    code: ClassVar[int] = 5
    text: ClassVar[str] = "wrong sequence {got}, expected {expected}"


@dataclass(eq=False)
class MustBeSend(QueueError):
    """001 3.3: `queue/6`."""

    key: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "must be a send, not {key}"


@dataclass(eq=False)
class MustBeRecipient(QueueError):
    """001 3.4: `queue/7`."""

    key: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "must be a recipient, not {key}"


@dataclass(eq=False)
class SentToDifferentChain(QueueError):
    """001 3.3, on connection queues: `queue/8`."""

    expected: str
    got: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "sent to a different chain: {got!a}, not {expected!a}"


@dataclass(eq=False)
class WrongDestination(QueueError):
    """000 3.5, on channel queues: `queue/9`."""

    expected: str
    got: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "wrong destination {got!a}, expected {expected!a}"


@dataclass(eq=False)
class OutOfOrder(QueueError):
    """000 3.5: `queue/10`."""

    expected: int
    got: int
    code: ClassVar[int] = 10
    text: ClassVar[str] = "out of order: {got}, expected {expected}"


@dataclass(eq=False)
class MustSubmitHeader(QueueError):
    """000 3.5: `queue/11`."""

    height: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "must submit header for height {height}"


@dataclass(eq=False)
class InvalidQueueProof(QueueError):
    """000 3.5: `queue/12`."""

    reason: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "invalid Merkle proof: {reason}"


@dataclass(eq=False)
class OnlyMessageProofs(QueueError):
    """001 3.4: `queue/13`."""

    key: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "only accepts message proofs, not one of {key}"


@dataclass(eq=False)
class MessageTimeoutNotYetReached(QueueError):
    """002 Timeouts: `queue/14`."""

    sequence: int
    height: str
    time_ns: int
    code: ClassVar[int] = 14
    text: ClassVar[str] = "message timeout not yet reached: packet {sequence}, height {height}, {time_ns} ns"


@dataclass(eq=False)
class PacketExpired(QueueError):
    """002's TimeoutError, in receipts only: `queue/15`."""

    code: ClassVar[int] = 15
    text: ClassVar[str] = "the packet had expired when it came"


@dataclass(eq=False)
class UnknownPacketType(QueueError):
    """001 3.3: `queue/16`."""

    packet_type: str
    code: ClassVar[int] = 16
    text: ClassVar[str] = "no application handles packets of type {packet_type!a}"


@dataclass(eq=False)
class QueueExhausted(QueueError):
    """An index beyond 64 bits: `queue/17`."""

    queue: str
    code: ClassVar[int] = 17
    text: ClassVar[str] = "queue {queue} has no index left: they end at 2^64-1"


@dataclass(eq=False)
class AdvanceBelowHead(QueueError):
    """It would bring elements back that were popped: `queue/18`."""

    head: int
    to: int
    code: ClassVar[int] = 18
    text: ClassVar[str] = "cannot advance to {to}, the head is {head}"


@dataclass(eq=False)
class InvalidEnd(QueueError):
    """An end that names no chain, connection and channel: `queue/19`."""

    end: str
    reason: str
    code: ClassVar[int] = 19
    text: ClassVar[str] = "invalid end {end!a}: {reason}"


@dataclass(eq=False)
class AlreadyRegistered(QueueError):
    """An end has one partner: `queue/20`."""

    end: str
    code: ClassVar[int] = 20
    text: ClassVar[str] = "{end!a} is registered"


@dataclass(eq=False)
class ClientOfAnotherChain(QueueError):
    """The client does not follow the remote chain: `queue/21`."""

    client_id: str
    expected: str
    got: str
    code: ClassVar[int] = 21
    text: ClassVar[str] = "client {client_id} follows {got!a}, not {expected!a}"


@dataclass(eq=False)
class ConnectionBoundElsewhere(QueueError):
    """A connection has one client and one remote connection: `queue/22`."""

    connection: str
    expected: str
    got: str
    code: ClassVar[int] = 22
    text: ClassVar[str] = "{connection!a} is bound to {expected!a}, not {got!a}"


@dataclass(eq=False)
class PacketTimeoutRequired(QueueError):
    """The chain wants a timeout on every packet: `queue/23`."""

    code: ClassVar[int] = 23
    text: ClassVar[str] = "packets of this chain need a timeout"


@dataclass(eq=False)
class PacketTimeoutTooFar(QueueError):
    """The chain caps timeouts: `queue/24`."""

    limit: str
    got: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "timeout {got} is beyond {limit}"


@dataclass(eq=False)
class InvalidQueuePacket(QueueError):
    """A packet that is none: `queue/25`."""

    reason: str
    code: ClassVar[int] = 25
    text: ClassVar[str] = "invalid packet: {reason}"


@dataclass(eq=False)
class InvalidReceipt(QueueError):
    """The other chain's queue holds a receipt that is none: `queue/26`."""

    sequence: int
    code: ClassVar[int] = 26
    text: ClassVar[str] = "receipt {sequence} cannot be read"


@dataclass(eq=False)
class ProtectedStore(QueueError):
    """An application tried to write where only the protocol writes: `queue/27`."""

    what: str
    code: ClassVar[int] = 27
    text: ClassVar[str] = "applications may not {what}"


@dataclass(eq=False)
class NoSuchPacket(QueueError):
    """Nothing was sent at this index, or it is done with: `queue/28`."""

    sequence: int
    code: ClassVar[int] = 28
    text: ClassVar[str] = "packet {sequence} is not in the queue"


@dataclass(eq=False)
class QueueNotFound(QueueError):
    """No queue of this name: `queue/29`."""

    queue: str
    code: ClassVar[int] = 29
    text: ClassVar[str] = "no queue {queue!a}"


@dataclass(eq=False)
class UnnamedChain(QueueError):
    """A light client that cannot say which chain it follows: `queue/30`."""

    client_id: str
    code: ClassVar[int] = 30
    text: ClassVar[str] = "client {client_id} does not tell which chain it follows"
