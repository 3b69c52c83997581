"""Blocks on the disk: packed, and those of earlier releases as they are."""

import zlib

import msgspec
import pytest

from localnet import blockstore
from localnet.errors import DamagedRecord


@pytest.fixture
def chain(make_chain, tmp_path, sign):
    chain = make_chain(home=tmp_path / "c")
    for sequence in range(3):
        chain.make_block([sign(sequence=sequence)])
    return chain


def stored(chain, height):
    """The entry of a block, without its seal."""
    key = b"b" + height.to_bytes(8, "big")
    return key, chain.blocks._entries.get(key)[8:]


def test_a_block_is_packed_and_read_as_it_was(chain):
    _, raw = stored(chain, 3)
    plain = zlib.decompress(raw)
    assert len(raw) < len(plain)
    record = chain.blocks.record(3)
    assert msgspec.msgpack.encode(record) == plain
    assert record.header.height == 3
    assert len(record.result.txs) == 1


def test_a_block_that_is_not_packed_is_read_as_well(chain):
    key, raw = stored(chain, 2)
    record = chain.blocks.record(2)
    chain.blocks._put([(key, zlib.decompress(raw))])
    assert chain.blocks.record(2) == record


@pytest.mark.parametrize("content", [b"", blockstore._PACKED, zlib.compress(b"\xc1"), b"\x96", b"\xc1"])
def test_a_sealed_record_that_is_no_block_is_refused(chain, content):
    key, raw = stored(chain, 2)
    chain.blocks._put([(key, content)])
    with pytest.raises(DamagedRecord):
        chain.blocks.record(2)
    chain.blocks._put([(key, raw[:-5])])
    with pytest.raises(DamagedRecord):
        chain.blocks.record(2)
    assert chain.blocks.record(3).header.height == 3
