"""Blocks on the disk, packed, and the last ones in memory."""

import zlib

import msgspec
import pytest

from localnet import blockstore
from localnet.blockstore import BlockRecord, BlockStore
from localnet.errors import DamagedRecord
from localnet.retention import Retention


@pytest.fixture
def grown(make_chain, tmp_path, sign):
    """Makes a chain of some blocks with a transaction in each."""

    def grow(blocks, **options):
        chain = make_chain(home=tmp_path / "c", **options)
        for sequence in range(blocks):
            chain.make_block([sign(sequence=sequence)])
        return chain

    return grow


@pytest.fixture
def anew(grown):
    """The blocks of a chain of three as whoever opens them anew has them, none in memory."""
    return BlockStore(grown(3).blocks._entries)


def key_of(height):
    return b"b" + height.to_bytes(8, "big")


def content(blocks, height):
    """A block's record without its seal."""
    return blocks._entries.get(key_of(height))[8:]


def test_a_block_is_packed_and_read_as_it_was(anew):
    raw = content(anew, 3)
    plain = zlib.decompress(raw)
    assert len(raw) < len(plain)
    record = anew.record(3)
    assert msgspec.msgpack.encode(record) == plain
    assert (record.header.height, len(record.result.txs)) == (3, 1)


def test_a_block_that_is_not_packed_is_read_as_well(anew):
    record = anew.record(2)
    anew._put([(key_of(2), zlib.decompress(content(anew, 2)))])
    assert anew.record(2) == record


@pytest.mark.parametrize("raw", [b"", blockstore._PACKED, zlib.compress(b"\xc1"), b"\x96", b"\xc1"])
def test_a_sealed_record_that_is_no_block_is_refused(anew, raw):
    anew._put([(key_of(2), raw)])
    with pytest.raises(DamagedRecord):
        anew.record(2)
    assert anew.record(3).header.height == 3


def test_a_packed_record_that_is_cut_is_refused(anew):
    anew._put([(key_of(2), content(anew, 2)[:-5])])
    with pytest.raises(DamagedRecord):
        anew.record(2)


def types_of(part):
    """The types of all that a block consists of."""
    below = tuple(map(types_of, part)) if isinstance(part, tuple) else ()
    return type(part), below


def test_the_last_blocks_are_in_memory_and_equal_to_those_on_the_disk(grown):
    chain = grown(3)
    again = BlockStore(chain.blocks._entries)
    for height in range(1, 4):
        recent = chain.blocks.record(height)
        assert recent is chain.blocks.record(height)
        assert again.record(height) is not again.record(height)
        assert recent == again.record(height)
        assert types_of(recent) == types_of(again.record(height))
    assert type(recent) is BlockRecord


def test_h203_blocks_in_memory_are_bounded_by_their_bytes(grown, monkeypatch):
    """H203: blocks as large as strangers make them do not stay because they are the last."""
    monkeypatch.setattr(blockstore, "RECENT_BYTES", 10_000)
    chain = grown(12)
    heights = list(chain.blocks._recent)
    assert 2 < len(heights) < 12
    assert heights == list(range(chain.height + 1 - len(heights), chain.height + 1))
    assert sum(size for _, size in chain.blocks._recent.values()) == chain.blocks._recent_bytes <= 10_000
    monkeypatch.setattr(blockstore, "RECENT_BYTES", 1_000)
    chain.make_block([])
    assert chain.blocks._recent == {}
    assert chain.blocks._recent_bytes == 0
    assert [chain.record(height).header.height for height in range(1, 15)] == list(range(1, 15))


def test_a_block_that_is_pruned_is_in_no_memory(grown):
    chain = grown(30, retention=Retention(keep_blocks=12))
    assert list(chain.blocks._recent) == list(range(chain.earliest, chain.height + 1))
    assert chain.blocks.record(chain.earliest - 1) is None
