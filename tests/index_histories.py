"""Random histories of a folder of exports: blocks come in any order, chains later, files change and go."""

import gzip
import json
import random
from pathlib import Path

from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    PROTO3,
    InterchainAccountPacketData,
    default_metadata,
    encode_metadata,
    encode_packet_data,
)
from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.block import from_committed
from pyibc.indexer.blocks.lines import encode_line
from pyibc.relayer.interchain_tx import write_messages

CHAINS = ("a-1", "b-1", "c-1")
HEIGHTS = 40
APART = 400  # between sequences: several bands are in play


class History:
    """A folder of inputs that changes; `step` changes it once more and says how."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self._random = random.Random(seed)
        self._pace = self._random.choice([1, 250])  # seconds from block to block
        self._halts = {chain: self._random.randint(2, HEIGHTS) for chain in CHAINS}
        self._upgrade = self._random.choice([None, 20])  # last height of b-1, which goes on as b-2
        self._blocks: dict[tuple[str, int], list[TxOutcome]] = {}
        self._hashes = 0
        for way in (
            ("a-1", "b-1", 0),
            ("b-1", "a-1", 0),
            ("a-1", "b-1", 1),
            ("c-1", "a-1", 2),
            ("b-1", "c-1", 3),
        ):
            for number in range(1, self._random.randint(4, 10)):
                self._packet(*way, number * APART)
        self._account()
        for chain in CHAINS:
            self._clients(chain)
        self._lines = {
            chain: [self._line(chain, height) for height in range(1, HEIGHTS + 1)] for chain in CHAINS
        }
        self._left = {chain: self._shuffled(lines) for chain, lines in self._lines.items()}
        self._files = 0
        self._open = dict[str, Path]()

    def step(self) -> str:
        """One change."""
        moves = [self.append] * 5 + [self.add] * 3 + [self._remove, self._change, self._tear, self._double]
        moves += [self._pack, self._register, self._touch, self._nothing]
        move = self._random.choice(moves)
        move()
        return move.__name__

    def _shuffled(self, lines: list[bytes]) -> list[bytes]:
        """Mostly in order, as an exporter writes; some come late."""
        found, late = list[bytes](), list[bytes]()
        for line in lines:
            (late if self._random.random() < 0.15 else found).append(line)
        return found + late

    def _packet(self, src: str, dst: str, channel: int, sequence: int) -> None:
        rng = self._random
        send = rng.randint(1, HEIGHTS - 12)
        fate = rng.choice(["answered", "answered", "refused", "timed out", "silent", "received"])
        known = _named(channel, sequence, (send + rng.randint(3, 60)) * self._pace)
        on = {"forward": {"receiver": "carol", "channel": "channel-3"}}
        forwarded = dst == "b-1" and rng.random() < 0.5
        memo = json.dumps(on) if forwarded else rng.choice(["", "hello"])
        told = {
            "denom": f"u{src[0]}",
            "amount": str(rng.choice([5, 10**30])),
            "sender": rng.choice(["alice", "al"]),
            "receiver": "bob",
            "memo": memo,
        }
        whole = known | _data(told)
        self._tx(src, send, ("send_packet", whole))
        if fate == "timed out":
            self._tx(src, send + rng.randint(4, 9), ("timeout_packet", known))
        elif fate != "silent":
            events = [("recv_packet", whole)]
            if forwarded:
                second = whole | _onward(told, channel, sequence)
                events.append(("send_packet", second))
                if rng.random() < 0.7:
                    self._tx("c-1", min(HEIGHTS, send + 6), ("recv_packet", second))
            self._relayed(dst, send, events, refused=fate == "refused")
            if fate != "received":
                self._tx(src, send + rng.randint(6, 11), ("acknowledge_packet", known))

    def _account(self) -> None:
        """An interchain account of a-1's alice on b-1, whose handshake may become known after its calls."""
        rng = self._random
        metadata = default_metadata("connection-8", "connection-9")._replace(address="cosmos1account")
        end = {"port_id": "icahost", "channel_id": "channel-9", "connection_id": "connection-9"}
        other = {"counterparty_port_id": "icacontroller-alice", "counterparty_channel_id": "channel-8"}
        opened = end | other | {"version": encode_metadata(metadata)}
        self._tx("b-1", rng.randint(2, 30), ("channel_open_try", opened))
        ports = {"packet_src_port": "icacontroller-alice", "packet_dst_port": "icahost"}
        for number in range(1, rng.randint(4, 10)):
            send = rng.randint(1, HEIGHTS - 12)
            messages = [AnyMessage(f"/mine.v1.Msg{index}", b"") for index in range(rng.randint(1, 3))]
            called = InterchainAccountPacketData(EXECUTE_TX, write_messages(messages, PROTO3), "")
            data = {"packet_data_hex": encode_packet_data(called).hex()}
            whole = _named(8, number * APART, (send + 30) * self._pace) | ports | data
            self._tx("a-1", send, ("send_packet", whole))
            if rng.random() < 0.8:
                self._relayed("b-1", send, [("recv_packet", whole)], refused=rng.random() < 0.3)

    def _relayed(self, dst: str, send: int, events: list, *, refused: bool) -> None:
        rng, whole = self._random, events[0][1]
        for _ in range(rng.choice([1, 1, 2])):  # some are relayed twice
            self._tx(dst, send + rng.randint(1, 4), *events)
            events = events[:1]
        ack = b'{"error":"no"}' if refused else b'{"result":"AQ=="}'
        written = ("write_acknowledgement", whole | {"packet_ack_hex": ack.hex()})
        self._tx(dst, send + rng.randint(4, 5), written)

    def _clients(self, chain: str) -> None:
        client = {"client_id": "07-tendermint-0", "client_type": "07-tendermint"}
        self._tx(chain, 1, ("create_client", client))
        for height in range(2, HEIGHTS, 7):
            told = client | {"consensus_height": f"1-{height * 3}"}
            self._tx(chain, height, ("update_client", told))
        end = {"connection_id": "connection-0", "client_id": "07-tendermint-0"}
        self._tx(chain, 3, ("connection_open_init", end))
        channel = {"port_id": "transfer", "channel_id": "channel-0", "connection_id": "connection-0"}
        self._tx(chain, self._random.randint(3, 30), ("channel_open_ack", channel))

    def _tx(self, chain: str, height: int, *events: tuple[str, dict[str, str]]) -> None:
        self._hashes += 1
        signer = ("tx", (("acc_seq", f"relayer-{self._random.randint(0, 2)}/1"), ("fee", "7uatom")))
        found = tuple((kind, tuple((told | {"msg_index": "0"}).items())) for kind, told in events)
        raw = b"tx %d" % self._hashes
        outcome = TxOutcome(raw, 0, "", (signer, *found), 9, 8)
        self._blocks.setdefault((chain, min(height, HEIGHTS)), []).append(outcome)

    def _line(self, chain: str, height: int, *more: TxOutcome) -> bytes:
        txs = (*self._blocks.get((chain, height), ()), *more)
        time_s = height * self._pace + (7200 if height >= self._halts[chain] else 0)
        if chain == "b-1" and self._upgrade and height > self._upgrade:
            chain, height = "b-2", height - self._upgrade
        block = CommittedBlock(chain, height, time_s * 10**9, b"\1", txs, ())
        return encode_line(from_committed(block))

    def _some(self, chain: str, most: int) -> bytes:
        count = self._random.randint(1, most)
        lines, self._left[chain] = self._left[chain][:count], self._left[chain][count:]
        return b"".join(lines)

    def _known(self) -> list[Path]:
        return sorted(self.folder.glob("*.jsonl"))

    def append(self) -> None:
        """Blocks at the end of the chain's last file."""
        chain = self._random.choice(CHAINS[: 2 if self._files < 4 else 3])
        if chain not in self._open or self._random.random() < 0.1:
            self._open[chain] = self._new()
        with self._open[chain].open("ab") as file:
            file.write(self._some(chain, 8))

    def _new(self) -> Path:
        self._files += 1
        return self.folder / f"{self._random.randint(0, 99):02d}-{self._files}.jsonl"

    def add(self) -> None:
        """A file of its own."""
        chain = self._random.choice(CHAINS)
        self._new().write_bytes(self._some(chain, 15))

    def _remove(self) -> None:
        if known := self._known():
            self._random.choice(known).unlink()

    def _change(self) -> None:
        """A block with other content, in a file that was sealed."""
        if known := self._known():
            path = self._random.choice(known)
            lines = path.read_bytes().splitlines(keepends=True)
            if lines:
                self._tx("a-1", HEIGHTS, ("send_packet", {"packet_sequence": "odd"}))
                lines[self._random.randrange(len(lines))] = self._line(
                    "a-1", self._random.randint(1, HEIGHTS)
                )
                path.write_bytes(b"".join(lines))

    def _tear(self) -> None:
        """A line half written; the next append makes it a damaged one."""
        if known := self._known():
            with self._random.choice(known).open("ab") as file:
                file.write(self._random.choice(self._lines["b-1"])[: self._random.randint(1, 90)])

    def _double(self) -> None:
        """Blocks that other files hold, or may later hold."""
        lines = self._random.choices(self._lines[self._random.choice(CHAINS)], k=6)
        self._new().write_bytes(b"".join(lines))

    def _pack(self) -> None:
        if known := self._known():
            path = self._random.choice(known)
            packed = path.with_name(path.name + ".gz")
            packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            path.unlink()

    def _register(self) -> None:
        """The user names a chain."""
        name = self._random.choice(["c-1", "d-1"])
        found = {"chain_registry": {"b-1": {"channel-3": name}}}
        (self.folder / "registry.json").write_text(json.dumps(found))

    def _touch(self) -> None:
        if known := self._known():
            self._random.choice(known).touch()

    def _nothing(self) -> None:
        """A run without anything new."""


def _named(channel: int, sequence: int, timeout_s: int) -> dict[str, str]:
    return {
        "packet_sequence": str(sequence),
        "packet_timeout_height": "0-0",
        "packet_timeout_timestamp": str(timeout_s * 10**9),
        "packet_src_port": "transfer",
        "packet_src_channel": f"channel-{channel}",
        "packet_dst_port": "transfer",
        "packet_dst_channel": f"channel-{channel + 1}",
        "connection_id": f"connection-{channel}",
        "packet_channel_ordering": "ORDER_UNORDERED",
    }


def _onward(told: dict[str, str], channel: int, sequence: int) -> dict[str, str]:
    """What a forwarded packet's next hop has of its own; it names the connection of the first, wrongly."""
    on = {"denom": f"transfer/channel-{channel + 1}/{told['denom']}", "receiver": "carol", "memo": ""}
    return {
        "packet_src_channel": "channel-3",
        "packet_dst_channel": "channel-4",
        "packet_sequence": str(sequence + 7 + channel),
    } | _data(told | on)


def _data(told: dict[str, str]) -> dict[str, str]:
    return {"packet_data_hex": json.dumps(told).encode().hex()}
