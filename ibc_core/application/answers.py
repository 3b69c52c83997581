"""How much an application may say: what it returns and emits goes to every node, and partly into its state.

Gas limits what an application writes. What it returns and emits it does not write itself, so that has
limits of its own, the same on every chain.
"""

from collections.abc import Sequence

from ibc_core.errors import InvalidEvent, InvalidType, TooLarge

MAX_ACKNOWLEDGEMENT = 262_144
"""Bytes of an acknowledgement or a queue's result; as of a packet's data. A transaction has to hold it."""
MAX_VERSION = 65_536
"""Bytes of a channel's version; it stands in state, and in a transaction of the other chain."""
MAX_RESPONSE = 1_048_576
"""Bytes of the response to one message."""
MAX_EVENTS = 50_000
"""Events of one message."""
MAX_EVENT_BYTES = 16_777_216
"""Characters of one message's events, keys and types included."""
MAX_CONTRACT_EVENTS = 1_000
"""Events of one call of a contract: it must not use up what its message may emit."""
MAX_CONTRACT_EVENT_BYTES = 262_144
"""Characters of one call of a contract's events."""


def check_size(what: str, size: int, limit: int) -> None:
    """Checks what an application returned.

    Raises:
        TooLarge: it is larger than `limit`.
    """
    if size > limit:
        raise TooLarge(what, size, limit)


def check_events(events: Sequence[object], most: int = MAX_EVENTS, most_bytes: int = MAX_EVENT_BYTES) -> None:
    """Checks what one message emitted: events are tuples of text, and there is an end of them.

    Raises:
        InvalidEvent: one is something else, or its text is not valid UTF-8.
        TooLarge: there are more than `most`, or than `most_bytes` in them.
    """
    check_size("events", len(events), most)
    size = sum([_size(event) for event in events])
    check_size("events' text", size, most_bytes)


def checked_txs(answer: object) -> list[bytes]:
    """What a plugin proposes: a list or tuple of transactions.

    Raises:
        InvalidType: it is something else.
    """
    if not isinstance(answer, list | tuple):
        raise InvalidType("a list of bytes", type(answer).__name__)
    wrong = next((type(each).__name__ for each in answer if type(each) is not bytes), None)
    if wrong is not None:
        raise InvalidType("a list of bytes", f"one with {wrong}")
    return list(answer)


def _size(event: object) -> int:
    kind, attributes = _pair(event)
    if type(attributes) is not tuple:
        raise InvalidEvent(type(attributes).__name__)
    size = _length(kind)
    for attribute in attributes:
        key, value = _pair(attribute)
        size += _length(key) + _length(value)
    return size


def _pair(found: object) -> tuple[object, object]:
    if type(found) is not tuple:
        raise InvalidEvent(type(found).__name__)
    if len(found) != 2:
        raise InvalidEvent(f"a tuple of {len(found)}")
    return found


def _length(text: object) -> int:
    if type(text) is not str:
        raise InvalidEvent(type(text).__name__)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidEvent("half of a character") from None
    return len(text)
