import pytest

from iavl.sha import uvarint, varint


@pytest.mark.parametrize(
    ("number", "unsigned", "signed"),
    [
        (0, "00", "00"),
        (1, "01", "02"),
        (63, "3f", "7e"),
        (64, "40", "8001"),
        (127, "7f", "fe01"),
        (128, "8001", "8002"),
        (8191, "ff3f", "fe7f"),
        (8192, "8040", "808001"),
        ((1 << 63) - 1, "ffffffffffffffff7f", "feffffffffffffffff01"),
    ],
)
def test_as_go_encodes_them(number, unsigned, signed):
    assert uvarint(number).hex() == unsigned
    assert varint(number).hex() == signed
