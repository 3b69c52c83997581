"""What attestors sign, in Solidity's ABI: a height and its time, or what stands at paths at a height."""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from ibc_core.errors import InvalidType
from ibc_core.numbers import MAX_U64
from ibc_core.wire.abi import WORD, AbiReader

NS_PER_SECOND = 10**9
STATE_TAG, PACKET_TAG = b"\x01", b"\x02"
"""What a signature is for stands before what it signs, so that neither passes for the other."""

_RECORD = 2 * WORD


class AttestedState(NamedTuple):
    """Solidity's `StateAttestation`."""

    height: int
    time_ns: int  # whole seconds, modulo 2^64 as Go multiplies


class AttestedPackets(NamedTuple):
    """Solidity's `PacketAttestation`; its packets as they are encoded, to be read when they are asked for."""

    height: int
    packets: bytes  # 64 bytes each: Keccak-256 of a path, then what stands there

    def at(self, path: bytes) -> Iterator[bytes]:
        """What is attested of the path with this Keccak-256 hash: 32 bytes each time."""
        for begin in range(0, len(self.packets), _RECORD):
            if self.packets[begin : begin + WORD] == path:
                yield self.packets[begin + WORD : begin + _RECORD]


def decode_state(data: bytes) -> AttestedState:
    """Reads two words, and nothing behind them.

    Raises:
        InvalidType: there are fewer, or one has more than 64 bits.
    """
    reader = AbiReader(data, "state attestation")
    return AttestedState(reader.u64(0), reader.u64(WORD) * NS_PER_SECOND & MAX_U64)


def decode_packets(data: bytes) -> AttestedPackets:
    """Reads a tuple of a height and an array.

    Raises:
        InvalidType: an offset or the array leads outside, or the height has more than 64 bits.
    """
    reader = AbiReader(data, "packet attestation").inner(0)
    return AttestedPackets(reader.u64(0), reader.records(WORD, 2))


def is_attestation(data: bytes) -> bool:
    """Whether it can be read as a state, or as packets and has one."""
    try:
        return bool(decode_packets(data).packets)
    except InvalidType:
        pass
    try:
        decode_state(data)
    except InvalidType:
        return False
    return True


def signed_digest(tag: bytes, data: bytes) -> bytes:
    """The 32 bytes that attestors sign."""
    # guard: h167-what-is-signed-has-no-tag drop:tag test_h167_a_quorum_signs_and_nobody_else
    return sha256(tag + sha256(data).digest()).digest()
