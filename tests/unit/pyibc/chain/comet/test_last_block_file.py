"""The block whose announcement a kill must not lose."""

import os
import resource

import pytest

from pyibc.chain.comet.app import LastBlockFile
from pyibc.core.host.block import CommittedBlock
from tests.damage import flip_byte


def block(height, size=0):
    return CommittedBlock("chain-1", height, height * 10**9, bytes(32), (), (("e" * size, ()),))


@pytest.fixture
def kept(tmp_path):
    made = []

    def make():
        made.append(LastBlockFile(tmp_path / "last"))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_the_last_one_is_read_whoever_opens_it(kept):
    last = kept()
    assert last.read() is None
    for height in (5, 6, 7, 9):
        last.write(block(height, size=100 // height))
        assert last.read() == kept().read() == block(height, size=100 // height)


def test_what_a_kill_cut_short_leaves_the_one_before(kept, tmp_path):
    last = kept()
    last.write(block(1))
    last.write(block(2, size=1000))
    whole = (tmp_path / "last.0").read_bytes()
    for length in range(len(whole)):
        (tmp_path / "last.0").write_bytes(whole[:length])
        assert last.read() == block(1)
    (tmp_path / "last.0").write_bytes(whole)
    flip_byte(tmp_path / "last.0", -1)
    assert last.read() == block(1)


def test_a_commit_needs_no_descriptor(comet):
    """Somebody else's connections may have taken all of them."""
    chain = comet("full")
    chain.init()
    chain.block()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = os.open("/dev/null", os.O_RDONLY)
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken, hard))
    try:
        with pytest.raises(OSError, match="Too many"):
            os.dup(0)
        for _ in range(3):
            chain.block()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        os.close(taken)
    assert chain.info().last_block_height == 4
    chain.app.close()
