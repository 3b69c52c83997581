"""Ends, names and keys of provable queues (000 3.2-3.3, 001 3.2, 004 3.1-3.2).

A queue is named by the remote end that it serves: `ibc:<chain>:send` and `ibc:<chain>:receipt` between two
chains, `ibc:<chain>/<connection>/<channel>:outgoing` and `:incoming` for a channel. Its keys are the name, a
zero byte, and `head`, `tail` or the index in eight big-endian bytes: no name has a zero byte, and what
follows is four or eight bytes long, so no two keys are equal and indexes sort as numbers.
"""

from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from ibc_module.core.identifiers import validate_channel_id, validate_connection_id
from ibc_module.core.numbers import be8
from ibc_module.core.value import value
from ibc_module.errors import InvalidEnd, InvalidIdentifier

STORE_NAME = "queue"
"""Name of the store; counterparties prove against it."""

MAX_CHAIN_ID_SIZE = 50
_CHAIN_ID = frozenset(map(chr, range(0x21, 0x7F))) - {"/"}
"""Printable ASCII without the slash, which separates an end's parts."""


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


@lru_cache(1024)
def parse_end(text: str) -> End | None:
    """The end that `text` spells, None where it spells none."""
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


def queue_name(remote: End, role: Role) -> str:
    """The name of this chain's queue for the end `remote` of another chain."""
    return f"ibc:{remote.text}:{role.value[remote.is_channel]}"


@lru_cache(1024)
def queue_of(remote: End, role: Role) -> Queue:
    """The queue for the end `remote` of another chain."""
    return queue_name(remote, role).encode() + b"\0"


def head_key(queue: Queue) -> bytes:
    """Where the index of the first element stands, eight bytes big-endian."""
    return queue + b"head"


def tail_key(queue: Queue) -> bytes:
    """Where the index after the last element stands, eight bytes big-endian."""
    return queue + b"tail"


def element_key(queue: Queue, index: int) -> bytes:
    """Where the element of `index` (0 to 2^64-1) stands."""
    return queue + be8(index)


@value
class QueueKey:
    """What a key says: k = (remote id, [send|receipt], [head|tail|index])."""

    remote: End  # the end that the queue serves, seen from the chain that keeps it
    role: Role
    index: int | None  # None: head or tail


def parse_name(name: str) -> tuple[End, Role] | None:
    """The end that a queue serves and its role, None where `name` names no queue."""
    text, colon, word = name.rpartition(":")
    if not colon or not text.startswith("ibc:"):
        return None
    end = parse_end(text[4:])
    role = None if end is None else _ROLES.get((word, end.is_channel))
    return None if end is None or role is None else (end, role)


def parse_key(key: bytes) -> QueueKey | None:
    """What a key of the store means, None where it is not one of a queue."""
    raw, zero, place = key.partition(b"\0")
    if not zero or not raw.isascii():
        return None
    named = parse_name(raw.decode("ascii"))
    if named is None:
        return None
    if len(place) == 8:
        return QueueKey(*named, int.from_bytes(place, "big"))
    return QueueKey(*named, None) if place in {b"head", b"tail"} else None


# -- registrations, in the same store: none of their keys begins as a queue's


def registration_key(remote: End) -> bytes:
    """Where the registration of a remote end stands."""
    return REGISTRATIONS + remote.text.encode()


def local_key(local: End) -> bytes:
    """Where the text of the remote end stands that a channel's end of ours talks to."""
    return b"local/" + local.text.encode()


def connection_key(connection: str) -> bytes:
    """Where the binding of a connection of ours stands."""
    return b"connection/" + connection.encode()


REGISTRATIONS = b"registration/"


def is_registration_key(below: bytes) -> bool:
    """Whether bytes below `REGISTRATIONS` name a remote end."""
    return below.isascii() and parse_end(below.decode("ascii")) is not None
