from pyibc.chain import abci_responses
from pyibc.codec.anys import AnyMessage


def test_message_data_lists_the_responses():
    response = AnyMessage("/ibc.core.channel.v1.MsgRecvPacketResponse", b"\x08\x02")
    raw = abci_responses.encode_tx_msg_data([response])
    assert raw == b"\x12\x30\x0a\x2a/ibc.core.channel.v1.MsgRecvPacketResponse\x12\x02\x08\x02"
    assert abci_responses.encode_tx_msg_data([]) == b""
