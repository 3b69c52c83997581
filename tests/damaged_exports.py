"""Exports of two chains with packets between them, damaged at random, and what is left by plain reckoning."""

import json
import random
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.block import from_committed
from pyibc.indexer.blocks.lines import encode_line
from tests.packet_attributes import attributes

BLOCKS = 40  # of each chain; a height is a second
PACKETS = 12
SPARED = 20  # the height of a line that no damage reaches: a file without one is of no kind


class Packet(NamedTuple):
    """Where a packet's events stand in the whole export; None: nowhere."""

    sequence: int
    send: int
    recv: int | None
    ack: int | None
    timeout: int | None
    expires: int  # height of the receiver, whose seconds are its heights


class Left(NamedTuple):
    """What is left of a chain."""

    full: set[int]  # heights of whole lines
    known: set[int]  # and of those whose JSON is no block
    problems: int  # lines that are not used

    @property
    def gaps(self) -> set[int]:
        """Heights that lack between the first and the last known."""
        return set(range(min(self.known), max(self.known) + 1)) - self.full


class Damaged:
    """One export of two chains, a sender and a receiver; `write` writes what is left of it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.sender, self.receiver = f"a{seed}-1", f"b{seed}-1"
        self._channel = f"channel-{seed}"
        self._events: dict[tuple[str, int], list] = defaultdict(list)
        self.packets = [self._packet(sequence) for sequence in range(1, PACKETS + 1)]
        self.left: dict[str, Left] = {}

    def write(self, folder: Path) -> None:
        """Writes both chains' lines, damaged, in a file each or in one."""
        folder.mkdir(parents=True)
        together = self._random.random() < 0.3
        for number, chain in enumerate((self.sender, self.receiver)):
            data = self._damaged(chain, list(map(self._line(chain), range(1, BLOCKS + 1))))
            with (folder / ("all.jsonl" if together else f"{number}.txt")).open("ab") as file:
                file.write(data)

    def _packet(self, sequence: int) -> Packet:
        rng = self._random
        send = rng.randint(1, BLOCKS - 15)
        fate = rng.choice(["answered", "answered", "answered", "timed out", "silent", "received"])
        expires = send + rng.randint(6, 20)
        recv = send + rng.randint(1, 4) if fate in {"answered", "received"} else None
        ack = recv + rng.randint(1, 5) if fate == "answered" else None
        timeout = min(expires + rng.randint(1, 3), BLOCKS) if fate == "timed out" else None
        packet = Packet(sequence, send, recv, ack, timeout, expires)
        for chain, height, kind in (
            (self.sender, send, "send_packet"),
            (self.receiver, recv, "recv_packet"),
            (self.receiver, recv, "write_acknowledgement"),
            (self.sender, ack, "acknowledge_packet"),
            (self.sender, timeout, "timeout_packet"),
        ):
            if height is not None:
                self._events[chain, height].append((kind, self._attributes(packet)))
        return packet

    def _attributes(self, packet: Packet) -> tuple:
        found = attributes(packet.sequence, self._channel, self._channel, until=packet.expires * 10**9)
        return tuple(found.items())

    def _line(self, chain: str):
        def line(height: int) -> bytes:
            txs = (TxOutcome(b"%d" % height, 0, "", tuple(self._events[chain, height]), 1, 1),)
            return encode_line(from_committed(CommittedBlock(chain, height, height * 10**9, b"", txs, ())))

        return line

    def _damaged(self, chain: str, lines: list[bytes]) -> bytes:
        rng = self._random
        kept = dict(enumerate(lines, 1))
        odd, doubled, problems, extra = set(), set(), 0, list[bytes]()
        for _ in range(rng.randint(0, 3)):
            what = rng.choice(["range", "ranges", "double", "flip", "retype", "swap", "junk"])
            height = rng.choice(sorted(kept.keys() - {SPARED} - doubled) or [SPARED])
            if what == "range":
                gone = {*range(height, height + rng.randint(1, 16))} - {SPARED}
                kept = {each: line for each, line in kept.items() if each not in gone}
            elif what == "ranges":
                kept = {each: line for each, line in kept.items() if each == SPARED or rng.random() < 0.8}
            elif what == "double":
                extra.append(kept[height])
                doubled.add(height)
            elif what == "flip" and height != SPARED:
                extra.append(_flipped(kept.pop(height), rng))
                problems += 1
            elif what in {"retype", "swap"} and height != SPARED:
                extra.append(
                    _retyped(kept.pop(height), rng) if what == "retype" else _swapped(kept.pop(height))
                )
                odd.add(height)
                problems += 1
            elif what == "junk":
                extra.append(bytes(rng.choices(b"pyibc1 {}\x00\xff\r", k=rng.randint(1, 60))) + b"\n")
                problems += 1
        written = [*kept.values(), *extra]
        if rng.random() < 0.5:
            rng.shuffle(written)
        full = set(kept) | doubled
        self.left[chain] = Left(full, full | odd, problems)
        return b"".join(written)


def with_other_json(line: bytes) -> bytes:
    """A line with the same head whose checksum is right and whose JSON is no block."""
    rest = line[16:-1].replace(b'"txs":[', b'"txs":7,"x":[')
    assert rest != line[16:-1]
    return _sealed(rest)


def with_carriage_return(line: bytes) -> bytes:
    """The same block in JSON that has a carriage return as white space."""
    head, brace, body = line[16:-1].partition(b"{")
    return _sealed(head + brace + b"\r" + body)


def _sealed(rest: bytes) -> bytes:
    return b"pyibc1 %08x %s\n" % (crc32(rest), rest)


def _flipped(line: bytes, rng: random.Random) -> bytes:
    """A line whose checksum does not match."""
    place = rng.randint(20, len(line) - 2)
    changed = bytes([line[place] ^ 1])
    return line[:place] + (changed if changed != b"\n" else b"?") + line[place + 1 :]


def _retyped(line: bytes, rng: random.Random) -> bytes:
    """A line whose checksum is right and whose JSON has a field of a wrong kind."""
    *head, body = line[16:-1].split(b" ", 4)
    document = json.loads(body)
    place = document if rng.random() < 0.4 else document["txs"][0]
    field = rng.choice([field for field in place if field not in {"time_ns", "incarnation"}])
    place[field] = rng.choice([None, {}, 1.5, -1, ["x", 5]])
    return _sealed(
        b" ".join([*head, json.dumps(document).encode().replace(b", ", b",").replace(b": ", b":")])
    )


def _swapped(line: bytes) -> bytes:
    """A line whose JSON is of another height than its head."""
    *head, body = line[16:-1].split(b" ", 4)
    document = json.loads(body)
    document["height"] += 1
    return _sealed(b" ".join([*head, json.dumps(document).encode()]))
