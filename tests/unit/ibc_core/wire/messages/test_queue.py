"""Messages of the queue protocol: to bytes and back; what is no message is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.kit.known import QUEUE
from ibc_core.errors import TxDecode
from ibc_core.height import Height
from ibc_core.queue.advance import MsgAdvance
from ibc_core.queue.handle_receipt import MsgHandleReceipt
from ibc_core.queue.item import Item
from ibc_core.queue.receive import MsgReceive
from ibc_core.queue.register import MsgRegister
from ibc_core.queue.send import MsgQueueSend
from ibc_core.queue.timeout import MsgQueueTimeout
from ibc_core.queue.types import End
from ibc_core.wire.message import decode_msg, encode_msg

u64 = st.integers(0, 2**64 - 1)
texts, raws = st.text(max_size=9), st.binary(max_size=40)
ends = st.builds(End, texts, texts, texts)
heights = st.builds(Height, u64, u64)
items = st.lists(st.builds(Item, raws, raws, raws), max_size=3).map(tuple)
KINDS = {
    "register": st.builds(MsgRegister, texts, ends, ends, raws, texts),
    "send": st.builds(MsgQueueSend, ends, ends, st.none() | u64, texts, raws, heights, u64, texts),
    "receive": st.builds(MsgReceive, ends, heights, items, texts),
    "handle_receipt": st.builds(MsgHandleReceipt, ends, heights, items, texts),
    "timeout": st.builds(MsgQueueTimeout, ends, u64, u64, heights, raws, texts),
    "advance": st.builds(MsgAdvance, ends, u64, u64, heights, raws, texts),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_message_is_read_back(kind, data):
    message = data.draw(KINDS[kind])
    assert decode_msg(type(message), encode_msg(message)) == message


@pytest.mark.parametrize("cls", QUEUE.values())
def test_what_is_no_message_is_refused(cls):
    for raw in (b"\xff", b"\x0a\x05x", b"\xd8\x01\x01", b"\x0a\x02\x0a\xff"):
        with pytest.raises(TxDecode):
            decode_msg(cls, raw)


def test_a_sequence_of_zero_is_not_none():
    """The first packet's sequence is 0: asked for and left open are two things."""
    message = MsgQueueSend(End("a"), End("b"), 0, "t", b"", Height(0, 0), 0, "s")
    assert decode_msg(MsgQueueSend, encode_msg(message)).sequence == 0
