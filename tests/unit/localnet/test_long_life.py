"""A chain that prunes grows neither in memory nor in descriptors nor on disk (`bench_blocks.py`)."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from benchmarks.bench_blocks import KEEPS, growth, rows
from pyibc.chain.comet.settings import Retention


@pytest.mark.exhaustive
def test_nothing_grows_once_blocks_are_deleted(tmp_path):
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:  # other tests' memory is not the chain's
        found = alone.submit(rows, tmp_path / "home", 4_000).result()
    assert found[-1].blocks == 4_000 > 3 * (KEEPS.keep_blocks or 0)
    late = found[len(found) // 2 :]
    assert len({row.descriptors for row in late}) == 1
    assert late[-1].disk_mb <= late[0].disk_mb * 1.05
    assert growth(late, "memory_mb") / 100_000 * 2_000 < 2  # MB, over these rows


def test_a_cache_of_fewer_nodes_than_none_is_refused(make_chain):
    with pytest.raises(ValueError, match="cache_nodes is -1"):
        make_chain(retention=Retention(cache_nodes=-1))


def test_a_chain_without_a_cache_has_the_same_app_hash(make_chain, sign, tmp_path):
    small = make_chain(home=tmp_path / "c", retention=Retention(cache_nodes=0))
    large = make_chain(home=tmp_path / "d")
    for chain in (small, large):
        for number in range(120):  # evicted is what a checkpoint has written
            chain.make_block([sign(sequence=number)], chain.tip().time_ns + 1)
    assert small.height == large.height == 121
    assert small.block(121).app_hash == large.block(121).app_hash
    loads = [chain.app.store._storage._loader.loads for chain in (small, large)]
    assert loads[0] > loads[1] == 0
