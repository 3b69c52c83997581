"""Fate of a channel's packets, from the blocks of both chains."""

from bisect import bisect_right
from typing import NamedTuple

from pyibc.core.host.block import CommittedBlock
from pyibc.core.packet.events import ACKNOWLEDGE_PACKET, RECV_PACKET, SEND_PACKET, read_packet_event
from pyibc.relayer.daemon.connecting import UNREAD
from pyibc.relayer.packets.backlog import events_of
from pyibc.relayer.rpc.blocks import RpcBlocks
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig

NS = 1e9
KINDS = (SEND_PACKET, RECV_PACKET, ACKNOWLEDGE_PACKET)


class Fate(NamedTuple):
    """Figures of the packets sent since some block."""

    sent: int
    sending_s: float  # seconds from the first block with packets to the last
    delivered_while_sending: int
    acknowledged: int
    took: list[tuple[float, int]]  # of each delivered packet: seconds, and blocks of the receiving chain
    blocks_s: tuple[float, float]  # mean block interval of both chains

    def delivery_s(self, part: float) -> float:
        """Return a percentile of the delivery times, seconds."""
        return _at(sorted(s for s, _ in self.took), part)

    def delivery_blocks(self, part: float) -> int:
        """Return a percentile of the delivery times, blocks."""
        return int(_at(sorted(float(blocks) for _, blocks in self.took), part))

    def within(self, blocks: int) -> float:
        """Return the share of deliveries within `blocks` blocks."""
        return sum(1 for _, each in self.took if each <= blocks) / max(1, len(self.took))


class Fates:
    """Packets of one channel from a to b, with the same id on both chains."""

    def __init__(self, url_a: str, url_b: str, channel: str) -> None:
        """Create it without reading anything."""
        self._urls = url_a, url_b
        self._channel = channel

    def sent_rate(self, first: int) -> float:
        """Return packets sent per second, from the first block after `first` with packets to the last."""
        found = ((block.time_ns, len(kinds[SEND_PACKET])) for block, kinds in self._found(0, first))
        counts = [each for each in found if each[1]]
        took_s = (counts[-1][0] - counts[0][0]) / NS
        return sum(count for _, count in counts[:-1]) / took_s

    def since(self, first_a: int, first_b: int) -> Fate:
        """Return the figures of packets sent after block `first_a` and received after `first_b`."""
        on_a, times_a = self._times(0, first_a)
        on_b, times_b = self._times(1, first_b)
        sent, acknowledged, received = on_a[SEND_PACKET], on_a[ACKNOWLEDGE_PACKET], on_b[RECV_PACKET]
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

    def _times(self, side: int, first: int) -> tuple[dict[str, dict[int, int]], list[int]]:
        """Return block times by event kind and sequence, and the times of all blocks."""
        found: dict[str, dict[int, int]] = {kind: {} for kind in KINDS}
        times = []
        for block, kinds in self._found(side, first):
            times.append(block.time_ns)
            for kind, sequences in kinds.items():
                found[kind] |= dict.fromkeys(sequences, block.time_ns)
        return found, times

    def _found(self, side: int, first: int):
        """Yield every block after `first`, with the sequences of its packet events by kind."""
        rpc = HttpRpc(self._urls[side])
        blocks = RpcBlocks(rpc, RpcConfig(unread=UNREAD))
        for height in range(first + 1, blocks.last_height() + 1):
            block = blocks.block(height)
            yield block, self._sequences(block)
        rpc.close()

    def _sequences(self, block: CommittedBlock) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {kind: [] for kind in KINDS}
        for event in events_of(block):
            if event[0] in KINDS:
                seen = read_packet_event(event)
                if seen is not None and seen.packet.channel_id_on_a == self._channel:
                    found[event[0]].append(seen.packet.sequence)
        return found


def _at(values: list[float], part: float) -> float:
    return values[int(part * (len(values) - 1))] if values else 0.0


def _mean(times: list[int], begin: int, end: int) -> float:
    inside = [at for at in times if begin <= at <= end]
    return (inside[-1] - inside[0]) / NS / max(1, len(inside) - 1) if inside else 0.0
