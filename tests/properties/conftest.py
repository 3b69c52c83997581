"""Bytes spoilt in every way that strangers spoil them."""

import pytest


def _flip(r, raw):
    at = r.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << r.randrange(8)]) + raw[at + 1 :]


def _byte(r, raw):
    at = r.randrange(len(raw))
    return raw[:at] + bytes([r.choice([0, 1, 0x7F, 0x80, 0xFF, r.randrange(256)])]) + raw[at + 1 :]


def _cut(r, raw):
    return raw[: r.randrange(len(raw))]


def _drop(r, raw):
    at = r.randrange(len(raw))
    return raw[:at] + raw[at + r.randrange(1, 9) :]


def _insert(r, raw):
    at = r.randrange(len(raw) + 1)
    return raw[:at] + r.randbytes(r.randrange(1, 9)) + raw[at:]


def _repeat(r, raw):
    at, end = sorted((r.randrange(len(raw) + 1), r.randrange(len(raw) + 1)))
    return raw[:end] + raw[at:end] * r.randrange(1, 4) + raw[end:]


def _field(r, raw):
    """A protobuf field of any number and kind behind what is there."""
    tag, content = r.randrange(1, 40) << 3, r.randbytes(r.randrange(12))
    kinds = [
        bytes([tag & 0x7F]) + bytes([r.randrange(128)]),
        bytes([tag & 0x78 | 2, len(content)]) + content,
        bytes([tag & 0x78 | 1]) + r.randbytes(8),
        bytes([tag & 0x78 | 5]) + r.randbytes(4),
        bytes([tag & 0x78 | 3]),
    ]
    return raw + r.choice(kinds)


def _number(r, raw):
    """A varint of ten bytes in the place of one byte."""
    at = r.randrange(len(raw))
    return raw[:at] + b"\xff" * 9 + bytes([r.choice([1, 2, 0x7F])]) + raw[at + 1 :]


CHANGES = [_flip, _flip, _byte, _cut, _drop, _insert, _repeat, _field, _number]


@pytest.fixture(scope="session")
def spoil():
    """Spoils bytes once or twice, with the choices of a `Random`."""

    def spoilt(r, raw):
        for _ in range(r.choice([1, 1, 2])):
            raw = r.choice(CHANGES)(r, raw) if raw else r.randbytes(r.randrange(20))
        return raw

    return spoilt
