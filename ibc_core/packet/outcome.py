"""What a packet message came to."""

from enum import IntEnum
from typing import Final


class Outcome(IntEnum):
    """Result in the responses of packet messages; numbers are the wire's."""

    NOOP = 1
    SUCCESS = 2


class Redundant:
    """What `validate` answers when another relayer was faster: not an error, nothing to execute."""

    __slots__ = ()


REDUNDANT: Final = Redundant()
