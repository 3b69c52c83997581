"""Bytes in zlib's format come back, and no more of them than is wanted."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.core.comet import NotDeflated, deflate, inflate


@given(st.binary(max_size=2_000), st.integers(1, 50))
def test_everything_comes_back(raw: bytes, times: int) -> None:
    whole = raw * times
    assert inflate(deflate(whole), max(1, len(whole))) == whole
    assert zlib.decompress(deflate(whole)) == whole


@given(st.binary(min_size=1, max_size=500))
def test_a_byte_more_than_is_wanted_is_refused(raw: bytes) -> None:
    with pytest.raises(NotDeflated, match="more than"):
        inflate(deflate(raw + b"x"), len(raw))


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        (b"", "truncated"),
        (b"no zlib", "not in zlib's format"),
        (deflate(b"raw")[:-1], "truncated"),
        (deflate(b"raw") + b"more", "truncated"),
        (deflate(b"raw")[:-1] + b"\0", "not in zlib's format"),
    ],
)
def test_what_is_malformed_is_refused(spoilt: bytes, why: str) -> None:
    with pytest.raises(NotDeflated, match=why):
        inflate(spoilt, 100)


def test_h237_a_gigabyte_is_not_made_of_a_megabyte() -> None:
    with pytest.raises(NotDeflated, match="more than 1000 bytes"):
        inflate(deflate(bytes(100_000_000)), 1_000)
