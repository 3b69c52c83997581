"""What became of a channel's packets, by the blocks of both chains."""

from bisect import bisect_right
from typing import NamedTuple

from ibc_core.host.block import CommittedBlock
from ibc_core.packet.event_reader import ACKNOWLEDGE_PACKET, RECV_PACKET, SEND_PACKET, read_packet_event
from ibc_relayer.backlog import events_of
from ibc_relayer.rpc_blocks import RpcBlocks
from ibc_relayer.rpc_client import HttpRpc

NS = 1e9


class Fate(NamedTuple):
    """Of the packets sent since some block."""

    sent: int
    sending_s: float  # from the first block with packets to the last
    delivered_while_sending: int
    acknowledged: int
    took: list[tuple[float, int]]  # of each delivered one: seconds, and blocks of the receiving chain
    blocks_s: tuple[float, float]  # mean time between blocks of both chains

    def delivery_s(self, part: float) -> float:
        """The time below which that part of deliveries lies."""
        return _at(sorted(s for s, _ in self.took), part)

    def delivery_blocks(self, part: float) -> int:
        """The number of blocks below which that part of deliveries lies."""
        return int(_at(sorted(float(blocks) for _, blocks in self.took), part))


class Fates:
    """The packets of one channel from a to b, whose channel there has the same id."""

    def __init__(self, url_a: str, url_b: str, channel: str) -> None:
        """Nothing is read yet."""
        self._urls = url_a, url_b
        self._channel = channel

    def sent_rate(self, first: int) -> float:
        """Packets sent a second, from the first block after `first` that has some to the last."""
        counts = [(block.time_ns, len(found)) for block, found in self._found(0, first, SEND_PACKET) if found]
        took_s = (counts[-1][0] - counts[0][0]) / NS
        return sum(count for _, count in counts[:-1]) / took_s

    def since(self, first_a: int, first_b: int) -> Fate:
        """What became of those sent after block `first_a`, received after `first_b`."""
        sent, times_a = self._times(0, first_a, SEND_PACKET)
        received, times_b = self._times(1, first_b, RECV_PACKET)
        acknowledged, _ = self._times(0, first_a, ACKNOWLEDGE_PACKET)
        begin, end = min(sent.values()), max(sent.values())
        took = [
            ((received[each] - at) / NS, bisect_right(times_b, received[each]) - bisect_right(times_b, at))
            for each, at in sent.items()
            if each in received
        ]
        return Fate(
            len(sent),
            (end - begin) / NS,
            sum(1 for at in received.values() if at <= end),
            len(acknowledged),
            took,
            (_mean(times_a, begin, end), _mean(times_b, begin, end)),
        )

    def _times(self, side: int, first: int, kind: str) -> tuple[dict[int, int], list[int]]:
        """Time of the block of each sequence's event, and of all blocks."""
        found: dict[int, int] = {}
        times = []
        for block, sequences in self._found(side, first, kind):
            times.append(block.time_ns)
            found |= dict.fromkeys(sequences, block.time_ns)
        return found, times

    def _found(self, side: int, first: int, kind: str):
        """Every block after `first`, with the sequences of its events of that kind."""
        rpc = HttpRpc(self._urls[side])
        blocks = RpcBlocks(rpc)
        for height in range(first + 1, blocks.last_height() + 1):
            block = blocks.block(height)
            yield block, list(self._sequences(block, kind))
        rpc.close()

    def _sequences(self, block: CommittedBlock, kind: str):
        for event in events_of(block):
            if event[0] == kind:
                seen = read_packet_event(event)
                if seen is not None and seen.packet.channel_id_on_a == self._channel:
                    yield seen.packet.sequence


def _at(values: list[float], part: float) -> float:
    return values[int(part * (len(values) - 1))] if values else 0.0


def _mean(times: list[int], begin: int, end: int) -> float:
    inside = [at for at in times if begin <= at <= end]
    return (inside[-1] - inside[0]) / NS / max(1, len(inside) - 1) if inside else 0.0
