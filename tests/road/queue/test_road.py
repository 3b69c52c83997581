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
    paths = {"chains": pair.path, "chains, back": pair.path.back()}
    path = paths.get(which) or pair.channel_paths[int(which[-1])]
    a, b = pair.side(path.a), pair.side(path.b)
    for word in (b"one", b"two", b"three"):
        assert pair.send(path, word).code == 0
    pair.relay(path)
    assert [call[1][0].data for call in b.mock.app.calls if call[0] == "on_receive"][-3:] == [
        b"one",
        b"two",
        b"three",
    ]
    assert [call[0] for call in a.mock.app.calls][-3:] == ["on_commit"] * 3
    assert a.bounds(path.outgoing) == (3, 3)
    assert b.bounds(path.incoming) == (3, 3)
