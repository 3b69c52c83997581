"""Ends, names and keys of provable queues [IBC-channels 3.2, 3.3], [IBC-packets 3.2], [IBC-queues 3.2].

A queue between two chains is named after the remote one: `ibc:<chain>:send` and `ibc:<chain>:receipt`. A
queue between channels is named after the remote end, followed by the owner's connection and channel:
`ibc:<chain>/<connection>/<channel>/<connection>/<channel>:outgoing` and `:incoming`. So chains that pair
their ends differently do not find each other's queues.

A key is the name, a zero byte, and `head`, `tail` or the index in eight big-endian bytes. Names have no zero
byte and the last part has four or eight bytes, so keys are unique and indexes sort as numbers.
"""

from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from pyibc.core.errors import InvalidIdentifier
from pyibc.core.identifiers import validate_channel_id, validate_connection_id
from pyibc.core.memo import memoize
from pyibc.core.numbers import be8
from pyibc.core.value import sealed, value
from pyibc.core.wire.table import on_wire
from pyibc.proto.pyibc.queue.v1 import queue_pb2
from pyibc.queues.errors import InvalidEnd

STORE_NAME = "queue"
"""Store name; counterparties verify proofs of it."""

MAX_CHAIN_ID_SIZE = 50
_CHAIN_ID = frozenset(map(chr, range(0x21, 0x7F))) - {"/"}
"""Printable ASCII without the slash, which separates the parts of an end."""


@on_wire(queue_pb2.End)
@sealed
class End(NamedTuple):
    """End of a pair of queues; connection and channel are empty for queues between chains."""

    chain: str
    connection: str = ""
    channel: str = ""

    @property
    def text(self) -> str:
        """Text form: `chain`, or `chain/connection/channel`."""
        return "/".join(self) if self.channel else self.chain

    @property
    def is_channel(self) -> bool:
        """Return whether the end is a channel, not a whole chain."""
        return bool(self.channel)


@lru_cache(1024)
def validate_end(end: End) -> None:
    """Check the form of an end.

    Raises:
        InvalidEnd: the chain id is not 1 to 50 printable characters without slash and space, connection
            or channel is not an identifier (ICS-24), or one of the two is missing.
    """
    if not 1 <= len(end.chain) <= MAX_CHAIN_ID_SIZE or not _CHAIN_ID.issuperset(end.chain):
        raise InvalidEnd(end.text[:64], "chain id")
    if not end.connection and not end.channel:
        return
    try:
        validate_connection_id(end.connection)
        validate_channel_id(end.channel)
    except InvalidIdentifier as error:
        raise InvalidEnd(end.text[:64], str(error)) from error


@memoize(1024)
def parse_end(text: str) -> End | None:
    """Parse the text form of an end, None if it is malformed."""
    parts = text.split("/")
    if len(parts) not in {1, 3} or not all(parts):
        return None
    end = End(*parts)
    try:
        validate_end(end)
    except InvalidEnd:
        return None
    return end


class Role(Enum):
    """Direction of a queue: the two queues of an end on one chain."""

    SEND = ("send", "outgoing")  # packets sent by this chain
    RECEIPT = ("receipt", "incoming")  # receipts of received packets


_ROLES = {(word, is_channel): role for role in Role for is_channel, word in enumerate(role.value)}

Queue = bytes
"""Queue as keepers name it: its name and the zero byte, the prefix of its keys."""


def queue_name(local: End, remote: End, role: Role) -> str:
    """Return the name of the queue that belongs to the end `local` and serves `remote`, on another chain."""
    owner = f"/{local.connection}/{local.channel}" if local.channel else ""
    return f"ibc:{remote.text}{owner}:{role.value[remote.is_channel]}"


@lru_cache(1024)
def queue_of(local: End, remote: End, role: Role) -> Queue:
    """Return the key prefix of the queue that belongs to `local` and serves `remote`."""
    return queue_name(local, remote, role).encode() + b"\0"


def head_key(queue: Queue) -> bytes:
    """Return the key of the index of the first element, eight bytes big-endian."""
    return queue + b"head"


def tail_key(queue: Queue) -> bytes:
    """Return the key of the index after the last element, eight bytes big-endian."""
    return queue + b"tail"


def element_key(queue: Queue, index: int) -> bytes:
    """Return the key of the element at `index` (0 to 2^64-1)."""
    return queue + be8(index)


@sealed
class QueueName(NamedTuple):
    """Parts of a queue's name."""

    remote: End  # remote end
    connection: str  # of the local end; empty, like the channel, for queues between chains
    channel: str
    role: Role


@value
class QueueKey:
    """Parts of a key: k = (remote id, [send|receipt], [head|tail|index])."""

    name: QueueName
    index: int | None  # None: head or tail


def parse_name(name: str) -> QueueName | None:
    """Parse a queue's name, None if it is malformed."""
    text, colon, word = name.rpartition(":")
    parts = text.removeprefix("ibc:").split("/")
    is_channel = len(parts) == 5
    role = _ROLES.get((word, is_channel))
    if not colon or role is None or not text.startswith("ibc:") or len(parts) not in {1, 5}:
        return None
    remote = parse_end("/".join(parts[:3]))
    if remote is None or (is_channel and parse_end("/".join((remote.chain, *parts[3:]))) is None):
        return None
    return QueueName(remote, parts[3], parts[4], role) if is_channel else QueueName(remote, "", "", role)


def parse_key(key: bytes) -> QueueKey | None:
    """Parse a key of the store, None if it is not one of a queue."""
    raw, zero, place = key.partition(b"\0")
    if not zero or not raw.isascii():
        return None
    name = parse_name(raw.decode("ascii"))
    if name is None:
        return None
    if len(place) == 8:
        return QueueKey(name, int.from_bytes(place, "big"))
    return QueueKey(name, None) if place in {b"head", b"tail"} else None


# -- registrations, in the same store, under keys that no queue can have


def registration_key(remote: End) -> bytes:
    """Return the key of a remote end's registration."""
    return REGISTRATIONS + remote.text.encode()


def local_key(local: End) -> bytes:
    """Return the key of the remote end that a local channel end is paired with."""
    return b"local/" + local.text.encode()


def connection_key(connection: str) -> bytes:
    """Return the key of a local connection's binding."""
    return b"connection/" + connection.encode()


REGISTRATIONS = b"registration/"


def is_registration_key(below: bytes) -> bool:
    """Return whether bytes after the prefix `REGISTRATIONS` name a remote end."""
    return below.isascii() and parse_end(below.decode("ascii")) is not None
