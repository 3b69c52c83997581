"""The five guarantees of [ICS5-2019] and the sixth for timeouts, on proofs that the other client verifies."""

import pytest

from conformance.kit.outcomes import must
from conformance.kit.queue.pair import QueuePair
from light_client.interface import Claim
from pyibc.core.height import Height
from pyibc.queues.packet import TIMED_OUT
from pyibc.queues.states import decode_receipt
from pyibc.queues.types import element_key


@pytest.fixture(params=["chains", "channels"])
def world(request):
    pair = QueuePair.registered(channels=1)
    yield pair, pair.path if request.param == "chains" else pair.channel_paths[0]
    pair.close()


def proven(pair, prover, key):
    """M_kvh: what the other chain's light client believes to stand at `key` after the last block."""
    pair.sync()
    believer = pair.twin(prover)
    entry = pair.proven(prover, key)
    keeper = believer.queues.clients
    ctx, client_id = believer.chain.app.query_context(), believer.client_id
    claim = Claim(entry.height, entry.proof, (b"queue", key), entry.value or b"")
    if entry.value is None:
        keeper.verify_non_membership(ctx, client_id, claim)
    else:
        keeper.verify_membership(ctx, client_id, claim)
    return entry.value


def on_a(pair, path, i):
    return proven(pair, pair.a, element_key(path.outgoing, i))


def on_b(pair, path, i):
    return proven(pair, pair.b, element_key(path.incoming, i))


def receive(pair, path, *indexes):
    pair.sync()
    must(pair.b.submit(pair.receive(path, indexes)))


def handle(pair, path, *indexes):
    pair.sync()
    must(pair.a.submit(pair.handle(path, indexes)))


def test_1_nothing_on_a_if_message_i_was_not_sent_before_height_h(world):
    pair, path = world
    assert [on_a(pair, path, i) for i in (0, 1, 2**64 - 1)] == [None] * 3
    must(pair.send(path))
    assert on_a(pair, path, 0) is not None
    assert [on_a(pair, path, i) for i in (1, 2, 2**63)] == [None] * 3


def test_2_nothing_on_a_if_message_i_was_sent_and_its_receipt_received_and_all_before_it_handled(world):
    pair, path = world
    for _ in range(3):
        must(pair.send(path))
    receive(pair, path, 0, 1, 2)
    handle(pair, path, 0)
    assert [on_a(pair, path, i) is None for i in range(3)] == [True, False, False]
    handle(pair, path, 1, 2)
    assert [on_a(pair, path, i) for i in range(3)] == [None] * 3


def test_3_something_on_a_if_message_i_was_sent_and_its_receipt_not_yet_processed(world):
    """The same at every height: once written, a packet is immutable."""
    pair, path = world
    must(pair.send(path, b"first"))
    must(pair.send(path, b"second"))
    sent = [on_a(pair, path, i) for i in range(2)]
    assert None not in sent
    receive(pair, path, 0, 1)
    must(pair.send(path, b"third"))
    assert [on_a(pair, path, i) for i in range(2)] == sent
    handle(pair, path, 0)
    assert on_a(pair, path, 1) == sent[1]


def test_4_nothing_on_b_if_message_i_was_not_received_before_height_h(world):
    pair, path = world
    assert on_b(pair, path, 0) is None
    must(pair.send(path))
    must(pair.send(path))
    assert [on_b(pair, path, i) for i in range(2)] == [None, None]
    receive(pair, path, 0)
    assert on_b(pair, path, 1) is None


def test_5_something_on_b_if_message_i_was_received_before_height_h(world):
    """Until A is proven to have handled it: then the receipt is cleaned up, and only then."""
    pair, path = world
    must(pair.send(path))
    must(pair.send(path))
    receive(pair, path, 0, 1)
    receipts = [on_b(pair, path, i) for i in range(2)]
    assert [decode_receipt(raw).result for raw in receipts] == [b"ok", b"ok"]
    handle(pair, path, 0)
    assert [on_b(pair, path, i) for i in range(2)] == receipts
    pair.sync()
    must(pair.b.submit(pair.advance(path)))
    assert [on_b(pair, path, i) for i in range(2)] == [None, receipts[1]]


def test_6_nothing_on_a_if_message_i_was_sent_and_its_timeout_proven_and_all_before_it_handled(world):
    pair, path = world
    must(pair.send(path))
    must(pair.send(path, max_height=Height(1, 1)))
    must(pair.send(path, max_height=Height(1, 1)))
    receive(pair, path, 0, 1)
    handle(pair, path, 0)
    assert [on_a(pair, path, i) is None for i in range(3)] == [True, False, False]
    handle(pair, path, 1)  # by a TimeoutError receipt
    assert decode_receipt(on_b(pair, path, 1)) == TIMED_OUT
    must(pair.a.submit(pair.timeout(path, 2)))  # by its absence
    assert [on_a(pair, path, i) for i in range(3)] == [None] * 3
    assert on_b(pair, path, 2) is None


def test_a_flood_that_nobody_relays_is_rolled_back_without_an_answer(world):
    """[ICS5-2019]: now A can roll back all transactions that were blocked by unrelayed packets."""
    pair, path = world
    for _ in range(20):
        must(pair.send(path, max_height=Height(1, 1)))
    pair.sync()
    must(pair.a.submit(pair.timeout(path, 0, 20)))
    assert [on_a(pair, path, i) for i in range(20)] == [None] * 20
    assert [name for name, _ in pair.a.mock.app.calls].count("on_rollback") == 20
    assert pair.b.mock.app.calls == []
