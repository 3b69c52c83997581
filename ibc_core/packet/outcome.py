"""The outcome of a packet message."""

from enum import IntEnum
from typing import Final


class Outcome(IntEnum):
    """Result in the responses of packet messages; numbers as in protobuf."""

    NOOP = 1
    SUCCESS = 2


class Redundant:
    """The result of `validate` if another relayer was faster: no error, and nothing to execute."""

    __slots__ = ()


REDUNDANT: Final = Redundant()
