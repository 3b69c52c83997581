"""Blocks on the disk, packed, and the last ones in memory."""

import zlib
from hashlib import sha256

import msgspec
import pytest

from localnet.errors import DamagedRecord
from localnet.storage import block_store as blockstore
from localnet.storage.block_store import BlockRecord, BlockStore
from pyibc.chain.comet.settings import Retention
from pyibc.core.errors import WrongSequence


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
    monkeypatch.setattr(blockstore, "RECENT_BYTES", 60_000)
    chain = grown(12)
    heights = list(chain.blocks._recent)
    assert 2 < len(heights) < 12
    assert heights == list(range(chain.height + 1 - len(heights), chain.height + 1))
    assert sum(size for _, size in chain.blocks._recent.values()) == chain.blocks._recent_bytes <= 60_000
    monkeypatch.setattr(blockstore, "RECENT_BYTES", 1_000)
    chain.make_block([])
    assert chain.blocks._recent == {}
    assert chain.blocks._recent_bytes == 0
    assert [chain.record(height).header.height for height in range(1, 15)] == list(range(1, 15))


def test_a_block_that_is_pruned_is_in_no_memory(grown):
    chain = grown(30, retention=Retention(keep_blocks=12))
    assert list(chain.blocks._recent) == list(range(chain.earliest, chain.height + 1))
    assert chain.blocks.record(chain.earliest - 1) is None


@pytest.mark.parametrize("together", [False, True])
def test_h272_a_run_that_failed_does_not_hide_the_executed_one(make_chain, tmp_path, sign, together):
    """The same bytes in two blocks, or twice in one; also after a restart, and where a run failed before."""
    chain = make_chain(home=tmp_path / "c")
    first, second = sign(), sign(sequence=1)
    if together:
        chain.make_block([second, first, first, second, second])
        places = {first: (2, 1), second: (2, 3)}
    else:
        for raw in (second, first, first, second, first, second, second):
            chain.make_block([raw])
        places = {first: (3, 0), second: (5, 0)}
    digests = {raw: sha256(raw).digest() for raw in places}
    for _ in range(2):
        assert {raw: chain.blocks.find_tx(digest) for raw, digest in digests.items()} == places
        assert [chain.find_tx(digest)[1].code for digest in digests.values()] == [0, 0]
        chain.close()
        chain = make_chain(home=tmp_path / "c")


def test_of_runs_that_failed_the_last_is_found(chain, sign):
    raw = sign(sequence=7)
    for _ in range(3):
        chain.make_block([raw, raw])
    assert chain.blocks.find_tx(sha256(raw).digest()) == (4, 1)


def test_h272_a_later_run_is_found_when_the_executed_one_was_pruned(make_chain, sign):
    chain = make_chain(retention=Retention(keep_blocks=10, keep_versions=1))
    raw, digest = sign(), sha256(sign()).digest()
    chain.make_block([raw])
    for _ in range(5):
        chain.make_block([])
    chain.make_block([raw])  # fails at 8
    found = {}
    while chain.height < 19:
        found[chain.earliest] = chain.blocks.find_tx(digest)
        if chain.height == 12:
            chain.make_block([raw])  # at 13, while block 3 is pruned
        else:
            chain.make_block([])
    assert found[1] == found[2] == (2, 0)
    assert found[3] == (8, 0)
    assert found[4] == found[9] == (13, 0)
    assert chain.find_tx(digest)[1].code == WrongSequence.code


def test_h272_a_failed_run_in_the_block_that_prunes_the_executed_one(make_chain, sign):
    chain = make_chain(retention=Retention(keep_blocks=10, keep_versions=1))
    raw, digest = sign(), sha256(sign()).digest()
    chain.make_block([raw])
    while chain.height < 11:
        chain.make_block([])
    assert chain.blocks.find_tx(digest) == (2, 0)
    chain.make_block([raw])
    assert (chain.earliest, chain.blocks.find_tx(digest)) == (3, (12, 0))
