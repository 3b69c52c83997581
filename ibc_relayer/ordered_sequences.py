"""Sequences of pending packets in the orders in which a plan asks for them, kept as packets come and go."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import TypeVar

from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.numbers import MAX_U64
from ibc_core.packet_v2.types import NS_PER_S, PacketV2
from ibc_relayer.packets import AnyPacket

_K = TypeVar("_K", int, Height)


class OrderedSequences:
    """A set of sequences, ascending. They mostly come in that order, and then nothing is ever sorted."""

    def __init__(self) -> None:
        """No sequences."""
        self._known: dict[int, None] = {}
        self._highest = 0
        self._sorted = True

    def add(self, sequence: int) -> None:
        """Adds a sequence."""
        if sequence not in self._known:
            self._sorted = self._sorted and (sequence > self._highest or not self._known)
            self._highest = sequence if not self._known else max(self._highest, sequence)
            self._known[sequence] = None

    def discard(self, sequence: int) -> None:
        """Removes a sequence, if it is there."""
        self._known.pop(sequence, None)

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[int]:
        if not self._sorted:
            self._known = dict.fromkeys(sorted(self._known))
            self._sorted = True
        return iter(self._known)


class Deadlines:
    """When packets time out, earliest first: which have is found without a look at those that have not."""

    def __init__(self) -> None:
        """No packets."""
        self._times: list[tuple[int, int]] = []  # unix nanoseconds, sequence
        self._heights: list[tuple[Height, int]] = []

    def add(self, packet: AnyPacket) -> None:
        """Adds a packet."""
        time_ns, height = _deadline(packet)
        if time_ns:
            insort(self._times, (time_ns, packet.sequence))
        if height != ZERO_HEIGHT:
            insort(self._heights, (height, packet.sequence))

    def discard(self, packet: AnyPacket) -> None:
        """Removes a packet that was added."""
        time_ns, height = _deadline(packet)
        _remove(self._times, (time_ns, packet.sequence))
        _remove(self._heights, (height, packet.sequence))

    def passed(self, height: Height, time_ns: int) -> list[int]:
        """The sequences of those that have timed out at this height and time of the receiver, ascending."""
        by_time = self._times[: bisect_right(self._times, (time_ns, MAX_U64))]
        by_height = self._heights[: bisect_right(self._heights, (height, MAX_U64))]
        return sorted({each[1] for each in (*by_time, *by_height)})


def _deadline(packet: AnyPacket) -> tuple[int, Height]:
    if isinstance(packet, PacketV2):
        return packet.timeout_s_on_b * NS_PER_S, ZERO_HEIGHT
    return packet.timeout_ns_on_b, packet.timeout_height_on_b


def _remove(listed: list[tuple[_K, int]], entry: tuple[_K, int]) -> None:
    at = bisect_left(listed, entry)
    if at < len(listed) and listed[at] == entry:
        del listed[at]
