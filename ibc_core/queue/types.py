"""Ends, names and keys of provable queues [IBC-channels 3.2, 3.3], [IBC-packets 3.2], [IBC-queues 3.2].

Between two chains a queue is named by the remote one: `ibc:<chain>:send` and `ibc:<chain>:receipt`. A
channel's is named by the remote end, then by connection and channel of the end that it belongs to:
`ibc:<chain>/<connection>/<channel>/<connection>/<channel>:outgoing` and `:incoming`. So chains that pair
their ends differently do not find each other's queues. Keys are the name, a zero byte, and `head`, `tail` or
the index in eight big-endian bytes: no name has a zero byte, and what follows is four or eight bytes long, so
no two keys are equal and indexes sort as numbers.
"""

from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from ibc_core.errors import InvalidIdentifier
from ibc_core.errors.queue import InvalidEnd
from ibc_core.identifiers import validate_channel_id, validate_connection_id
from ibc_core.kept import kept
from ibc_core.numbers import be8
from ibc_core.value import sealed, value
from ibc_core.wire.table import on_wire
from ibc_proto.pyibc.queue.v1 import queue_pb2

STORE_NAME = "queue"
"""Name of the store; counterparties prove against it."""

MAX_CHAIN_ID_SIZE = 50
_CHAIN_ID = frozenset(map(chr, range(0x21, 0x7F))) - {"/"}
"""Printable ASCII without the slash, which separates an end's parts."""


@on_wire(queue_pb2.End)
@sealed
class End(NamedTuple):
    """One end of a pair of queues. Connection and channel are both empty at connection level."""

    chain: str
    connection: str = ""
    channel: str = ""

    @property
    def text(self) -> str:
        """`chain`, or `chain/connection/channel`."""
        return "/".join(self) if self.channel else self.chain

    @property
    def is_channel(self) -> bool:
        """Whether it is a channel's, not a whole chain's."""
        return bool(self.channel)


@lru_cache(1024)
def validate_end(end: End) -> None:
    """Checks the form of an end.

    Raises:
        InvalidEnd: the chain id is not 1 to 50 printable characters without slash and space, connection or
            channel is no identifier (ICS-24), or one of the two is missing.
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


@kept(1024)
def parse_end(text: str) -> End | None:
    """The end in `text`, None if it is malformed."""
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
    """Which of an end's two queues on one chain."""

    SEND = ("send", "outgoing")  # packets that leave this chain
    RECEIPT = ("receipt", "incoming")  # results of packets that came


_ROLES = {(word, is_channel): role for role in Role for is_channel, word in enumerate(role.value)}

Queue = bytes
"""A queue as keepers take it: its name and the zero byte, the beginning of its keys."""


def queue_name(local: End, remote: End, role: Role) -> str:
    """The name of the queue that belongs to `local`, on its chain, and serves `remote`, on another."""
    owner = f"/{local.connection}/{local.channel}" if local.channel else ""
    return f"ibc:{remote.text}{owner}:{role.value[remote.is_channel]}"


@lru_cache(1024)
def queue_of(local: End, remote: End, role: Role) -> Queue:
    """The queue that belongs to `local`, on its chain, and serves `remote`, on another."""
    return queue_name(local, remote, role).encode() + b"\0"


def head_key(queue: Queue) -> bytes:
    """Key of the index of the first element, eight bytes big-endian."""
    return queue + b"head"


def tail_key(queue: Queue) -> bytes:
    """Key of the index after the last element, eight bytes big-endian."""
    return queue + b"tail"


def element_key(queue: Queue, index: int) -> bytes:
    """Key of the element of `index` (0 to 2^64-1)."""
    return queue + be8(index)


@sealed
class QueueName(NamedTuple):
    """The parts of a queue's name."""

    remote: End  # the end that it serves, seen from the chain that keeps it
    connection: str  # of the end that it belongs to; empty at connection level, as the channel
    channel: str
    role: Role


@value
class QueueKey:
    """The parts of a key: k = (remote id, [send|receipt], [head|tail|index])."""

    name: QueueName
    index: int | None  # None: head or tail


def parse_name(name: str) -> QueueName | None:
    """The parts of a queue's name, None if it is malformed."""
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
    """The parts of a key of the store, None if it is not one of a queue."""
    raw, zero, place = key.partition(b"\0")
    if not zero or not raw.isascii():
        return None
    name = parse_name(raw.decode("ascii"))
    if name is None:
        return None
    if len(place) == 8:
        return QueueKey(name, int.from_bytes(place, "big"))
    return QueueKey(name, None) if place in {b"head", b"tail"} else None


# -- registrations, in the same store: none of their keys begins as a queue's


def registration_key(remote: End) -> bytes:
    """Key of the registration of a remote end."""
    return REGISTRATIONS + remote.text.encode()


def local_key(local: End) -> bytes:
    """Key of the text of the remote end that a local channel end is paired with."""
    return b"local/" + local.text.encode()


def connection_key(connection: str) -> bytes:
    """Key of the binding of a local connection."""
    return b"connection/" + connection.encode()


REGISTRATIONS = b"registration/"


def is_registration_key(below: bytes) -> bool:
    """Whether bytes below `REGISTRATIONS` name a remote end."""
    return below.isascii() and parse_end(below.decode("ascii")) is not None
