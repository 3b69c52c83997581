"""What became of a channel's packets, by the blocks of both chains."""

from bisect import bisect_right
from typing import NamedTuple

from ibc_core.host.block import CommittedBlock
from ibc_core.packet.event_reader import ACKNOWLEDGE_PACKET, RECV_PACKET, SEND_PACKET, read_packet_event
from ibc_relayer.backlog import events_of
from ibc_relayer.daemon.connecting import UNREAD
from ibc_relayer.rpc_blocks import RpcBlocks
from ibc_relayer.rpc_client import HttpRpc, RpcConfig

NS = 1e9
KINDS = (SEND_PACKET, RECV_PACKET, ACKNOWLEDGE_PACKET)


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

    def within(self, blocks: int) -> float:
        """The part of deliveries that took at most so many blocks."""
        return sum(1 for _, each in self.took if each <= blocks) / max(1, len(self.took))


class Fates:
    """The packets of one channel from a to b, whose channel there has the same id."""

    def __init__(self, url_a: str, url_b: str, channel: str) -> None:
        """Nothing is read yet."""
        self._urls = url_a, url_b
        self._channel = channel

    def sent_rate(self, first: int) -> float:
        """Packets sent a second, from the first block after `first` that has some to the last."""
        found = ((block.time_ns, len(kinds[SEND_PACKET])) for block, kinds in self._found(0, first))
        counts = [each for each in found if each[1]]
        took_s = (counts[-1][0] - counts[0][0]) / NS
        return sum(count for _, count in counts[:-1]) / took_s

    def since(self, first_a: int, first_b: int) -> Fate:
        """What became of those sent after block `first_a`, received after `first_b`."""
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
        """By kind of event, the time of the block of each sequence's; and the times of all blocks."""
        found: dict[str, dict[int, int]] = {kind: {} for kind in KINDS}
        times = []
        for block, kinds in self._found(side, first):
            times.append(block.time_ns)
            for kind, sequences in kinds.items():
                found[kind] |= dict.fromkeys(sequences, block.time_ns)
        return found, times

    def _found(self, side: int, first: int):
        """Every block after `first`, with the sequences of its packet events by kind."""
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
