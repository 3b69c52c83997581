from pyibc.codec.encoding import encode
from pyibc.proto.cosmos.tx.v1beta1.tx_pb2 import ModeInfo
from pyibc.proto.ibc.core.channel.v1 import query_pb2
from pyibc.proto.ibc.core.connection.v1 import connection_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2


def test_fields_below_repeated_ones_are_written_too():
    listed = connection_pb2.IdentifiedConnection(id="connection-0")
    response = query_pb2.QueryConnectionChannelsResponse()
    response.channels.add(port_id="p")
    assert encode(listed) == b"\x0a\x0cconnection-0" + bytes.fromhex("2a02 1a00")
    assert encode(response) == bytes.fromhex("0a05 1a00 320170 1a00")


def test_an_absent_message_field_stays_absent():
    header = tendermint_pb2.Header()
    assert encode(header) == bytes.fromhex("1a00")


def test_recursive_messages_are_encoded():
    assert encode(ModeInfo(single=ModeInfo.Single(mode=1))) == bytes.fromhex("0a020801")
