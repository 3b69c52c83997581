"""A relayer that crashes at any point, or loses calls, completes every packet once."""

import pytest

from pyibc.apps.transfer.coins import voucher
from pyibc.apps.transfer.denom import native
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.testing.faults import Crashed, CrashingEndpoint, CrashPoints, RecordingEndpoint, UnreliableEndpoint
from tests.sampling import sample

PATIENT = Options(outages=50, sleep=lambda _: None)


def run(path, a, b, options=PATIENT):
    link = Link([path], a, b, options=options)
    try:
        link.until_idle()
    finally:
        link.close()


def received(pair, path):
    denom = voucher(native("stake"), path.b.port_id, path.b.channel_id).coin_denom
    return pair.b.balance("bob", denom)


def crash_once(pair, path, at):
    points = CrashPoints(at)
    run(path, CrashingEndpoint(pair.a.endpoint, points), CrashingEndpoint(pair.b.endpoint, points))
    return points.passed


@pytest.mark.parametrize("at", sample([3, 12, 20], 1, "crashes"))
def test_a_crash_at_some_points(pair, path, transfer, at):
    pair.a.execute("alice", transfer(path))
    with pytest.raises(Crashed) as caught:
        crash_once(pair, path, at)
    assert caught.value.point.startswith(("before", "after"))
    pair.relay(path)
    assert received(pair, path) == 7


@pytest.mark.parametrize("seed", sample(range(4), 1, "lost calls"))
def test_lost_calls_and_lost_answers(pair, path, transfer, seed):
    for _ in range(3):
        pair.a.execute("alice", transfer(path))
    a, b = (UnreliableEndpoint(end, seed, 0) for end in (pair.a.endpoint, pair.b.endpoint))
    link = Link([path], a, b, options=PATIENT)
    a._loss_percent = b._loss_percent = 5
    link.until_idle()
    link.close()
    assert received(pair, path) == 21
    assert a.lost + b.lost > 0


def test_calls_are_counted(pair, path):
    endpoint = RecordingEndpoint(pair.a.endpoint)
    assert (endpoint.chain_id, endpoint.signer) == ("chain-a-1", pair.a.address("relayer"))
    endpoint.get(b"x")
    endpoint.wait(endpoint.tip().height)
    endpoint.block(1)
    endpoint.light_block(1)
    endpoint.prove(b"nextClientSequence", 1)
    assert endpoint.calls == {"get": 1, "tip": 1, "wait": 1, "block": 1, "light_block": 1, "prove": 1}
