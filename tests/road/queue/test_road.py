"""A packet goes round on two chains: sent, received, answered, committed, cleaned up; on real proofs."""

import pytest

from conformance.kit.queue.pair import QueuePair


@pytest.fixture(scope="module")
def pair():
    made = QueuePair.registered(channels=2)
    yield made
    made.close()


@pytest.mark.parametrize("which", ["chains", "chains, back", "channel 0", "channel 1"])
def test_a_packet_goes_round(pair, which):
    lanes = {"chains": pair.lane, "chains, back": pair.lane.back()}
    lane = lanes.get(which) or pair.lanes[int(which[-1])]
    a, b = pair.side(lane.a), pair.side(lane.b)
    for word in (b"one", b"two", b"three"):
        assert pair.send(lane, word).code == 0
    pair.relay(lane)
    assert [call[1][0].data for call in b.mock.app.calls if call[0] == "on_receive"][-3:] == [
        b"one",
        b"two",
        b"three",
    ]
    assert [call[0] for call in a.mock.app.calls][-3:] == ["on_commit"] * 3
    assert a.bounds(lane.outgoing) == (3, 3)
    assert b.bounds(lane.incoming) == (3, 3)
