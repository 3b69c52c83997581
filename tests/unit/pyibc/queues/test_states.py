"""Stored values: to bytes and back, in one spelling only, and never empty."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.wire.states import CorruptState
from pyibc.queues import states
from pyibc.queues.packet import Binding, QueuePacket, Receipt, Registration
from pyibc.queues.types import End
from tests.sampling import rounds

ENDS = End("a"), End("b")
u64 = st.integers(0, 2**64 - 1)
packets = st.builds(
    lambda kind, data, height, time_ns: QueuePacket(*ENDS, 7, kind, data, height, time_ns),
    st.text("abc:/", min_size=1),
    st.binary(max_size=300),
    st.just(ZERO_HEIGHT) | st.builds(Height, u64, u64),
    u64,
)
failures = st.tuples(st.just(b""), st.text("abc", min_size=1, max_size=64), st.integers(1, 2**32 - 1))
receipts = st.binary(max_size=300).map(Receipt) | failures.map(lambda parts: Receipt(*parts))


@settings(deadline=None)
@given(packets)
def test_a_packet_is_read_back(packet):
    raw = states.encode_packet(packet)
    assert raw
    assert states.decode_packet(raw, *ENDS, 7) == packet


@settings(deadline=None)
@given(receipts)
def test_a_receipt_is_read_back_and_never_empty(receipt):
    """An empty value could not be proven."""
    raw = states.encode_receipt(receipt)
    assert raw
    assert states.decode_receipt(raw) == receipt


@settings(deadline=None, max_examples=rounds(75, 300))
@given(packets, receipts, st.data())
def test_no_value_has_a_second_spelling(packet, receipt, data):
    for raw, decode, encode in (
        (
            states.encode_packet(packet),
            lambda raw: states.decode_packet(raw, *ENDS, 7),
            states.encode_packet,
        ),
        (states.encode_receipt(receipt), states.decode_receipt, states.encode_receipt),
    ):
        assert encode(decode(raw)) == raw
        at = data.draw(st.integers(0, len(raw)))
        changed = raw[:at] + data.draw(st.binary(max_size=3)) + raw[at + data.draw(st.integers(0, 2)) :]
        found = decode(changed)
        assert found is None or encode(found) == changed


def test_registrations_and_bindings_are_read_back():
    registration = Registration.of("07-tendermint-3", End("a", "c" * 10, "d" * 8), End("b"), b"queue")
    assert states.decode_registration(states.encode_registration(registration)) == registration
    binding = Binding("07-tendermint-3", "b", "connection-1")
    assert states.decode_binding(states.encode_binding(binding)) == binding
    for decode in (states.decode_registration, states.decode_binding):
        with pytest.raises(CorruptState):
            decode(b"\xff")
