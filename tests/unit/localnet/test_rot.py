"""A disk that rots while a chain runs: what a transaction reads of it stops the node, and fails none."""

import shutil

import pytest

from conformance.simulation.node_copies import corrupt_leaf
from iavl import CorruptDatabase
from localnet.errors import ChainHalted
from pyibc.chain.bank.keeper import STORE, holder_prefix


@pytest.fixture
def halves(make_chain, tmp_path):
    """Homes of one chain of three blocks: a sound one and one to corrupt_leaf."""
    chain = make_chain(home=tmp_path / "sound")
    while chain.height < 3:
        chain.make_block()
    chain.close()
    shutil.copytree(tmp_path / "sound", tmp_path / "rotten")
    return tmp_path / "sound", tmp_path / "rotten"


def read_from(chain, key):
    found = chain.get(key, STORE)
    assert found is not None
    return key + found


def test_h226_a_rotten_balance_stops_the_node_within_a_message(make_chain, halves, sign, alice):
    sound, rotten = halves
    chain = make_chain(home=sound)
    leaf = read_from(chain, holder_prefix(alice.address.raw) + b"stake")
    block = chain.make_block([sign()])
    assert block.txs[0].code == 0
    assert corrupt_leaf(rotten / "state" / "data.mdb", leaf, 0) > 0
    other = make_chain(home=rotten)
    with pytest.raises(CorruptDatabase) as caught:
        other.make_block([sign()], block.time_ns)
    assert caught.value.path == str(rotten / "state")
    assert other.halted is caught.value
    assert (other.height, other.app.info().height) == (3, 3)
    with pytest.raises(ChainHalted):
        other.make_block()


def test_h226_on_a_sound_disk_it_finishes_the_block_that_it_signed(make_chain, halves, sign, alice):
    """What its validators signed is made once the disk is whole again, and is what everybody else made."""
    sound, rotten = halves
    kept = (rotten / "state" / "data.mdb").read_bytes()
    chain = make_chain(home=sound)
    leaf = read_from(chain, holder_prefix(alice.address.raw) + b"stake")
    block = chain.make_block([sign()])
    corrupt_leaf(rotten / "state" / "data.mdb", leaf, 0)
    other = make_chain(home=rotten)
    with pytest.raises(CorruptDatabase):
        other.make_block([sign()], block.time_ns)
    other.close()
    (rotten / "state" / "data.mdb").write_bytes(kept)
    again = make_chain(home=rotten)
    assert again.height == 4
    assert again.block(4).app_hash == block.app_hash
