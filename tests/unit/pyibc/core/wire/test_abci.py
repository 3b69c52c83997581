from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.chain import abci_responses
from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import TxOutcome
from tests.sampling import rounds

EVENT = ("send_packet", (("packet_sequence", "1"), ("packet_src_port", "transfer")))


def test_the_hashed_result_has_four_fields():
    assert abci_responses.encode_deterministic_result(0, b"", 0, 0) == b""
    assert (
        abci_responses.encode_deterministic_result(5, b"ab", 7, 300)
        == b"\x08\x05\x12\x02ab\x28\x07\x30\xac\x02"
    )


def test_message_data_lists_the_responses():
    response = AnyMessage("/ibc.core.channel.v1.MsgRecvPacketResponse", b"\x08\x02")
    raw = abci_responses.encode_tx_msg_data([response])
    assert raw == b"\x12\x30\x0a\x2a/ibc.core.channel.v1.MsgRecvPacketResponse\x12\x02\x08\x02"
    assert abci_responses.encode_tx_msg_data([]) == b""


def test_a_whole_result():
    outcome = TxOutcome(b"tx", 3, "channel", (EVENT,), 10, 9, b"d", "why")
    result = abci_responses.pack_result(outcome)
    assert (result.code, result.codespace, result.log, result.data) == (3, "channel", "why", b"d")
    assert (result.gas_wanted, result.gas_used) == (10, 9)
    assert [abci_responses.unpack_event(event) for event in result.events] == [EVENT]
    assert all(attribute.index for attribute in result.events[0].attributes)


@given(
    st.text(max_size=9), st.lists(st.tuples(st.text(max_size=9), st.text(max_size=9)), max_size=4).map(tuple)
)
@settings(max_examples=rounds(10, 40), deadline=None)
def test_events_come_back(kind, attributes):
    assert abci_responses.unpack_event(abci_responses.pack_event((kind, attributes))) == (kind, attributes)
