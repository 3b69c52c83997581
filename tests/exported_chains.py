"""Chains with packets between them, as exports: what tests of the indexer read."""

from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.export import BlockExporter
from tests.packet_attributes import attributes


class Chains:
    """Chains with packets between them, written by the exporter."""

    def __init__(self, folder, prefix="", channel="channel-0"):
        self.folder = folder
        self.prefix = prefix
        self.ends = {"src": ("transfer", channel), "dst": ("transfer", channel)}
        self.blocks = {}
        self.pace = 1  # seconds from block to block
        self.halts = []

    def event(self, chain, height, kind, sequence, *, until=0, amount="5", owner=None, code=0, **more):
        """A transaction with one event; a packet's data names its `owner`, the sending chain."""
        ends = {side: more.pop(side, place) for side, place in self.ends.items()}
        found = attributes(sequence, ends["src"], ends["dst"], until=until or 10**18 + sequence)
        if kind in {"send_packet", "recv_packet", "write_acknowledgement"}:
            denom = f"u{(owner or chain)[0]}"
            data = f'{{"denom":"{denom}","amount":"{amount}","sender":"s","receiver":"r"}}'
            found["packet_data_hex"] = data.encode().hex()
        signer = ("tx", (("acc_seq", f"relayer-{chain}/1"),))
        event = (kind, tuple((found | more).items()))
        self.blocks.setdefault((chain, height), []).append(TxOutcome(b"x", code, "", (signer, event), 1, 1))

    def together(self, chain, height):
        """One transaction with all events of the block."""
        txs = self.blocks[chain, height]
        events = (txs[0].events[0], *(event for tx in txs for event in tx.events[1:]))
        self.blocks[chain, height] = [txs[0]._replace(events=events)]

    def relay(self, sequence, at, *, ack=b'{"result":"AQ=="}', src="a-1", dst="b-1", **more):
        """A packet sent, received, answered and acknowledged."""
        self.event(src, at, "send_packet", sequence, **more)
        self.event(dst, at + 1, "recv_packet", sequence, owner=src, **more)
        self.event(
            dst, at + 1, "write_acknowledgement", sequence, owner=src, packet_ack_hex=ack.hex(), **more
        )
        self.event(src, at + 3, "acknowledge_packet", sequence, **more)

    def empty(self, chain, height):
        """A block without transactions."""
        self.blocks.setdefault((chain, height), [])

    def halt(self, chain, height, seconds):
        """The chain stands still before the block of `height`."""
        self.halts.append((chain, height, seconds))

    def time_ns(self, chain, height):
        """The time of a block."""
        halted = sum(seconds for of, first, seconds in self.halts if of == chain and height >= first)
        return (height * self.pace + halted) * 10**9

    def fill(self, chain):
        """Blocks without transactions where a chain has none between its first and last."""
        heights = [height for of, height in self.blocks if of == chain]
        if max(heights) - min(heights) < 10_000:
            for height in range(min(heights), max(heights)):
                self.empty(chain, height)

    def write(self, *, gaps=False):
        """Exports all blocks, `pace` seconds each. Heights without a block become empty ones, or gaps."""
        for chain in sorted({chain for chain, _ in self.blocks}):
            name = self.prefix + chain
            if not gaps:
                self.fill(chain)
            with BlockExporter(self.folder / name, blocks_per_file=10) as exporter:
                for (of, height), txs in sorted(self.blocks.items()):
                    if of == chain:
                        time_ns = self.time_ns(chain, height)
                        exporter.write(CommittedBlock(name, height, time_ns, b"", tuple(txs), ()))
        return self.folder
