"""Blocks and states that are kept, and what is said of those that are not."""

from itertools import pairwise

import pytest

from iavl import MapFull, StorageBusy
from localnet.endpoint import LocalEndpoint
from localnet.errors import BlockPruned
from localnet.event_index import _NUMBER, parse_query
from localnet.rpc.methods import Methods, Params, RpcError
from localnet.storage.block_store import PRUNED_AT_ONCE
from pyibc.chain.comet.settings import Retention, keep_from
from pyibc.core.host.block import tx_hash
from pyibc.relayer.errors import EndpointRefused

KEEPS = Retention(keep_blocks=12)


@pytest.fixture(params=[False, True])
def pruned(request, make_chain, tmp_path, sign):
    """A chain of 31 blocks, of which 12 are kept, with a transaction in each."""
    chain = make_chain(home=tmp_path / "c" if request.param else None, retention=KEEPS)
    chain.hashes = {}
    while chain.height < 31:
        tx = sign(sequence=chain.height - 1)
        chain.make_block([tx])
        chain.hashes[chain.height] = tx_hash(tx)
    return chain


def test_h107_blocks_beyond_the_setting_are_gone_with_all_that_names_them(pruned):
    assert (pruned.earliest, pruned.height) == (20, 31)
    for height in range(1, 20):
        for ask in (pruned.record, pruned.block, pruned.validators, pruned.light_block):
            with pytest.raises(BlockPruned) as caught:
                ask(height)
            assert (caught.value.height, caught.value.first) == (height, 20)
        assert pruned.stored_block(height) is None
    for height, digest in pruned.hashes.items():
        assert (pruned.find_tx(digest) is not None) is (height >= 20)
    for height in range(20, 32):
        assert pruned.record(height).header.height == height
        assert pruned.validators(height) is not None
    keys = [key for key, _ in pruned.blocks._entries.items(b"")]
    assert sorted(key[:1] for key in keys).count(b"b") == 12
    assert sorted(key[:1] for key in keys).count(b"t") == 12
    assert sorted(key[:1] for key in keys).count(b"v") == 14  # two sets ahead


def test_h107_what_is_kept_does_not_grow(make_chain, tmp_path, sign):
    chain = make_chain(home=tmp_path / "c", retention=Retention(10, 10))
    sizes = []
    while chain.height < 50:
        chain.make_block([sign(sequence=chain.height - 1)])
        sizes.append(len(chain.blocks._entries.items(b"")))
    assert len(set(sizes[15:])) == 1
    pages = (tmp_path / "c" / "blocks" / "data.mdb").stat().st_size
    while chain.height < 100:
        chain.make_block([sign(sequence=chain.height - 1)])
    assert (tmp_path / "c" / "blocks" / "data.mdb").stat().st_size <= pages * 1.2


def test_h107_a_smaller_setting_takes_some_blocks_with_each_new_one(make_chain, tmp_path):
    chain = make_chain(home=tmp_path / "c")
    while chain.height < 90:
        chain.make_block([])
    chain.close()
    chain = make_chain(home=tmp_path / "c", retention=Retention(keep_blocks=10))
    firsts = [chain.earliest]
    while chain.earliest < chain.height - 9:
        chain.make_block([])
        firsts.append(chain.earliest)
    assert max(after - before for before, after in pairwise(firsts)) == PRUNED_AT_ONCE
    chain.close()
    chain = make_chain(home=tmp_path / "c", retention=Retention(keep_blocks=40))  # those do not come back
    assert chain.earliest == firsts[-1]


def test_h107_rpc_and_relayers_are_told_what_is_gone(pruned, alice):
    methods = Methods(pruned, "tcp://127.0.0.1:0")
    info = methods.call("status", Params({}, uri=False))["sync_info"]
    assert (info["earliest_block_height"], info["latest_block_height"]) == ("20", "31")
    for name in ("block", "commit", "header", "block_results", "validators"):
        with pytest.raises(RpcError) as caught:
            methods.call(name, Params({"height": "19"}, uri=False))
        assert "height 19 is not available, lowest height is 20" in str(caught.value.data)
    params = methods.call("consensus_params", Params({}, uri=False))["consensus_params"]
    assert params["evidence"]["max_age_num_blocks"] == "12"
    endpoint = LocalEndpoint(pruned, alice)
    for ask in (endpoint.block, endpoint.light_block):
        with pytest.raises(EndpointRefused, match="lowest height is 20"):
            ask(19)
        ask(20)


def test_h107_a_search_finds_what_is_kept(pruned, monkeypatch):
    query = parse_query("tx.height > 0")
    assert [place.height for place in pruned.events.txs(query)] == list(range(20, 32))
    monkeypatch.setattr("localnet.event_index._FORGET_EVERY", 3)
    while pruned.height < 40:
        pruned.make_block([])
    assert [place.height for place in pruned.events.txs(query)] == list(range(29, 32))
    named = parse_query("transfer.amount='5stake' AND tx.height>29")
    assert [place.height for place in pruned.events.txs(named)] == [30, 31]
    assert min(pruned.events._heights) == 29
    first = pruned.events._dropped << _NUMBER
    assert first
    assert all(events[0] >= first for events in pruned.events._entries.values())


@pytest.mark.parametrize(
    ("height", "keep", "needed", "first"),
    [(100, None, 99, 0), (100, 10, 99, 91), (100, 10, 60, 60), (5, 10, 4, 0), (100, 200, 99, 0)],
)
def test_h107_nothing_that_is_needed_is_pruned(height, keep, needed, first):
    assert keep_from(height, Retention(keep), needed) == first


@pytest.mark.parametrize("wrong", [Retention(9), Retention(0), Retention(10, 0), Retention(10, 10, 1000)])
def test_h107_settings_that_would_lose_blocks_are_refused(make_chain, tmp_path, wrong):
    with pytest.raises(ValueError, match="at least"):
        make_chain(home=tmp_path / "c", retention=wrong)
    assert not (tmp_path / "c").exists()


def test_h107_a_database_that_is_full_stops_the_chain_and_a_larger_one_goes_on(make_chain, tmp_path):
    small = Retention(map_bytes=1 << 20)
    chain = make_chain(home=tmp_path / "c", retention=small)

    def fill():
        while True:
            chain.make_block([b"x" * 20_000] * 4)

    with pytest.raises(MapFull):
        fill()
    height = chain.height
    chain.close()
    chain = make_chain(home=tmp_path / "c")
    assert chain.height == height + 1  # signed, and then the disk refused
    chain.make_block([])


def test_h107_a_close_that_fails_leaves_nothing_open(make_chain, tmp_path, monkeypatch):
    chain = make_chain(home=tmp_path / "c")
    chain.make_block([])

    def fails(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("iavl.disk.writer.BlockWriter.write_checkpoint", fails)
        with pytest.raises(OSError, match="No space"):
            chain.close()
    try:
        again = make_chain(home=tmp_path / "c")
    except StorageBusy as error:
        pytest.fail(str(error))
    assert again.height == 2
    again.make_block([])
