"""Packets and what is committed of them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.core.errors import InvalidIdentifier, InvalidPacket
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet.types import (
    MAX_DATA_SIZE,
    RECEIPT,
    Packet,
    acknowledgement_commitment,
    packet_commitment,
    timeout_elapsed,
)

U64 = st.integers(0, MAX_U64)
HEIGHTS = st.builds(Height, U64, U64)
GOOD = Packet(1, "transfer", "channel-0", "transfer", "channel-1", b"data", Height(1, 5), 0)


def test_a_good_packet():
    GOOD.validate_basic()
    replace(GOOD, timeout_height_on_b=ZERO_HEIGHT, timeout_ns_on_b=1).validate_basic()
    replace(GOOD, data=bytes(MAX_DATA_SIZE)).validate_basic()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"port_id_on_a": "t"}, InvalidIdentifier),
        ({"port_id_on_b": "a/b"}, InvalidIdentifier),
        ({"channel_id_on_a": "channel"}, InvalidIdentifier),
        ({"channel_id_on_b": ""}, InvalidIdentifier),
        ({"sequence": 0}, InvalidPacket),
        ({"timeout_height_on_b": ZERO_HEIGHT}, InvalidPacket),
        ({"data": b""}, InvalidPacket),
        ({"data": bytes(MAX_DATA_SIZE + 1)}, InvalidPacket),
    ],
)
def test_bad_packets(change, error):
    with pytest.raises(error):
        replace(GOOD, **change).validate_basic()


def test_the_first_fault_is_told():
    with pytest.raises(InvalidIdentifier):
        replace(GOOD, port_id_on_a="", sequence=0, data=b"").validate_basic()
    with pytest.raises(InvalidPacket, match="sequence"):
        replace(GOOD, sequence=0, data=b"").validate_basic()


def test_commitment():
    """The value ibc-rs has in its own test."""
    packet = replace(GOOD, data=b"packet data", timeout_height_on_b=Height(42, 24), timeout_ns_on_b=66)
    assert (
        packet_commitment(packet).hex() == "a928b51f62bd540091ec451f4ef345794f059e65910816866126dc364f84cc15"
    )
    acked = acknowledgement_commitment(bytes([0, 1, 2, 3]))
    assert acked.hex() == "054edec1d0211f624fed0cbca9d4f9400b0e491c43742af2c5b0abebf0c990d8"
    assert RECEIPT == b"\x01"


@given(data=st.binary(min_size=1), height=HEIGHTS, time_ns=U64)
def test_h33_a_commitment_binds_data_and_timeouts_but_no_names(data, height, time_ns):
    packet = replace(GOOD, data=data, timeout_height_on_b=height, timeout_ns_on_b=time_ns)
    committed = packet_commitment(packet)
    assert len(committed) == 32
    assert (
        packet_commitment(replace(packet, sequence=9, port_id_on_a="other", channel_id_on_b="channel-7"))
        == committed
    )
    assert packet_commitment(replace(packet, data=data + b"x")) != committed
    assert packet_commitment(replace(packet, timeout_ns_on_b=time_ns ^ 1)) != committed
    swapped = Height(height.revision_height, height.revision_number)
    assert (packet_commitment(replace(packet, timeout_height_on_b=swapped)) == committed) == (
        swapped == height
    )


@pytest.mark.parametrize(
    ("timeout_height", "timeout_ns", "elapsed"),
    [
        (ZERO_HEIGHT, 0, False),
        (Height(1, 11), 0, False),
        (Height(1, 10), 0, True),  # at the height itself it is over
        (Height(1, 9), 0, True),
        (Height(0, 99), 0, True),
        (Height(2, 1), 0, False),
        (ZERO_HEIGHT, 101, False),
        (ZERO_HEIGHT, 100, True),
        (ZERO_HEIGHT, 99, True),
        (Height(1, 11), 100, True),
        (Height(1, 10), 101, True),
        (Height(0, 0), 1, True),
    ],
)
def test_timeouts(timeout_height, timeout_ns, elapsed):
    assert timeout_elapsed(timeout_height, timeout_ns, Height(1, 10), 100) is elapsed
