import pytest

from pyibc.codec import anys
from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import UnpackAny
from pyibc.proto.ibc.core.client.v1.client_pb2 import Height, Params

HEIGHT = anys.pack(Height(revision_height=5))


def test_unpack():
    assert anys.unpack(HEIGHT, Height).revision_height == 5


@pytest.mark.parametrize(
    ("packed", "reason"),
    [
        (HEIGHT, "expected /ibc.core.client.v1.Params"),
        (AnyMessage("ibc.core.client.v1.Params", b""), "expected"),
        (AnyMessage("/ibc.core.client.v1.Params", b"\x0a"), "malformed"),
        (anys.EMPTY, "expected"),
    ],
)
def test_a_wrong_any_is_refused(packed, reason):
    with pytest.raises(UnpackAny, match=reason):
        anys.unpack(packed, Params)


def test_anys_come_back():
    raw = anys.encode_any(HEIGHT)
    assert raw == b"\x0a\x1a/ibc.core.client.v1.Height\x12\x02\x10\x05"
    assert anys.decode_any(raw) == HEIGHT


def test_a_malformed_any_is_refused():
    with pytest.raises(UnpackAny, match="malformed"):
        anys.decode_any(b"\x0a\x09x")
