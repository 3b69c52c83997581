import pytest

from pyibc.core.errors import IbcError
from pyibc.core.wire import states


@pytest.mark.parametrize(
    ("decode", "raw"),
    [
        (states.decode_connection_end, b"\x0a"),
        (states.decode_connection_end, b"\x18\x04"),
        (states.decode_channel_end, b"\xff"),
        (states.decode_channel_end, b"\x08\x05"),
        (states.decode_channel_end, b"\x10\x03"),
        (states.decode_client_paths, b"\x0a\x05a"),
        (states.decode_client_params, b"\x0a\x01\xff"),
        (states.decode_connection_params, b"\x08"),
    ],
)
def test_a_damaged_value_stops_the_node(decode, raw):
    with pytest.raises(states.CorruptState) as caught:
        decode(raw)
    assert not isinstance(caught.value, IbcError)


def test_decoding_is_remembered():
    raw = states.encode_client_paths(["connection-7"])
    assert states.decode_client_paths(raw) is states.decode_client_paths(bytes(bytearray(raw)))
