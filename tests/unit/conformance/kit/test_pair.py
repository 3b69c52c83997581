"""A packet's way over the test kit's two chains."""

from ibc_core.channel.types import Order
from ibc_core.transfer.denom import native
from ibc_module.apps.transfer.coins import voucher
from ibc_testing import SECOND, ManualClock, two_chains


def test_a_transfer_arrives(pair, path, transfer):
    assert pair.a.execute("alice", transfer(path)).code == 0
    denom = voucher(native("stake"), path.b.port_id, path.b.channel_id).coin_denom
    assert pair.b.balance("bob", denom) == 0
    pair.relay(path)
    assert pair.b.balance("bob", denom) == 7
    assert pair.a.balance("alice", "stake") == 10**12 - 7


def test_a_transfer_that_times_out_comes_back(pair, path, transfer):
    assert pair.a.execute("alice", transfer(path, timeout=pair.b.chain.height + 1)).code == 0
    pair.b.chain.make_block()
    pair.b.chain.make_block()
    pair.relay(path)
    assert pair.a.balance("alice", "stake") == 10**12


def test_time_passes_on_both_chains():
    clock = ManualClock(step_ns=SECOND)
    pair = two_chains(clock=clock)
    clock.advance(100 * SECOND)
    times = [party.chain.make_block().time_ns for party in (pair.a, pair.b)]
    assert times[1] - times[0] == SECOND
    clock.advance(-1_000 * SECOND)
    before = pair.a.chain.tip().time_ns
    assert pair.a.chain.make_block().time_ns == before + 1  # a block's time only grows
    pair.close()


def test_the_same_run_gives_the_same_hashes(transfer):
    hashes = []
    for _ in range(2):
        pair = two_chains()
        path = pair.open("transfer", Order.UNORDERED, "ics20-1")
        pair.a.execute("alice", transfer(path))
        pair.relay(path)
        hashes.append([party.chain.block(party.chain.height).app_hash for party in (pair.a, pair.b)])
        pair.close()
    assert hashes[0] == hashes[1]
